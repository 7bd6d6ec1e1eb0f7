// SPDX-License-Identifier: Apache-2.0
// Vectors of words (Mikolov et al., 2013), as the programs of TensorFlow's
// early tutorials train them.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The file decides the number of words.
Status SkipgramShape(InferenceContext* c) {
  int64_t batch_size;
  TF_RETURN_IF_ERROR(c->GetAttr("batch_size", &batch_size));
  if (batch_size < 0) {
    return errors::InvalidArgument("batch_size must be >= 0, got ", batch_size);
  }
  const ShapeHandle vocabulary = c->Vector(c->UnknownDim());
  c->set_output(0, vocabulary);
  c->set_output(1, vocabulary);
  for (int i = 2; i < 5; ++i) c->set_output(i, c->Scalar());
  for (int i = 5; i < 7; ++i) c->set_output(i, c->Vector(batch_size));
  return OkStatus();
}

Status NegTrainShape(InferenceContext* c) {
  ShapeHandle w_in, w_out, examples, labels, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &w_in));
  TF_RETURN_IF_ERROR(c->Merge(w_in, c->input(1), &w_out));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &examples));
  TF_RETURN_IF_ERROR(c->Merge(examples, c->input(3), &labels));
  return c->WithRank(c->input(4), 0, &unused);
}

}  // namespace

REGISTER_OP("Skipgram")
    .Deprecated(19,
                "TensorFlow moved word2vec to its models' tutorials; the op "
                "works in graphs of this library")
    .Output("vocab_word: string")
    .Output("vocab_freq: int32")
    .Output("words_per_epoch: int64")
    .Output("current_epoch: int32")
    .Output("total_words_processed: int64")
    .Output("examples: int32")
    .Output("labels: int32")
    .SetIsStateful()
    .Attr("filename: string")
    .Attr("batch_size: int")
    .Attr("window_size: int = 5")
    .Attr("min_count: int = 5")
    .Attr("subsample: float = 0.001")
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(SkipgramShape)
    .Doc(
        "The words of a text file that stand there min_count times, the most "
        "frequent first and UNK for all others before them, and the next "
        "batch_size pairs of a word and one near it: [words], [words], [], [], "
        "[], [batch_size], [batch_size].");

REGISTER_OP("NegTrain")
    .Deprecated(19,
                "TensorFlow moved word2vec to its models' tutorials; the op "
                "works in graphs of this library")
    .Input("w_in: Ref(float)")
    .Input("w_out: Ref(float)")
    .Input("examples: int32")
    .Input("labels: int32")
    .Input("lr: float")
    .SetIsStateful()
    .Attr("vocab_count: list(int)")
    .Attr("num_negative_samples: int")
    .SetShapeFn(NegTrainShape)
    .Doc(
        "Ascends the likelihood of labels [batch] near examples [batch], and "
        "of num_negative_samples words drawn by their frequency to the power "
        "of 3/4 not near them, by the vectors w_in and w_out [words, size], a "
        "row of each word.");

}  // namespace tensorwright
