// SPDX-License-Identifier: Apache-2.0
// Softmax, losses and the largest k.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status VectorsUnchangedShape(InferenceContext* c) {
  ShapeHandle logits;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &logits));
  c->set_output(0, logits);
  return OkStatus();
}

// features, labels: shapes that broadcast to [batch, classes].
Status SoftmaxXentShape(InferenceContext* c) {
  ShapeHandle features = c->input(0);
  const ShapeHandle labels = c->input(1);
  ShapeHandle both;
  if (!c->WithRank(features, 2, &features).ok() ||
      !c->Merge(features, labels, &both).ok()) {
    TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpShapeFn(c));
    if (!c->WithRank(c->output(0), 2, &both).ok()) {
      return errors::InvalidArgument(
          "SoftmaxCrossEntropyWithLogits: features and labels must broadcast "
          "to rank 2, got ",
          c->DebugString(c->input(0)), " and ", c->DebugString(labels));
    }
  }
  // A size that is 1 in one of them and unknown in the other may be broadcast.
  for (int i = 0; i < 2; ++i) {
    const bool known = c->ValueKnown(c->Dim(features, i)) &&
                       c->RankKnown(labels) && c->Rank(labels) == 2 &&
                       c->ValueKnown(c->Dim(labels, i));
    if (!known && c->Value(c->Dim(both, i)) == 1) {
      TF_RETURN_IF_ERROR(c->ReplaceDim(both, i, c->UnknownDim(), &both));
    }
  }
  c->set_output(0, c->Vector(c->Dim(both, 0)));
  c->set_output(1, both);
  return OkStatus();
}

// features: [batch, classes], labels: [batch].
Status SparseSoftmaxXentShape(InferenceContext* c) {
  ShapeHandle features, labels;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &features));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &labels));
  DimensionHandle batch;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(features, 0), c->Dim(labels, 0), &batch));
  TF_RETURN_IF_ERROR(c->ReplaceDim(features, 0, batch, &features));
  c->set_output(0, c->Vector(batch));
  c->set_output(1, features);
  return OkStatus();
}

// predictions: [batch, classes], targets: [batch].
Status InTopKShape(InferenceContext* c) {
  ShapeHandle predictions, targets;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &predictions));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &targets));
  DimensionHandle batch;
  TF_RETURN_IF_ERROR(
      c->Merge(c->Dim(predictions, 0), c->Dim(targets, 0), &batch));
  c->set_output(0, c->Vector(batch));
  return OkStatus();
}

// The same, and k: a scalar.
Status InTopKV2Shape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  return InTopKShape(c);
}

// input: [..., n], n: a scalar -> [...].
Status NthElementShape(InferenceContext* c) {
  ShapeHandle input, unused, rows;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &input));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const Tensor* const n = c->input_tensor(1);
  const DimensionHandle size = c->Dim(input, -1);
  if (n != nullptr) {
    const int64_t given = n->scalar_value<int32>();
    if (given < 0 || (c->ValueKnown(size) && given >= c->Value(size))) {
      return errors::InvalidArgument("n must be in [0, ", c->DebugString(size),
                                     "), the size of a row, got ", given);
    }
  }
  TF_RETURN_IF_ERROR(c->Subshape(input, 0, -1, &rows));
  c->set_output(0, rows);
  return OkStatus();
}

// [..., n] -> [..., k] twice.
Status SetTopKOutputs(InferenceContext* c, DimensionHandle k) {
  ShapeHandle input;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &input));
  const DimensionHandle n = c->Dim(input, -1);
  if (c->ValueKnown(n) && c->ValueKnown(k) && c->Value(n) < c->Value(k)) {
    return errors::InvalidArgument(
        "TopK: input must have last dimension >= k = ", c->Value(k), " but is ",
        c->Value(n));
  }
  ShapeHandle output;
  if (c->RankKnown(input)) {
    TF_RETURN_IF_ERROR(c->ReplaceDim(input, -1, k, &output));
  } else {
    output = c->UnknownShape();
  }
  c->set_output(0, output);
  c->set_output(1, output);
  return OkStatus();
}

Status TopKShape(InferenceContext* c) {
  int32 k = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("k", &k));
  return SetTopKOutputs(c, c->MakeDim(k));
}

Status TopKV2Shape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const Tensor* k_tensor = c->input_tensor(1);
  if (k_tensor == nullptr) return SetTopKOutputs(c, c->UnknownDim());
  int64_t k = 0;
  if (k_tensor->dtype() == DT_INT16) {
    k = Flat<int16>(*k_tensor)[0];
  } else if (k_tensor->dtype() == DT_INT32) {
    k = Flat<int32>(*k_tensor)[0];
  } else {
    k = Flat<int64_t>(*k_tensor)[0];
  }
  if (k < 0) {
    return errors::InvalidArgument("TopKV2: Need k >= 0, got ", k);
  }
  return SetTopKOutputs(c, c->MakeDim(k));
}

}  // namespace

REGISTER_OP("Softmax")
    .Input("logits: T")
    .Output("softmax: T")
    .Attr("T: {half, bfloat16, float, double}")
    .SetShapeFn(VectorsUnchangedShape)
    .Doc(
        "exp(logits) / sum(exp(logits)) over the last dimension of [..., "
        "classes].");

REGISTER_OP("LogSoftmax")
    .Input("logits: T")
    .Output("logsoftmax: T")
    .Attr("T: {half, bfloat16, float, double}")
    .SetShapeFn(VectorsUnchangedShape)
    .Doc(
        "logits - log(sum(exp(logits))) over the last dimension of [..., "
        "classes].");

REGISTER_OP("SoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: T")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr("T: {half, bfloat16, float, double}")
    .SetShapeFn(SoftmaxXentShape)
    .Doc(
        "Cross entropy of softmax(features) and labels, [batch, classes] "
        "each, with broadcasting: loss [batch] and its gradient, backprop "
        "[batch, classes].");

REGISTER_OP("SparseSoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: Tlabels")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("Tlabels: {int32, int64} = DT_INT64")
    .SetShapeFn(SparseSoftmaxXentShape)
    .Doc(
        "Cross entropy of softmax(features) [batch, classes] and class "
        "labels [batch]: loss [batch] and its gradient, backprop [batch, "
        "classes].");

REGISTER_OP("L2Loss")
    .Input("t: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("Half the sum of the squares of t, a scalar.");

REGISTER_OP("NthElement")
    .Input("input: T")
    .Input("n: int32")
    .Output("values: T")
    .Attr("reverse: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(NthElementShape)
    .Doc(
        "The n-th smallest of each row, counted from 0, or the n-th largest "
        "if reverse: [..., size], [] -> [...].");

REGISTER_OP("InTopK")
    .Input("predictions: float")
    .Input("targets: T")
    .Output("precision: bool")
    .Attr("k: int")
    .Attr("T: {int32, int64} = DT_INT32")
    .SetShapeFn(InTopKShape)
    .Doc(
        "Whether predictions[i, targets[i]] is among the k largest of row "
        "i: [batch, classes], [batch] -> [batch].");

REGISTER_OP("InTopKV2")
    .Input("predictions: float")
    .Input("targets: T")
    .Input("k: T")
    .Output("precision: bool")
    .Attr("T: {int32, int64} = DT_INT32")
    .SetShapeFn(InTopKV2Shape)
    .Doc(
        "Whether predictions[i, targets[i]] is among the k [] largest of row "
        "i: [batch, classes], [batch] -> [batch].");

REGISTER_OP("TopK")
    .Input("input: T")
    .Output("values: T")
    .Output("indices: int32")
    .Attr("k: int >= 0")
    .Attr("sorted: bool = true")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .SetShapeFn(TopKShape)
    .Deprecated(7, "Use TopKV2")
    .Doc(
        "The k largest elements of each row and where they are: [..., n] -> "
        "[..., k]; the first one of equals comes first.");

REGISTER_OP("TopKV2")
    .Input("input: T")
    .Input("k: Tk")
    .Output("values: T")
    .Output("indices: index_type")
    .Attr("sorted: bool = true")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64}")
    .Attr("Tk: {int16, int32, int64} = DT_INT32")
    .Attr("index_type: {int16, int32, int64} = DT_INT32")
    .SetShapeFn(TopKV2Shape)
    .Doc(
        "The k largest elements of each row and where they are: [..., n] -> "
        "[..., k]; the first one of equals comes first.");

}  // namespace tensorwright
