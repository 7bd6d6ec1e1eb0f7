// SPDX-License-Identifier: Apache-2.0
// TensorSummary and TensorSummaryV2.

#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"

namespace tensorwright {
namespace {

void SetSummary(OpKernelContext* ctx, const Tensor& tensor, Summary* summary) {
  TensorProto* proto = summary->mutable_value(0)->mutable_tensor();
  if (tensor.dtype() == DT_STRING) {
    tensor.AsProtoField(proto);
  } else {
    tensor.AsProtoTensorContent(proto);
  }
  Tensor* out = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
  OP_REQUIRES(
      ctx, summary->SerializeToString(out->base<std::string>()),
      errors::InvalidArgument("The summary is larger than a proto may be: ",
                              summary->ByteSizeLong(), " bytes"));
}

class SummaryTensorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Summary summary;
    summary.add_value()->set_node_name(name());
    SetSummary(ctx, ctx->input(0), &summary);
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorSummary").Device(DEVICE_CPU),
                        SummaryTensorOp);

class SummaryTensorOpV2 final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    const Tensor& metadata = ctx->input(2);
    OP_REQUIRES(ctx, tag.dims() == 0,
                errors::InvalidArgument("tag must be a scalar, got shape ",
                                        tag.shape().DebugString()));
    OP_REQUIRES(ctx, metadata.dims() == 0,
                errors::InvalidArgument(
                    "serialized_summary_metadata must be a scalar, got shape ",
                    metadata.shape().DebugString()));
    Summary summary;
    Summary::Value* v = summary.add_value();
    v->set_tag(*tag.base<std::string>());
    OP_REQUIRES(
        ctx,
        v->mutable_metadata()->ParseFromString(*metadata.base<std::string>()),
        errors::InvalidArgument("serialized_summary_metadata must be a "
                                "serialized SummaryMetadata, and could not be "
                                "parsed"));
    SetSummary(ctx, ctx->input(1), &summary);
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorSummaryV2").Device(DEVICE_CPU),
                        SummaryTensorOpV2);

}  // namespace
}  // namespace tensorwright
