// SPDX-License-Identifier: Apache-2.0
// Connectionist temporal classification (Graves et al., 2006): the loss of
// label sequences that are not aligned with the input, and decoders.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The last class is the blank.  inputs [time, batch, classes] and
// sequence_length [batch]: merges their batch sizes.
Status BatchOf(InferenceContext* c, int sequence_length, ShapeHandle* inputs,
               DimensionHandle* batch) {
  ShapeHandle lengths;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, inputs));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(sequence_length), 1, &lengths));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(*inputs, 1), c->Dim(lengths, 0), batch));
  return c->ReplaceDim(*inputs, 1, *batch, inputs);
}

Status LossShape(InferenceContext* c) {
  ShapeHandle inputs, indices, values;
  DimensionHandle batch, entries;
  TF_RETURN_IF_ERROR(BatchOf(c, 3, &inputs, &batch));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &values));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &entries));
  c->set_output(0, c->Vector(batch));
  c->set_output(1, inputs);
  return OkStatus();
}

// One sparse matrix of labels for each of `paths`, and a score for each row in
// each.
Status DecodedShape(InferenceContext* c, int64_t paths) {
  ShapeHandle inputs;
  DimensionHandle batch;
  TF_RETURN_IF_ERROR(BatchOf(c, 1, &inputs, &batch));
  for (int64_t i = 0; i < paths; ++i) {
    const DimensionHandle labels = c->UnknownDim();
    c->set_output(static_cast<int>(i), c->Matrix(labels, 2));
    c->set_output(static_cast<int>(paths + i), c->Vector(labels));
    c->set_output(static_cast<int>(2 * paths + i), c->Vector(2));
  }
  c->set_output(static_cast<int>(3 * paths), c->Matrix(batch, paths));
  return OkStatus();
}

Status GreedyShape(InferenceContext* c) { return DecodedShape(c, 1); }

Status BeamSearchShape(InferenceContext* c) {
  int64_t paths;
  TF_RETURN_IF_ERROR(c->GetAttr("top_paths", &paths));
  return DecodedShape(c, paths);
}

}  // namespace

REGISTER_OP("CTCLoss")
    .Input("inputs: T")
    .Input("labels_indices: int64")
    .Input("labels_values: int32")
    .Input("sequence_length: int32")
    .Output("loss: T")
    .Output("gradient: T")
    .Attr("preprocess_collapse_repeated: bool = false")
    .Attr("ctc_merge_repeated: bool = true")
    .Attr("ignore_longer_outputs_than_inputs: bool = false")
    .Attr("T: {float, double} = DT_FLOAT")
    .SetShapeFn(LossShape)
    .Doc(
        "Minus the logarithm of the probability of each row of labels, summed "
        "over its alignments with the logits inputs [time, batch, classes], "
        "whose last class is the blank, and the gradient of its sum: [batch], "
        "[time, batch, classes].");

REGISTER_OP("CTCGreedyDecoder")
    .Input("inputs: T")
    .Input("sequence_length: int32")
    .Output("decoded_indices: int64")
    .Output("decoded_values: int64")
    .Output("decoded_shape: int64")
    .Output("log_probability: T")
    .Attr("merge_repeated: bool = false")
    .Attr("blank_index: int = -1")
    .Attr("T: {float, double} = DT_FLOAT")
    .SetShapeFn(GreedyShape)
    .Doc(
        "The classes with the largest logits of inputs [time, batch, classes], "
        "without blanks, as a sparse matrix [batch, labels], and minus the sum "
        "of these logits: [n, 2], [n], [2], [batch, 1].");

REGISTER_OP("CTCBeamSearchDecoder")
    .Input("inputs: T")
    .Input("sequence_length: int32")
    .Output("decoded_indices: top_paths * int64")
    .Output("decoded_values: top_paths * int64")
    .Output("decoded_shape: top_paths * int64")
    .Output("log_probability: T")
    .Attr("beam_width: int >= 1")
    .Attr("top_paths: int >= 1")
    .Attr("merge_repeated: bool = true")
    .Attr("T: {float, double} = DT_FLOAT")
    .SetShapeFn(BeamSearchShape)
    .Doc(
        "The top_paths most probable label sequences of inputs [time, batch, "
        "classes], summed over their alignments, that a beam search finds, as "
        "sparse matrices [batch, labels], and the logarithms of their "
        "probabilities: top_paths times [n, 2], [n] and [2]; [batch, "
        "top_paths].");

}  // namespace tensorwright
