// SPDX-License-Identifier: Apache-2.0
// A library in several versions, for reload_ops_test.py: VERSION says which. In
// 3 an op has another input, in 4 one is gone.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using tensorflow::OpKernel;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::TensorShape;

REGISTER_OP("ReloadTimes")
#if VERSION == 3
    .Input("x: double")
#else
    .Input("x: float")
#endif
    .Output("y: float")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return tensorflow::Status::OK();
    })
    .Doc("x times the version.");

class ReloadTimesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
#if VERSION != 3
    y->flat<float>() = x.flat<float>() * static_cast<float>(VERSION);
#endif
  }
};
REGISTER_KERNEL_BUILDER(Name("ReloadTimes").Device(tensorflow::DEVICE_CPU),
                        ReloadTimesOp);

class ReloadTally : public tensorflow::ResourceBase {
 public:
  std::string DebugString() const override { return "a tally"; }
  int Next() { return ++count_; }

 private:
  int count_ = 0;
};

REGISTER_OP("ReloadTally")
    .Output("handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->Scalar());
      return tensorflow::Status::OK();
    });

class ReloadTallyOp : public tensorflow::ResourceOpKernel<ReloadTally> {
 public:
  using ResourceOpKernel::ResourceOpKernel;

 private:
  tensorflow::Status CreateResource(ReloadTally** tally) override {
    *tally = new ReloadTally;
    return tensorflow::Status::OK();
  }
};
REGISTER_KERNEL_BUILDER(Name("ReloadTally").Device(tensorflow::DEVICE_CPU),
                        ReloadTallyOp);

#if VERSION != 4
REGISTER_OP("ReloadTallyNext")
    .Input("handle: resource")
    .Output("count: int32")
    .SetIsStateful()
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->Scalar());
      return tensorflow::Status::OK();
    })
    .Doc("100 times the version, plus the number of calls.");

class ReloadTallyNextOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    tensorflow::core::RefCountPtr<ReloadTally> tally;
    OP_REQUIRES_OK(ctx, tensorflow::LookupResource(
                            ctx, tensorflow::HandleFromInput(ctx, 0), &tally));
    Tensor* count = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &count));
    count->scalar<tensorflow::int32>()() = 100 * VERSION + tally->Next();
  }
};
REGISTER_KERNEL_BUILDER(Name("ReloadTallyNext").Device(tensorflow::DEVICE_CPU),
                        ReloadTallyNextOp);
#endif
