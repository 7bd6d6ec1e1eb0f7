// SPDX-License-Identifier: Apache-2.0
// TileGrad: the sum of a tensor's equal parts, which Tile makes from one.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The input as [multiple, size] for each dimension.
struct TileDim {
  int64_t multiple, size;
};
using TileDims = absl::InlinedVector<TileDim, 8>;

// Writes rows [begin, end) of the output along its last dimension: each is the
// sum over all multiples of all dimensions.
template <typename T>
void SumRows(const T* in, const TileDims& dims, int64_t copies, int64_t begin,
             int64_t end, T* out) {
  const int last = static_cast<int>(dims.size()) - 1;
  const int64_t n = dims[last].size;
  // Halves are added as floats: a sum of many halves would lose its digits.
  constexpr bool kIsHalf =
      std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
  using Sum = std::conditional_t<kIsHalf, float, T>;
  std::vector<float> sums(kIsHalf ? n : 0);
  for (int64_t row = begin; row < end; ++row) {
    Sum* to = nullptr;
    if constexpr (kIsHalf) {
      to = sums.data();
    } else {
      to = out + row * n;
    }
    for (int64_t copy = 0; copy < copies; ++copy) {
      int64_t rest_copy = copy, rest_row = row;
      int64_t from = rest_copy % dims[last].multiple * n;
      rest_copy /= dims[last].multiple;
      int64_t stride = dims[last].multiple * n;
      for (int d = last - 1; d >= 0; --d) {
        from += (rest_copy % dims[d].multiple * dims[d].size +
                 rest_row % dims[d].size) *
                stride;
        rest_copy /= dims[d].multiple;
        rest_row /= dims[d].size;
        stride *= dims[d].multiple * dims[d].size;
      }
      const T* x = in + from;
      for (int64_t i = 0; i < n; ++i) {
        const Sum value = static_cast<Sum>(x[i]);
        to[i] = copy == 0 ? value : static_cast<Sum>(to[i] + value);
      }
    }
    if constexpr (kIsHalf) {
      T* const rounded = out + row * n;
      for (int64_t i = 0; i < n; ++i) rounded[i] = static_cast<T>(sums[i]);
    }
  }
}

// out = the sum of the equal parts of `in`, which has elements.
template <typename T>
void SumParts(OpKernelContext* ctx, const Tensor& in, const TileDims& dims,
              int64_t copies, Tensor* out) {
  const int64_t n = dims.back().size;
  const int64_t cost = copies * (n + 10 * static_cast<int64_t>(dims.size()));
  ParallelFor(ctx, out->NumElements() / n, cost,
              [&](int64_t begin, int64_t end) {
                SumRows(in.base<T>(), dims, copies, begin, end, out->base<T>());
              });
}

template <typename... Ts>
struct Types {};

template <typename... Ts>
auto SumFunction(DataType dtype, Types<Ts...>) {
  using Function = decltype(&SumParts<float>);
  Function found = nullptr;
  ((found = dtype == DataTypeToEnum<Ts>::v() ? &SumParts<Ts> : found), ...);
  return found;
}

// The types that can be added.
using Numbers =
    Types<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t,
          uint8_t, uint16_t, uint32_t, uint64_t, complex64, complex128>;

class TileGradOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const Tensor& multiples = ctx->input(1);
    const int rank = in.dims();
    OP_REQUIRES(ctx, multiples.dims() == 1 && multiples.NumElements() == rank,
                errors::InvalidArgument(
                    "Expected multiples argument to be a vector of length ",
                    rank, " but got shape ", multiples.shape().DebugString()));
    TensorShape shape;
    TileDims dims;
    int64_t copies = 1;
    for (int d = 0; d < rank; ++d) {
      const int64_t multiple = multiples.base<int32_t>()[d];
      OP_REQUIRES(ctx, multiple > 0 && in.dim_size(d) % multiple == 0,
                  errors::InvalidArgument("Expected multiples[", d,
                                          "] > 0 that divides ", in.dim_size(d),
                                          ", but got ", multiple));
      dims.push_back({multiple, in.dim_size(d) / multiple});
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(dims.back().size));
      // An empty input may have more copies than can be counted.
      if (in.NumElements() > 0) copies *= multiple;
    }
    if (shape.IsSameSize(in.shape())) {
      ctx->set_output(0, in);
      return;
    }
    const auto sum = SumFunction(in.dtype(), Numbers());
    OP_REQUIRES(
        ctx, sum != nullptr,
        errors::Unimplemented(
            "TileGrad: values of type ", DataTypeString(in.dtype()),
            " cannot be added, so all multiples must be 1, got shape ",
            in.shape().DebugString(), " to sum to ", shape.DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() > 0) sum(ctx, in, dims, copies, out);
  }
};
// Takes every dtype: a value that is not repeated passes through.
REGISTER_KERNEL_BUILDER(
    Name("TileGrad").Device(DEVICE_CPU).HostMemory("multiples"), TileGradOp);

}  // namespace
}  // namespace tensorwright
