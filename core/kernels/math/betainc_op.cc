// SPDX-License-Identifier: Apache-2.0
// The kernel of Betainc.

#include <functional>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/math/special_math.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// a, b, x -> I_x(a, b); each has the output's shape, or is a scalar.
template <typename T>
class BetaincOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TensorShape shape;
    for (int i = 0; i < 3; ++i) {
      const TensorShape& input = ctx->input(i).shape();
      if (input.dims() == 0) continue;
      OP_REQUIRES(ctx, shape.dims() == 0 || shape == input,
                  errors::InvalidArgument(
                      "Betainc: a, b and x must be scalars or of one shape, "
                      "got ",
                      ctx->input(0).shape().DebugString(), ", ",
                      ctx->input(1).shape().DebugString(), " and ",
                      ctx->input(2).shape().DebugString()));
      shape = input;
    }
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &z));
    const T* in[3];
    int64_t step[3];
    for (int i = 0; i < 3; ++i) {
      in[i] = ctx->input(i).base<T>();
      step[i] = ctx->input(i).dims() == 0 ? 0 : 1;
    }
    T* out = z->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = special_math::Betainc(in[0][i * step[0]], in[1][i * step[1]],
                                       in[2][i * step[2]]);
      }
    };
    ParallelFor(ctx, z->NumElements(), 400, std::ref(run));
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("Betainc").Device(DEVICE_CPU), "T", BetaincOp,
                          float, double);

}  // namespace tensorwright
