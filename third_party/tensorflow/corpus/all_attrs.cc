// SPDX-License-Identifier: Apache-2.0
// GetAttr of every type, in a kernel and in a shape function.
#include <string>
#include <vector>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/partial_tensor_shape.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/framework/tensor_shape.pb.h"
#include "tensorflow/core/framework/types.pb.h"

using namespace tensorflow;  // NOLINT(build/namespaces)

REGISTER_OP("CorpusAllAttrs")
    .Input("x: T")
    .Output("summary: string")
    .Attr("T: {float, double, int32}")
    .Attr("s: string = 'text'")
    .Attr("i: int = 3")
    .Attr("f: float = 1.5")
    .Attr("b: bool = true")
    .Attr("ty: type = DT_INT64")
    .Attr("sh: shape = { dim { size: 2 } dim { size: -1 } }")
    .Attr("full: shape = { dim { size: 4 } }")
    .Attr("t: tensor = { dtype: DT_FLOAT tensor_shape {} float_val: 2.5 }")
    .Attr("ls: list(string) = ['a', 'b']")
    .Attr("li: list(int) >= 2 = [1, 2, 3]")
    .Attr("lf: list(float) = [0.5]")
    .Attr("lb: list(bool) = [true, false]")
    .Attr("lt: list(type) = [DT_FLOAT, DT_BOOL]")
    .Attr("lsh: list(shape) = []")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      int i;
      TF_RETURN_IF_ERROR(c->GetAttr("i", &i));
      std::vector<int32> li;
      TF_RETURN_IF_ERROR(c->GetAttr("li", &li));
      PartialTensorShape sh;
      TF_RETURN_IF_ERROR(c->GetAttr("sh", &sh));
      shape_inference::ShapeHandle as_handle;
      TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(sh, &as_handle));
      if (i < 0) return errors::InvalidArgument("i must be >= 0, got ", i);
      c->set_output(0, c->Scalar());
      return Status();
    })
    .Doc(R"doc(
Describes its attrs.

x: Not read.
summary: One line.
)doc");

class AllAttrsOp : public OpKernel {
 public:
  explicit AllAttrsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("s", &s_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("i", &i32_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("i", &i64_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("i", &i64_t_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("f", &f_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("b", &b_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ty", &ty_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("sh", &partial_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("full", &shape_));
    TensorShapeProto proto;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("full", &proto));
    OP_REQUIRES(ctx, proto.dim_size() == 1, errors::Internal("proto"));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("t", &tensor_));
    const TensorProto* tensor_proto;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("t", &tensor_proto));
    OP_REQUIRES(ctx, tensor_proto->dtype() == DT_FLOAT,
                errors::Internal("tensor proto"));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ls", &strings_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("li", &ints32_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("li", &ints64_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lf", &floats_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lb", &bools_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lt", &types_));
    DataTypeVector types;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lt", &types));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lsh", &shapes_));
    std::vector<PartialTensorShape> partials;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("lsh", &partials));
    // Absent attrs are an error, not a crash.
    OP_REQUIRES(ctx, !ctx->HasAttr("none") && ctx->HasAttr("T"),
                errors::Internal("HasAttr"));
    int unused;
    OP_REQUIRES(ctx, !ctx->GetAttr("none", &unused).ok(),
                errors::Internal("an attr that is not there"));
    OP_REQUIRES(ctx, ctx->def().attr().count("T") == 1,
                errors::Internal("def().attr()"));
    DataType by_node_def;
    OP_REQUIRES_OK(ctx, GetNodeAttr(ctx->def(), "T", &by_node_def));
    OP_REQUIRES(ctx, by_node_def == ctx->input_type(0),
                errors::Internal("input_type"));
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("summary", TensorShape(), &out));
    out->scalar<tstring>()() = strings::StrCat(
        s_, " ", i32_ + i64_ + i64_t_, " ", f_, " ", b_ ? "yes" : "no", " ",
        DataTypeString(ty_), " ", partial_.DebugString(), " ",
        shape_.dim_size(0), " ", tensor_.scalar<float>()(), " ",
        strings_.size(), ints32_.size(), ints64_[1], floats_.size(),
        bools_.size(), types_.size(), shapes_.size());
  }

 private:
  std::string s_;
  int i32_;
  int64 i64_;
  int64_t i64_t_;
  float f_;
  bool b_;
  DataType ty_;
  PartialTensorShape partial_;
  TensorShape shape_;
  Tensor tensor_;
  std::vector<string> strings_;
  std::vector<int32> ints32_;
  std::vector<int64> ints64_;
  std::vector<float> floats_;
  std::vector<bool> bools_;
  std::vector<DataType> types_;
  std::vector<TensorShape> shapes_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusAllAttrs").Device(DEVICE_CPU), AllAttrsOp);
