// SPDX-License-Identifier: Apache-2.0
// Kernels that take their tensors for something else, on their own thread and
// on others, or break what their shape function promised.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/util/work_sharder.h"

using namespace tensorflow;  // NOLINT

REGISTER_OP("CorpusWrongView")
    .Input("x: float")
    .Attr("what: string")
    .Output("y: float")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->Scalar());
      return Status::OK();
    });

class CorpusWrongViewOp : public OpKernel {
 public:
  explicit CorpusWrongViewOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("what", &what_));
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    TensorShape shape;
    if (what_ == "promise") shape.AddDim(2);
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    y->flat<float>().setZero();
    if (what_ == "rank") y->scalar<float>()() = x.matrix<float>()(0, 0);
    if (what_ == "type") y->scalar<float>()() = x.flat<int32>()(0);
    if (what_ == "dimension") y->scalar<float>()() = x.dim_size(9);
    if (what_ == "scalar") y->scalar<float>()() = x.scalar<float>()();
    if (what_ == "input") y->scalar<float>()() = ctx->input(3).dims();
    if (what_ == "shards") {
      auto* workers = ctx->device()->tensorflow_cpu_worker_threads();
      Shard(workers->num_threads, workers->workers, 1000, 100000,
            [&x](int64 begin, int64 end) {
              for (int64 i = begin; i < end; ++i) x.matrix<float>();
            });
    }
    OP_REQUIRES(ctx, what_ != "requirement",
                errors::FailedPrecondition("what must not be ", what_));
  }

 private:
  string what_;
};
REGISTER_KERNEL_BUILDER(Name("CorpusWrongView").Device(DEVICE_CPU),
                        CorpusWrongViewOp);
