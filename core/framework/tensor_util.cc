// SPDX-License-Identifier: Apache-2.0
// Copying, joining and cutting whole tensors.
#include "core/framework/tensor_util.h"

#include <algorithm>
#include <cstring>

#include "core/framework/resource_handle.h"
#include "core/framework/variant.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace tensor {
namespace {

// Copies elements between tensors of one dtype.
void CopyElements(const Tensor& from, int64_t from_offset, int64_t n,
                  Tensor* to, int64_t to_offset) {
  if (n == 0) return;
  switch (from.dtype()) {
    case DT_STRING:
      std::copy_n(from.base<std::string>() + from_offset, n,
                  to->base<std::string>() + to_offset);
      return;
    case DT_RESOURCE:
      std::copy_n(from.base<ResourceHandle>() + from_offset, n,
                  to->base<ResourceHandle>() + to_offset);
      return;
    case DT_VARIANT:
      std::copy_n(from.base<Variant>() + from_offset, n,
                  to->base<Variant>() + to_offset);
      return;
    default: {
      const int64_t size = DataTypeSize(from.dtype());
      memcpy(to->base<char>() + to_offset * size,
             from.base<char>() + from_offset * size, n * size);
    }
  }
}

}  // namespace

Tensor DeepCopy(const Tensor& other) { return other.DeepCopy(); }

void DeepCopy(const Tensor& input, Tensor* output) {
  CHECK(input.dtype() == output->dtype());
  CHECK_EQ(input.NumElements(), output->NumElements());
  CopyElements(input, 0, input.NumElements(), output, 0);
}

Status Concat(absl::Span<const Tensor> tensors, Tensor* result) {
  if (tensors.empty()) {
    return errors::InvalidArgument("Cannot join zero tensors");
  }
  const Tensor& first = tensors[0];
  int64_t rows = 0;
  for (const Tensor& t : tensors) {
    if (t.dims() == 0) {
      return errors::InvalidArgument(
          "Cannot join a scalar; it has no first dimension");
    }
    if (t.dtype() != first.dtype() ||
        t.shape().dim_sizes().subspan(1) !=
            first.shape().dim_sizes().subspan(1)) {
      return errors::InvalidArgument(
          "Cannot join tensors of ", DataTypeString(first.dtype()), " ",
          first.shape().DebugString(), " and ", DataTypeString(t.dtype()), " ",
          t.shape().DebugString());
    }
    rows += t.dim_size(0);
  }
  TensorShape shape = first.shape();
  TF_RETURN_IF_ERROR(shape.SetDimWithStatus(0, rows));
  TF_RETURN_IF_ERROR(Tensor::BuildTensor(first.dtype(), shape, result));
  int64_t offset = 0;
  for (const Tensor& t : tensors) {
    CopyElements(t, 0, t.NumElements(), result, offset);
    offset += t.NumElements();
  }
  return OkStatus();
}

Status Split(const Tensor& tensor, absl::Span<const int64_t> sizes,
             std::vector<Tensor>* result) {
  if (tensor.dims() == 0) {
    return errors::InvalidArgument(
        "Cannot split a scalar; it has no first dimension");
  }
  int64_t total = 0;
  for (int64_t size : sizes) {
    if (size < 0 || __builtin_add_overflow(total, size, &total)) {
      return errors::InvalidArgument("Cannot split off ", size, " rows");
    }
  }
  if (total != tensor.dim_size(0)) {
    return errors::InvalidArgument("The sizes of the parts add up to ", total,
                                   ", the first dimension is ",
                                   tensor.dim_size(0));
  }
  std::vector<Tensor> parts;
  int64_t offset = 0;
  for (int64_t size : sizes) {
    TensorShape shape = tensor.shape();
    TF_RETURN_IF_ERROR(shape.SetDimWithStatus(0, size));
    Tensor part;
    TF_RETURN_IF_ERROR(Tensor::BuildTensor(tensor.dtype(), shape, &part));
    CopyElements(tensor, offset, part.NumElements(), &part, 0);
    offset += part.NumElements();
    parts.push_back(std::move(part));
  }
  *result = std::move(parts);
  return OkStatus();
}

Status Fill(const Tensor& value, const TensorShape& shape, Tensor* out) {
  if (value.NumElements() != 1) {
    return errors::InvalidArgument("The value to fill with must be one, got ",
                                   value.NumElements());
  }
  Tensor result;
  TF_RETURN_IF_ERROR(Tensor::BuildTensor(value.dtype(), shape, &result));
  for (int64_t i = 0; i < result.NumElements(); ++i) {
    CopyElements(value, 0, 1, &result, i);
  }
  *out = std::move(result);
  return OkStatus();
}

Status AsInt64Vector(const Tensor& t, std::vector<int64_t>* out) {
  if (t.dtype() == DT_INT32) {
    const auto values = Flat<int32_t>(t);
    out->assign(values.begin(), values.end());
  } else if (t.dtype() == DT_INT64) {
    const auto values = Flat<int64_t>(t);
    out->assign(values.begin(), values.end());
  } else {
    return errors::InvalidArgument("Expected int32 or int64, got ",
                                   DataTypeString(t.dtype()));
  }
  return OkStatus();
}

bool BitwiseEqual(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == DT_STRING) {
    return Flat<std::string>(a) == Flat<std::string>(b);
  }
  return DataTypeCanUseMemcpy(a.dtype()) && a.tensor_data() == b.tensor_data();
}

}  // namespace tensor
}  // namespace tensorwright
