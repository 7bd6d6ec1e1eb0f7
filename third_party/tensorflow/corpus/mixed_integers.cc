// SPDX-License-Identifier: Apache-2.0
// Integers as 1.x's sources mix them, includes that are copied along, a
// resource variable, memory by DMAHelper.
#include <algorithm>
#include <map>

#include "tensorflow/core/common_runtime/dma_helper.h"
#include "tensorflow/core/framework/numeric_op.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/framework/tensor_slice.h"
#include "tensorflow/core/lib/core/notification.h"
#include "tensorflow/core/platform/default/integral_types.h"

using namespace tensorflow;

REGISTER_OP("CorpusClampAdd")
    .Input("variable: resource")
    .Input("delta: float")
    .Attr("limit: int = 10")
    .Attr("slice: string = '-'")
    .Output("value: float")
    .SetIsStateful()
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(1));
      return Status::OK();
    });

class ClampAddOp : public OpKernel {
 public:
  explicit ClampAddOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("limit", &limit_));
    string slice;
    OP_REQUIRES_OK(c, c->GetAttr("slice", &slice));
    OP_REQUIRES_OK(c, TensorSlice::Parse(slice, &slice_));
  }

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<Var> variable;
    OP_REQUIRES_OK(ctx,
                   LookupResource(ctx, HandleFromInput(ctx, 0), &variable));
    mutex_lock ml(*variable->mu());
    Tensor* var_tensor = variable->tensor();
    const Tensor& delta = ctx->input(1);
    OP_REQUIRES(ctx, var_tensor->shape().IsSameSize(delta.shape()),
                errors::InvalidArgument("Cannot update variable with shape ",
                                        var_tensor->shape().DebugString(),
                                        " using a Tensor with shape ",
                                        delta.shape().DebugString(),
                                        ", shapes must be equal."));
    int64 n = std::min(var_tensor->NumElements(), 1000000LL);
    n = std::max(0LL, n);
    n = std::min<int64>(n, limit_);
    std::map<int64, int32> seen;
    for (int64 i = 0; i < n; ++i) ++seen[i];
    TensorShape part;
    OP_REQUIRES_OK(ctx, slice_.SliceTensorShape(delta.shape(), &part));
    auto v = var_tensor->flat<float>();
    auto d = delta.flat<float>();
    for (int64 i = 0; i < n; ++i) v(i) += d(i) * seen[i];
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, delta.shape(), &out));
    memcpy(DMAHelper::base(out), DMAHelper::base(var_tensor),
           var_tensor->TotalBytes());
  }

 private:
  int64 limit_;
  TensorSlice slice_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusClampAdd").Device(DEVICE_CPU), ClampAddOp);
