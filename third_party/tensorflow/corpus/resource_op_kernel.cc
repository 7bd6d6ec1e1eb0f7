// SPDX-License-Identifier: Apache-2.0
// ResourceOpKernel, LookupResource, HandleFromInput, MakeResourceHandle.
#include "tensorflow/core/framework/resource_op_kernel.h"

#include <deque>
#include <memory>
#include <string>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/thread_annotations.h"

namespace tensorflow {
namespace corpus {

REGISTER_OP("CorpusRing")
    .Output("ring: resource")
    .Attr("capacity: int")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

REGISTER_OP("CorpusRingPush")
    .Input("ring: resource")
    .Input("value: float")
    .SetShapeFn(shape_inference::NoOutputs);

REGISTER_OP("CorpusRingMean")
    .Input("ring: resource")
    .Output("mean: float")
    .SetShapeFn(shape_inference::ScalarShape);

REGISTER_OP("CorpusRingDestroy").Input("ring: resource");

REGISTER_OP("CorpusRingInline")
    .Output("ring: resource")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

class Ring : public ResourceBase {
 public:
  explicit Ring(int64_t capacity) : capacity_(capacity) {}
  std::string DebugString() const override { return "ring"; }
  int64_t MemoryUsed() const override {
    tf_shared_lock l(mu_);
    return values_.size() * sizeof(float);
  }

  void Push(float v) TF_LOCKS_EXCLUDED(mu_) {
    mutex_lock l(mu_);
    values_.push_back(v);
    if (static_cast<int64_t>(values_.size()) > capacity_) values_.pop_front();
  }
  Status Mean(float* mean) {
    tf_shared_lock l(mu_);
    if (values_.empty()) return errors::FailedPrecondition("the ring is empty");
    *mean = 0;
    for (float v : values_) *mean += v / values_.size();
    return OkStatus();
  }
  int64_t capacity() const { return capacity_; }

 private:
  mutable mutex mu_;
  const int64_t capacity_;
  std::deque<float> values_ TF_GUARDED_BY(mu_);
};

class RingOp : public ResourceOpKernel<Ring> {
 public:
  explicit RingOp(OpKernelConstruction* ctx) : ResourceOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("capacity", &capacity_));
    OP_REQUIRES(
        ctx, capacity_ > 0,
        errors::InvalidArgument("capacity must be positive, got ", capacity_));
  }

 private:
  Status CreateResource(Ring** ret) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    *ret = new Ring(capacity_);
    return OkStatus();
  }
  Status VerifyResource(Ring* ring) override {
    if (ring->capacity() != capacity_) {
      return errors::InvalidArgument("a ring of that name has capacity ",
                                     ring->capacity());
    }
    return OkStatus();
  }

  int64_t capacity_;
};

class RingPushOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<Ring> ring;
    OP_REQUIRES_OK(ctx, LookupResource(ctx, HandleFromInput(ctx, 0), &ring));
    ring->Push(ctx->input(1).scalar<float>()());
  }
};

class RingMeanOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Ring* ring;
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, "ring", &handle));
    OP_REQUIRES_OK(ctx, LookupResource(ctx, handle, &ring));
    core::ScopedUnref unref(ring);
    float mean;
    OP_REQUIRES_OK(ctx, ring->Mean(&mean));
    Tensor* out;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &out));
    out->scalar<float>()() = mean;
  }
};

class RingDestroyOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, DeleteResource<Ring>(ctx, HandleFromInput(ctx, 0)));
  }
};

// Its handle made by the kernel itself.
class RingInlineOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    AllocatorAttributes attr;
    attr.set_on_host(true);
    Tensor handle;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_temp(DT_RESOURCE, TensorShape({}), &handle, attr));
    ResourceMgr* mgr = ctx->resource_manager();
    handle.scalar<ResourceHandle>()() =
        MakeResourceHandle<Ring>(ctx, mgr->default_container(), name());
    Ring* ring = nullptr;
    OP_REQUIRES_OK(ctx, LookupOrCreateResource<Ring>(
                            ctx, handle.scalar<ResourceHandle>()(), &ring,
                            [](Ring** r) -> Status {
                              *r = new Ring(2);
                              return OkStatus();
                            }));
    core::ScopedUnref unref(ring);
    ctx->set_output(0, handle);
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusRing").Device(DEVICE_CPU), RingOp);
REGISTER_KERNEL_BUILDER(Name("CorpusRingPush").Device(DEVICE_CPU), RingPushOp);
REGISTER_KERNEL_BUILDER(Name("CorpusRingMean").Device(DEVICE_CPU), RingMeanOp);
REGISTER_KERNEL_BUILDER(Name("CorpusRingDestroy").Device(DEVICE_CPU),
                        RingDestroyOp);
REGISTER_KERNEL_BUILDER(Name("CorpusRingInline").Device(DEVICE_CPU),
                        RingInlineOp);

}  // namespace corpus
}  // namespace tensorflow
