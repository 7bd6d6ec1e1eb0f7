// SPDX-License-Identifier: Apache-2.0
#include "core/compat/kernels/transpose_functor.h"

#include <cstring>
#include <vector>

#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/platform/tstring.h"

namespace tensorwright {
namespace {

// The positions in the input of the elements of `out`, in order.
std::vector<int64_t> Origins(const TensorShape& in,
                             absl::Span<const int32_t> perm,
                             const TensorShape& out) {
  std::vector<int64_t> strides(static_cast<size_t>(in.dims()), 1);
  for (int d = in.dims() - 2; d >= 0; --d) {
    const size_t i = static_cast<size_t>(d);
    strides[i] = strides[i + 1] * in.dim_size(d + 1);
  }
  std::vector<int64_t> origins{0};
  for (int d = 0; d < out.dims(); ++d) {
    const int64_t stride = strides[static_cast<size_t>(perm[d])];
    std::vector<int64_t> next;
    next.reserve(origins.size() * static_cast<size_t>(out.dim_size(d)));
    for (int64_t origin : origins) {
      for (int64_t i = 0; i < out.dim_size(d); ++i) {
        next.push_back(origin + i * stride);
      }
    }
    origins = std::move(next);
  }
  return origins;
}

}  // namespace

Status TransposeOnCpu(const Tensor& in, absl::Span<const int32_t> perm,
                      Tensor* out) {
  if (static_cast<int>(perm.size()) != in.dims() || out->dims() != in.dims() ||
      out->dtype() != in.dtype()) {
    return errors::InvalidArgument(
        "DoTranspose: in, out and perm must be of one rank and dtype, got ",
        in.shape().DebugString(), ", ", out->shape().DebugString(), " and ",
        perm.size(), " dimensions");
  }
  std::vector<bool> seen(perm.size());
  for (size_t d = 0; d < perm.size(); ++d) {
    const int32_t from = perm[d];
    if (from < 0 || from >= in.dims() || seen[static_cast<size_t>(from)] ||
        out->dim_size(static_cast<int>(d)) != in.dim_size(from)) {
      return errors::InvalidArgument(
          "DoTranspose: perm must say where each dimension of out, ",
          out->shape().DebugString(), ", comes from, got ", from, " for ", d);
    }
    seen[static_cast<size_t>(from)] = true;
  }
  const std::vector<int64_t> origins = Origins(in.shape(), perm, out->shape());
  if (in.NumElements() == 0) return Status();
  if (in.dtype() == DT_STRING) {
    const auto* from = in.base<const tstring>();
    auto* to = out->base<tstring>();
    for (int64_t origin : origins) *to++ = from[origin];
    return Status();
  }
  if (!DataTypeCanUseMemcpy(in.dtype())) {
    return errors::Unimplemented("DoTranspose: tensors of ",
                                 DataTypeString(in.dtype()));
  }
  const size_t size = static_cast<size_t>(DataTypeSize(in.dtype()));
  const char* from = in.tensor_data().data();
  char* to = const_cast<char*>(out->tensor_data().data());
  for (int64_t origin : origins) {
    std::memcpy(to, from + static_cast<size_t>(origin) * size, size);
    to += size;
  }
  return Status();
}

}  // namespace tensorwright
