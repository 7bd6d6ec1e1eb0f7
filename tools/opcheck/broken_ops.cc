// SPDX-License-Identifier: Apache-2.0
// Ops with one fault each, for opcheck_test.py: a library as a user would load.
#include <cstdlib>
#include <stdexcept>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor_types.h"

namespace tensorwright {
namespace {

REGISTER_OP("BrokenPromise")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Promises the shape of x and gives a vector with one element more.");

class BrokenPromiseOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    const TensorShape shape({ctx->input(0).NumElements() + 1});
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    y->flat<float>().setZero();
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenPromise").Device(DEVICE_CPU),
                        BrokenPromiseOp);

REGISTER_OP("BrokenOnEmpty")
    .Input("x: int32")
    .Output("first: int32")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The first element of x; dies where there is none.");

class BrokenOnEmptyOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* first = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &first));
    if (ctx->input(0).NumElements() == 0) std::abort();
    first->scalar<int32>()() = ctx->input(0).flat<int32>()(0);
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenOnEmpty").Device(DEVICE_CPU),
                        BrokenOnEmptyOp);

REGISTER_OP("BrokenGradient")
    .Input("x: double")
    .Output("y: double")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Twice x; broken_ops.py says that its derivative is 3.");

class BrokenGradientOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y));
    y->flat<double>() = ctx->input(0).flat<double>() * 2.0;
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenGradient").Device(DEVICE_CPU),
                        BrokenGradientOp);

REGISTER_OP("BrokenNan")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("x, or 0 where it is less; a NaN becomes 0 as well.");

class BrokenNanOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y));
    const auto x = ctx->input(0).flat<float>();
    for (int64_t i = 0; i < x.size(); ++i) {
      y->flat<float>()(i) = x(i) > 0.0f ? x(i) : 0.0f;
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenNan").Device(DEVICE_CPU), BrokenNanOp);

REGISTER_OP("BrokenNanSpreads")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("x, plus the sum of all elements times 0, which a NaN makes one.");

class BrokenNanSpreadsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y));
    const auto x = ctx->input(0).flat<float>();
    float sum = 0;
    for (int64_t i = 0; i < x.size(); ++i) sum += x(i);
    for (int64_t i = 0; i < x.size(); ++i) {
      y->flat<float>()(i) = x(i) + 0.0f * sum;
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenNanSpreads").Device(DEVICE_CPU),
                        BrokenNanSpreadsOp);

REGISTER_OP("BrokenRepeat")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Another result in each call.");

class BrokenRepeatOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    static float calls = 0;
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y));
    y->flat<float>().setConstant(++calls);
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenRepeat").Device(DEVICE_CPU),
                        BrokenRepeatOp);

REGISTER_OP("BrokenWhenLarge")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("x; a C++ exception comes out of it where x is large.");

class BrokenWhenLargeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    if (ctx->input(0).NumElements() > 50'000) {
      throw std::runtime_error("too large for me");
    }
    ctx->set_output(0, ctx->input(0));
  }
};
REGISTER_KERNEL_BUILDER(Name("BrokenWhenLarge").Device(DEVICE_CPU),
                        BrokenWhenLargeOp);

}  // namespace
}  // namespace tensorwright
