// SPDX-License-Identifier: Apache-2.0
// Mistakes of an op's author that calls alone do not explain, for
// author_test.py: a library as a user would load.
#undef NDEBUG
#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor_types.h"

namespace tensorwright {
namespace {

#define AUTHOR_OP(name, T, doc)                    \
  REGISTER_OP(name)                                \
      .Input("x: " T)                              \
      .Output("y: " T)                             \
      .SetShapeFn(shape_inference::UnchangedShape) \
      .Doc(doc)

template <typename T>
Tensor* Twice(OpKernelContext* ctx) {
  Tensor* y = nullptr;
  const Tensor& x = ctx->input(0);
  TF_CHECK_OK(ctx->allocate_output(0, x.shape(), &y));
  y->flat<T>() = x.flat<T>() + x.flat<T>();
  return y;
}

AUTHOR_OP("TwiceShapeless", "double",
          "2 x; its gradient fails where the shape of x is known.");
AUTHOR_OP("TwiceShaped", "double",
          "2 x; its gradient fails where the shape of x is unknown.");

class TwiceOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override { Twice<double>(ctx); }
};
REGISTER_KERNEL_BUILDER(Name("TwiceShapeless").Device(DEVICE_CPU), TwiceOp);
REGISTER_KERNEL_BUILDER(Name("TwiceShaped").Device(DEVICE_CPU), TwiceOp);

AUTHOR_OP("SpanOutside", "float", "2 x; writes an element behind y's.");

class SpanOutsideOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const auto y = Flat<float>(Twice<float>(ctx));
    y[y.size()] = 1;
  }
};
REGISTER_KERNEL_BUILDER(Name("SpanOutside").Device(DEVICE_CPU), SpanOutsideOp);

AUTHOR_OP("EigenOutside", "float", "2 x; assigns an element more than y has.");

class EigenOutsideOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    auto y = Twice<float>(ctx)->flat<float>();
    const Tensor more(DT_FLOAT, TensorShape({y.size() + 1}));
    y = more.flat<float>();
  }
};
REGISTER_KERNEL_BUILDER(Name("EigenOutside").Device(DEVICE_CPU),
                        EigenOutsideOp);

AUTHOR_OP("RefusesMost", "float", "x, which has 17 elements.");

class RefusesMostOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(
        ctx, ctx->input(0).NumElements() == 17,
        errors::InvalidArgument("RefusesMost: x must have 17 elements"));
    ctx->set_output(0, ctx->input(0));
  }
};
REGISTER_KERNEL_BUILDER(Name("RefusesMost").Device(DEVICE_CPU), RefusesMostOp);

}  // namespace
}  // namespace tensorwright
