// SPDX-License-Identifier: Apache-2.0
// REGISTER_OP_GRADIENT: gradients as bodies of functions, in both forms of
// FunctionDefHelper.
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {

typedef FunctionDefHelper FDH;

REGISTER_OP("CorpusCubePlus")
    .Input("x: T")
    .Input("shift: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .Attr("weight: float = 1.0")
    .SetShapeFn(shape_inference::UnchangedShape);

// For scalars that belong together: w * sum(x[i] * y).
REGISTER_OP("CorpusScaleAll")
    .Input("xs: N * float")
    .Input("y: float")
    .Input("turn: int32")
    .Output("scaled: N * float")
    .Attr("N: int >= 1")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->input(i));
      return Status::OK();
    });

REGISTER_OP("CorpusFlat")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape);

REGISTER_OP("CorpusWrongGradient")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape);

// y = weight * x^3 + shift, of equal shapes.
template <typename T>
class CorpusCubePlusOp : public OpKernel {
 public:
  explicit CorpusCubePlusOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("weight", &weight_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    OP_REQUIRES(context, x.shape() == context->input(1).shape(),
                errors::InvalidArgument("shapes differ"));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const T weight = static_cast<T>(weight_);
    y->flat<T>() = x.flat<T>().cube() * weight + context->input(1).flat<T>();
  }

 private:
  float weight_;
};

class CorpusScaleAllOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const int n = num_outputs();
    const float y = context->input(n).scalar<float>()();
    for (int i = 0; i < n; ++i) {
      Tensor* out = nullptr;
      const Tensor& x = context->input(i);
      OP_REQUIRES_OK(context, context->allocate_output(i, x.shape(), &out));
      out->flat<float>() = x.flat<float>() * y;
    }
  }
};

class CorpusSameOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    context->set_output(0, context->input(0));
  }
};

REGISTER_KERNEL_BUILDER(
    Name("CorpusCubePlus").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    CorpusCubePlusOp<float>);
REGISTER_KERNEL_BUILDER(
    Name("CorpusCubePlus").Device(DEVICE_CPU).TypeConstraint<double>("T"),
    CorpusCubePlusOp<double>);
REGISTER_KERNEL_BUILDER(Name("CorpusScaleAll").Device(DEVICE_CPU),
                        CorpusScaleAllOp);
REGISTER_KERNEL_BUILDER(Name("CorpusFlat").Device(DEVICE_CPU), CorpusSameOp);
REGISTER_KERNEL_BUILDER(Name("CorpusWrongGradient").Device(DEVICE_CPU),
                        CorpusSameOp);

Status CubePlusGrad(const AttrSlice& attrs, FunctionDef* g) {
  float weight;
  TF_RETURN_IF_ERROR(GetNodeAttr(attrs, "weight", &weight));
  // clang-format off
  *g = FDH::Define(
      {"x: T", "shift: T", "dy: T"},
      {"dx: T", "dshift: T"},
      {"T: {float, double}"},
      {
        FDH::Const("three", 3.0f * weight),
        {{"slope"}, "Cast", {"three"}, {{"SrcT", DT_FLOAT}, {"DstT", "$T"}}},
        {{"square"}, "Square", {"x"}, {{"T", "$T"}}, {"dy"}},
        {{"of_x"}, "Mul", {"square", "slope"}, {{"T", "$T"}}},
        {{"dx"}, "Mul", {"of_x", "dy"}, {{"T", "$T"}}},
        {{"dshift"}, "Identity", {"dy"}, {{"T", "$T"}}, {"dx"}},
      });
  // clang-format on
  return Status::OK();
}
REGISTER_OP_GRADIENT("CorpusCubePlus", CubePlusGrad);

Status ScaleAllGrad(const AttrSlice& attrs, FunctionDef* g) {
  int n;
  TF_RETURN_IF_ERROR(GetNodeAttr(attrs, "N", &n));
  std::vector<FDH::Node> nodes;
  std::vector<string> parts;
  for (int i = 0; i < n; ++i) {
    const string at = strings::StrCat(i);
    nodes.push_back(
        {{"dx" + at}, "Mul", {"dscaled:" + at, "y"}, {{"T", DT_FLOAT}}});
    nodes.push_back({{"product" + at},
                     "Mul",
                     {"dscaled:" + at, "xs:" + at},
                     {{"T", DT_FLOAT}}});
    nodes.push_back(
        {{"axes" + at},
         "Range",
         {"zero:output:0", "rank" + at + ":output:0", "one:output:0"},
         {{"Tidx", DT_INT32}}});
    nodes.push_back({{"rank" + at}, "Rank", {"xs:" + at}, {{"T", DT_FLOAT}}});
    nodes.push_back({{"part" + at},
                     "Sum",
                     {"product" + at + ":z:0", "axes" + at + ":output:0"},
                     {{"T", DT_FLOAT}, {"Tidx", DT_INT32}}});
    parts.push_back("part" + at + ":output:0");
  }
  nodes.push_back(FDH::Const("zero", 0));
  nodes.push_back(FDH::Const<int32>("one", 1));
  nodes.push_back({{"dy"}, "AddN", parts, {{"N", n}, {"T", DT_FLOAT}}});
  std::vector<string> dxs;
  for (int i = 0; i < n; ++i) dxs.push_back(strings::StrCat("dx", i, ":z:0"));
  nodes.push_back(
      {{"all"}, "IdentityN", dxs, {{"T", std::vector<DataType>(n, DT_FLOAT)}}});
  nodes.push_back({{"no"}, "ZerosLike", {"turn"}, {{"T", DT_INT32}}});
  *g = FDH::Create(
      "ScaleAllGrad",
      {"xs: N * float", "y: float", "turn: int32", "dscaled: N * float"},
      {"dxs: N * float", "dy: float", "dturn: int32"}, {"N: int >= 1"}, nodes,
      {{"dxs", "all:output"}, {"dy", "dy:sum:0"}, {"dturn", "no:y:0"}});
  return Status::OK();
}
REGISTER_OP_GRADIENT("CorpusScaleAll", ScaleAllGrad);

REGISTER_OP_NO_GRADIENT("CorpusFlat");

Status WrongGradient(const AttrSlice&, FunctionDef* g) {
  *g = FDH::Define({"x: float"}, {"dx: float"}, {},
                   {{{"dx"}, "Neg", {"x"}, {{"T", DT_FLOAT}}}});
  return Status::OK();
}
REGISTER_OP_GRADIENT("CorpusWrongGradient", WrongGradient);

}  // namespace tensorflow
