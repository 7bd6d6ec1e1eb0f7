// SPDX-License-Identifier: Apache-2.0
// Protos in kernels: parsing, printing, repeated fields, protos of the
// framework.
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/platform/protobuf.h"
#include "tensorflow/core/protobuf/config.pb.h"

namespace tensorflow {

REGISTER_OP("CorpusDescribeTensor")
    .Input("serialized: string")
    .Output("text: string")
    .Output("tensor: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnknownShape);

class DescribeTensorOp : public OpKernel {
 public:
  explicit DescribeTensorOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("T", &type_));
    VLOG(1) << SummarizeNodeDef(def()) << def().DebugString()
            << DataType_Name(type_);
  }

  void Compute(OpKernelContext* ctx) override {
    const tstring& bytes = ctx->input(0).scalar<tstring>()();
    TensorProto proto;
    OP_REQUIRES(ctx, ParseProtoUnlimited(&proto, bytes),
                errors::InvalidArgument("Could not parse serialized tensor."));
    OP_REQUIRES(ctx, proto.dtype() == type_,
                errors::InvalidArgument(
                    "Type mismatch: ", DataTypeString(proto.dtype()), " vs ",
                    DataTypeString(type_)));
    Tensor tensor;
    OP_REQUIRES_OK(ctx, ctx->device()->MakeTensorFromProto(
                            proto, AllocatorAttributes(), &tensor));
    string text;
    OP_REQUIRES(ctx, protobuf::TextFormat::PrintToString(proto, &text),
                errors::Internal("TextFormat"));
    const protobuf::RepeatedField<float>& floats = proto.float_val();
    strings::StrAppend(&text, floats.size(), " floats");
    GraphDef graph;
    NodeDef* node = graph.add_node();
    node->set_name("n");
    node->set_op("NoOp");
    (*node->mutable_attr())["k"].set_i(3);
    ConfigProto config;
    config.set_allow_soft_placement(true);
    string serialized;
    OP_REQUIRES(ctx,
                config.SerializeToString(&serialized) &&
                    graph.SerializeAsString().size() > 3,
                errors::Internal("Serialize"));
    Tensor* out;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    out->scalar<tstring>()() = text;
    ctx->set_output(1, tensor);
  }

 private:
  DataType type_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusDescribeTensor").Device(DEVICE_CPU),
                        DescribeTensorOp);

}  // namespace tensorflow
