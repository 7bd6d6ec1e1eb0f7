// SPDX-License-Identifier: Apache-2.0
// An asynchronous kernel: counts elements above a limit in a thread of the
// pool.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace tf = tensorflow;

REGISTER_OP("BuiltCountInPool")
    .Input("x: float")
    .Attr("limit: float")
    .Output("count: int32")
    .SetShapeFn(tf::shape_inference::ScalarShape);

class CountInPoolOp : public tf::AsyncOpKernel {
 public:
  explicit CountInPoolOp(tf::OpKernelConstruction* context)
      : AsyncOpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("limit", &limit_));
  }

  void ComputeAsync(tf::OpKernelContext* context, DoneCallback done) override {
    tf::Tensor* count = nullptr;
    OP_REQUIRES_OK_ASYNC(
        context, context->allocate_output(0, tf::TensorShape(), &count), done);
    tf::thread::ThreadPool* pool =
        context->device()->tensorflow_cpu_worker_threads()->workers;
    pool->Schedule([this, context, count, done]() {
      const auto x = context->input(0).flat<float>();
      tf::int32 above = 0;
      for (tf::int64 i = 0; i < x.size(); ++i) above += x(i) > limit_;
      count->scalar<tf::int32>()() = above;
      done();
    });
  }

 private:
  float limit_;
};

REGISTER_KERNEL_BUILDER(Name("BuiltCountInPool").Device(tf::DEVICE_CPU),
                        CountInPoolOp);
