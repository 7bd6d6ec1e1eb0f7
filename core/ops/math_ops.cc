// SPDX-License-Identifier: Apache-2.0
// Matrix products, AddN, Cast and number sequences.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/util/range_size.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The dimensions that the products sum over must be equal.
Status CheckInner(InferenceContext* c, ShapeHandle x, bool adj_x, ShapeHandle y,
                  bool adj_y) {
  DimensionHandle k;
  const Status s =
      c->Merge(c->Dim(x, adj_x ? -2 : -1), c->Dim(y, adj_y ? -1 : -2), &k);
  if (s.ok()) return s;
  return errors::InvalidArgument(
      "Matrix size-incompatible: In[0]: ", c->DebugString(x),
      ", In[1]: ", c->DebugString(y), ": ", s.message());
}

// x: [batch..., m, k], y: [batch..., k, n], before adj_x and adj_y apply.
Status BatchMatMulShape(InferenceContext* c) {
  ShapeHandle x, y;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &x));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &y));
  bool adj_x = false, adj_y = false;
  TF_RETURN_IF_ERROR(c->GetAttr("adj_x", &adj_x));
  TF_RETURN_IF_ERROR(c->GetAttr("adj_y", &adj_y));
  const DimensionHandle m = c->Dim(x, adj_x ? -1 : -2);
  const DimensionHandle n = c->Dim(y, adj_y ? -2 : -1);
  TF_RETURN_IF_ERROR(CheckInner(c, x, adj_x, y, adj_y));
  ShapeHandle batch_x, batch_y, batch, output;
  TF_RETURN_IF_ERROR(c->Subshape(x, 0, -2, &batch_x));
  TF_RETURN_IF_ERROR(c->Subshape(y, 0, -2, &batch_y));
  TF_RETURN_IF_ERROR(c->Merge(batch_x, batch_y, &batch));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(m, n), &output));
  c->set_output(0, output);
  return OkStatus();
}

// The same, with batches that broadcast.
Status BatchMatMulV2Shape(InferenceContext* c) {
  ShapeHandle x, y;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &x));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &y));
  bool adj_x = false, adj_y = false;
  TF_RETURN_IF_ERROR(c->GetAttr("adj_x", &adj_x));
  TF_RETURN_IF_ERROR(c->GetAttr("adj_y", &adj_y));
  const DimensionHandle m = c->Dim(x, adj_x ? -1 : -2);
  const DimensionHandle n = c->Dim(y, adj_y ? -2 : -1);
  TF_RETURN_IF_ERROR(CheckInner(c, x, adj_x, y, adj_y));
  ShapeHandle batch_x, batch_y, batch, output;
  TF_RETURN_IF_ERROR(c->Subshape(x, 0, -2, &batch_x));
  TF_RETURN_IF_ERROR(c->Subshape(y, 0, -2, &batch_y));
  TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
      c, batch_x, batch_y, &batch));
  TF_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(m, n), &output));
  c->set_output(0, output);
  return OkStatus();
}

// a, b: [..., 3], of one shape.
Status CrossShape(InferenceContext* c) {
  ShapeHandle a, b, shape;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &a));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &b));
  TF_RETURN_IF_ERROR(c->Merge(a, b, &shape));
  if (c->RankKnown(shape)) {
    DimensionHandle three;
    TF_RETURN_IF_ERROR(c->WithValue(c->Dim(shape, -1), 3, &three));
    TF_RETURN_IF_ERROR(c->ReplaceDim(shape, -1, three, &shape));
  }
  c->set_output(0, shape);
  return OkStatus();
}

Status AddNShape(InferenceContext* c) {
  ShapeHandle sum = c->input(c->num_inputs() - 1);
  for (int i = c->num_inputs() - 2; i >= 0; --i) {
    TF_RETURN_IF_ERROR(c->Merge(c->input(i), sum, &sum));
  }
  c->set_output(0, sum);
  return OkStatus();
}

template <typename T>
Status SetRangeOutput(InferenceContext* c) {
  const StatusOr<int64_t> size = RangeSize<T>(Flat<T>(*c->input_tensor(0))[0],
                                              Flat<T>(*c->input_tensor(1))[0],
                                              Flat<T>(*c->input_tensor(2))[0]);
  TF_RETURN_IF_ERROR(size.status());
  c->set_output(0, c->Vector(*size));
  return OkStatus();
}

// start, limit, delta: scalars; the size is known when all three are.
Status RangeShape(InferenceContext* c) {
  ShapeHandle unused;
  bool known = true;
  for (int i = 0; i < 3; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    known = c->input_tensor(i) != nullptr && known;
  }
  if (!known) {
    c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
    return OkStatus();
  }
  switch (c->input_tensor(0)->dtype()) {
    case DT_INT8:
      return SetRangeOutput<int8>(c);
    case DT_INT16:
      return SetRangeOutput<int16>(c);
    case DT_INT32:
      return SetRangeOutput<int32>(c);
    case DT_INT64:
      return SetRangeOutput<int64_t>(c);
    case DT_UINT16:
      return SetRangeOutput<uint16>(c);
    case DT_UINT32:
      return SetRangeOutput<uint32>(c);
    case DT_UINT64:
      return SetRangeOutput<uint64>(c);
    case DT_FLOAT:
      return SetRangeOutput<float>(c);
    case DT_DOUBLE:
      return SetRangeOutput<double>(c);
    case DT_HALF:
      return SetRangeOutput<Eigen::half>(c);
    case DT_BFLOAT16:
      return SetRangeOutput<Eigen::bfloat16>(c);
    default:
      return errors::InvalidArgument(
          "Range: Tidx must be a number type, got ",
          DataTypeString(c->input_tensor(0)->dtype()));
  }
}

// start, stop, num: scalars.
Status LinSpaceShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < 3; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  const Tensor* num_tensor = c->input_tensor(2);
  if (num_tensor == nullptr) {
    c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
    return OkStatus();
  }
  const int64_t num = num_tensor->dtype() == DT_INT32
                          ? Flat<int32>(*num_tensor)[0]
                          : Flat<int64_t>(*num_tensor)[0];
  if (num <= 0) {
    return errors::InvalidArgument("LinSpace: Requires num > 0, got ", num);
  }
  c->set_output(0, c->Vector(num));
  return OkStatus();
}

}  // namespace

REGISTER_OP("MatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, "
        "uint32, uint64, complex64, complex128}")
    .Attr("grad_a: bool = false")
    .Attr("grad_b: bool = false")
    .SetShapeFn(shape_inference::MatMulShape)
    .Doc(
        "Matrix product [m, k] x [k, n] -> [m, n]; transpose_a, "
        "transpose_b: that argument comes transposed.");

REGISTER_OP("BatchMatMul")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("grad_x: bool = false")
    .Attr("grad_y: bool = false")
    .SetShapeFn(BatchMatMulShape)
    .Doc(
        "Matrix product of each pair of matrices: [..., m, k] x [..., k, n] "
        "-> [..., m, n]; adj_x, adj_y: that argument comes "
        "conjugate-transposed.");

REGISTER_OP("BatchMatMulV2")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr(
        "T: {bfloat16, half, float, double, int16, int32, int64, uint8, "
        "uint16, uint32, uint64, complex64, complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("grad_x: bool = false")
    .Attr("grad_y: bool = false")
    .SetShapeFn(BatchMatMulV2Shape)
    .Doc(
        "BatchMatMul of batches that broadcast: [..., m, k] x [..., k, n] -> "
        "[..., m, n].");

REGISTER_OP("BatchMatMulV3")
    .Input("x: Ta")
    .Input("y: Tb")
    .Output("output: Tout")
    .Attr(
        "Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, "
        "complex64, complex128}")
    .Attr(
        "Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, "
        "complex64, complex128}")
    .Attr(
        "Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, "
        "complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("grad_x: bool = false")
    .Attr("grad_y: bool = false")
    .SetShapeFn(BatchMatMulV2Shape)
    .Doc(
        "BatchMatMulV2 whose operands may be of other types than the result: "
        "[..., m, k] x [..., k, n] -> [..., m, n].");

REGISTER_OP("SparseMatMul")
    .Input("a: Ta")
    .Input("b: Tb")
    .Output("product: float")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("a_is_sparse: bool = false")
    .Attr("b_is_sparse: bool = false")
    .Attr("Ta: {float, bfloat16} = DT_FLOAT")
    .Attr("Tb: {float, bfloat16} = DT_FLOAT")
    .SetShapeFn(shape_inference::MatMulShape)
    .Doc(
        "Matrix product [m, k] x [k, n] -> [m, n] in float, quicker where an "
        "argument said to be sparse holds mostly zeros.");

REGISTER_OP("Cross")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(CrossShape)
    .Doc("Cross product of vectors of 3: [..., 3] x [..., 3] -> [..., 3].");

REGISTER_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64, variant}")
    .SetIsCommutative()
    .SetIsAggregate()
    .SetShapeFn(AddNShape)
    .Doc("Sum of N tensors of one shape.");

REGISTER_OP("AccumulateNV2")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}")
    .Attr("shape: shape")
    .SetIsCommutative()
    .SetIsAggregate()
    .SetShapeFn(shape_inference::ExplicitShape)
    .Doc("Sum of N tensors of the given shape.");

REGISTER_OP("Cast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Attr("Truncate: bool = false")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "x converted to type DstT; real numbers to integers are truncated "
        "toward zero.");

REGISTER_OP("Range")
    .Input("start: Tidx")
    .Input("limit: Tidx")
    .Input("delta: Tidx")
    .Output("output: Tidx")
    .Attr(
        "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "uint16, uint32, uint64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(RangeShape)
    .Doc(
        "Numbers start, start + delta, ... before limit: three scalars -> "
        "[n].");

REGISTER_OP("LinSpace")
    .Input("start: T")
    .Input("stop: T")
    .Input("num: Tidx")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(LinSpaceShape)
    .Doc("num evenly spaced numbers from start to stop, both included: [num].");

}  // namespace tensorwright
