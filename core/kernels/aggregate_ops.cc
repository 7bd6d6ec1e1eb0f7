// SPDX-License-Identifier: Apache-2.0
// The kernel of AddN.

#include <algorithm>
#include <functional>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

class AddNOpBase : public OpKernel {
 public:
  AddNOpBase(OpKernelConstruction* ctx, BinaryLoopFn add)
      : OpKernel(ctx, /*is_expensive=*/false), add_(add) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& first = ctx->input(0);
    const int num = ctx->num_inputs();
    for (int i = 1; i < num; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).shape() == first.shape(),
                  errors::InvalidArgument(
                      "AddN: Inputs to operation must have the same size and "
                      "shape.  Input 0: ",
                      first.shape().DebugString(), " != input ", i, ": ",
                      ctx->input(i).shape().DebugString()));
    }
    if (num == 1) {
      ctx->set_output(0, first);
      return;
    }
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, first.shape(), &sum));
    const int64_t size = DataTypeSize(first.dtype());
    // All inputs of one piece, so that the running sum stays in the cache.
    constexpr int64_t kPiece = 2048;
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; at += kPiece) {
        const int64_t n = std::min(kPiece, end - at);
        char* to = sum->base<char>() + at * size;
        const char* from = first.base<char>() + at * size;
        for (int i = 1; i < num; ++i) {
          add_(from, ctx->input(i).base<char>() + at * size, to, n, 1, 1);
          from = to;
        }
      }
    };
    ParallelFor(ctx, first.NumElements(), num, run);
  }

 private:
  const BinaryLoopFn add_;
};

template <typename T>
class AddNOp final : public AddNOpBase {
 public:
  explicit AddNOp(OpKernelConstruction* ctx)
      : AddNOpBase(ctx, &BinaryLoop<functor::Add, T>) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("AddN").Device(DEVICE_CPU), "T", AddNOp, int8,
                          int16, int32, int64_t, uint8, uint16, uint32, uint64,
                          Eigen::half, Eigen::bfloat16, float, double,
                          complex64, complex128);

}  // namespace tensorwright
