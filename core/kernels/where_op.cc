// SPDX-License-Identifier: Apache-2.0
// Where: the coordinates of what is not zero.

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"

namespace tensorwright {
namespace {

template <typename T>
int64_t CountNonZero(absl::Span<const T> x) {
  int64_t n = 0;
  for (const T& value : x) n += value != T(0);
  return n;
}

// Rows of coordinates of the non-zero elements of x, which has that shape, of
// rank >= 1.
template <typename T>
void WriteCoordinates(absl::Span<const T> x, const TensorShape& shape,
                      int64_t* out) {
  const int rank = shape.dims();
  const int64_t inner = shape.dim_size(rank - 1);
  absl::InlinedVector<int64_t, 8> index(rank, 0);
  for (size_t row = 0; row < x.size(); row += inner) {
    for (int64_t i = 0; i < inner; ++i) {
      if (!(x[row + i] != T(0))) continue;
      for (int d = 0; d < rank - 1; ++d) *out++ = index[d];
      *out++ = i;
    }
    for (int d = rank - 2; d >= 0 && ++index[d] == shape.dim_size(d); --d) {
      index[d] = 0;
    }
  }
}

template <typename T>
class WhereOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    OP_REQUIRES(ctx, input.dims() >= 1,
                errors::InvalidArgument(
                    "Where: input must have rank >= 1, got a scalar"));
    const absl::Span<const T> x = Flat<T>(input);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(
                       0, TensorShape({CountNonZero(x), input.dims()}), &out));
    WriteCoordinates(x, input.shape(), out->base<int64_t>());
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("Where").Device(DEVICE_CPU), "T", WhereOp, bool,
                          float, double, half, bfloat16, int8_t, int16_t,
                          int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                          uint64_t, complex64, complex128);

}  // namespace
}  // namespace tensorwright
