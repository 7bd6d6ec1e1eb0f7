// SPDX-License-Identifier: Apache-2.0
// The kernel of NthElement.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// input: [..., n], n: a scalar -> the n-th smallest of each row, counted from
// 0, or the n-th largest.  NaN counts as the largest.
template <typename T>
class NthElementOp final : public OpKernel {
 public:
  explicit NthElementOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("reverse", &reverse_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& n = ctx->input(1);
    OP_REQUIRES(ctx, n.dims() == 0,
                errors::InvalidArgument("NthElement: n must be a scalar, got ",
                                        "shape ", n.shape().DebugString()));
    OP_REQUIRES(ctx, input.dims() >= 1,
                errors::InvalidArgument(
                    "NthElement: input must have rank >= 1, got shape ",
                    input.shape().DebugString()));
    const int64_t size = input.dim_size(input.dims() - 1);
    const int64_t given = n.scalar_value<int32>();
    OP_REQUIRES(ctx, given >= 0 && given < size,
                errors::InvalidArgument("NthElement: n must be in [0, ", size,
                                        "), the size of a row, got ", given));
    TensorShape shape = input.shape();
    shape.RemoveLastDims(1);
    Tensor* values = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &values));
    const int64_t at = reverse_ ? size - 1 - given : given;
    const T* const x = input.base<T>();
    T* const out = values->base<T>();
    ParallelFor(
        ctx, shape.num_elements(), 10 * size, [=](int64_t begin, int64_t end) {
          std::vector<T> row(size);
          for (int64_t r = begin; r < end; ++r) {
            std::copy_n(x + r * size, size, row.begin());
            std::nth_element(row.begin(), row.begin() + at, row.end(), Before);
            out[r] = row[at];
          }
        });
  }

 private:
  static bool Before(T a, T b) {
    using C = ComputeType<T>;
    const C x = static_cast<C>(a), y = static_cast<C>(b);
    return x < y || (x == x && y != y);
  }

  bool reverse_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("NthElement").Device(DEVICE_CPU).HostMemory("n"),
                          "T", NthElementOp, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double);

}  // namespace tensorwright
