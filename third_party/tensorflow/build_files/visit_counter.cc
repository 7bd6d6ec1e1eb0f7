// SPDX-License-Identifier: Apache-2.0
// Counts its runs, in a resource that runs share.
#include <string>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/platform/mutex.h"

using namespace tensorflow;

REGISTER_OP("BuiltVisitCounter")
    .Attr("step: int = 1")
    .Output("visits: int64")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

namespace {

class Counter : public ResourceBase {
 public:
  int64 Add(int64 step) {
    mutex_lock lock(mu_);
    return visits_ += step;
  }
  string DebugString() const override { return "visits"; }

 private:
  mutex mu_;
  int64 visits_ GUARDED_BY(mu_) = 0;
};

class VisitCounterOp : public OpKernel {
 public:
  explicit VisitCounterOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("step", &step_));
  }

  void Compute(OpKernelContext* context) override {
    ResourceMgr* manager = context->resource_manager();
    Counter* counter = nullptr;
    OP_REQUIRES_OK(context, manager->LookupOrCreate<Counter>(
                                manager->default_container(),
                                strings::StrCat("visits_", name()), &counter,
                                [](Counter** made) {
                                  *made = new Counter;
                                  return Status::OK();
                                }));
    core::ScopedUnref unref(counter);
    Tensor* visits = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, TensorShape({}), &visits));
    visits->scalar<int64>()() = counter->Add(step_);
  }

 private:
  int64 step_;
};

REGISTER_KERNEL_BUILDER(Name("BuiltVisitCounter").Device(DEVICE_CPU),
                        VisitCounterOp);

}  // namespace
