// SPDX-License-Identifier: Apache-2.0
// OpName: what it computes, in a sentence.
//
// These headers are the small ones.  Sources written for TensorFlow include
// "tensorflow/core/framework/op.h" and so on and work as they are; so does
// x.flat<T>() and Eigen, after "core/framework/tensor_types.h".
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/shape_inference.h"

using namespace tensorwright;

REGISTER_OP("OpName")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .Attr("scale: float = 1.0")
    // Its kernels reach nothing outside the graph; without this line a policy
    // takes them for ones that may do everything.  TensorFlow has no such call.
    .Touches("nothing")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return OkStatus();
    })
    .Doc(R"doc(
Multiplies x by scale.

x: Of any shape.
scale: The factor.
y: As x.
)doc");

template <typename T>
class OpNameOp : public OpKernel {
 public:
  explicit OpNameOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("scale", &scale_));
  }

  // The shape function has seen the inputs' shapes before this is called.
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const auto in = Flat<T>(x);
    const auto out = Flat<T>(y);
    const T scale = static_cast<T>(scale_);
    for (size_t i = 0; i < in.size(); ++i) out[i] = scale * in[i];
  }

 private:
  float scale_;
};

#define REGISTER_KERNEL(T) \
  REGISTER_KERNEL_BUILDER( \
      Name("OpName").Device(DEVICE_CPU).TypeConstraint<T>("T"), OpNameOp<T>)
REGISTER_KERNEL(float);
REGISTER_KERNEL(double);
#undef REGISTER_KERNEL
