// SPDX-License-Identifier: Apache-2.0
// A CTC decoder with a scorer of its own, in the manner of speech recognisers:
// both generations of TensorFlow's templates.
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/util/ctc/ctc_beam_search.h"

namespace tf = tensorflow;

REGISTER_OP("CorpusCtcBeams")
    .Input("inputs: float")
    .Input("sequence_length: int32")
    .Attr("beam_width: int >= 1 = 100")
    .Attr("top_paths: int >= 1 = 1")
    .Attr("merge_repeated: bool = false")
    .Attr("bonus: float = 0.0")
    .Attr("greedy: bool = false")
    .Output("values: top_paths * int32")
    .Output("log_probability: float")
    .SetShapeFn([](tf::shape_inference::InferenceContext* c) {
      tf::int32 top_paths;
      TF_RETURN_IF_ERROR(c->GetAttr("top_paths", &top_paths));
      for (int i = 0; i < top_paths; ++i) {
        c->set_output(
            i, c->Vector(tf::shape_inference::InferenceContext::kUnknownDim));
      }
      c->set_output(top_paths, c->Matrix(c->Dim(c->input(0), 1), top_paths));
      return tf::Status::OK();
    });

namespace {

struct Length {
  int labels = 0;
  bool ended = false;
};

// The form of 1.x: every label is worth `bonus`.
class BonusScorer : public tf::ctc::BaseBeamScorer<Length> {
 public:
  explicit BonusScorer(float bonus) : bonus_(bonus) {}
  virtual ~BonusScorer() {}
  void InitializeState(Length* root) const { root->labels = 0; }
  void ExpandState(const Length& from_state, int from_label, Length* to_state,
                   int to_label) const {
    to_state->labels = from_state.labels + 1;
  }
  void ExpandStateEnd(Length* state) const { state->ended = true; }
  float GetStateExpansionScore(const Length& state,
                               float previous_score) const {
    return previous_score + bonus_;
  }
  float GetStateEndExpansionScore(const Length& state) const {
    return state.ended ? 0 : -1000;
  }

 private:
  float bonus_;
};

}  // namespace

class CorpusCtcBeamsOp : public tf::OpKernel {
 public:
  explicit CorpusCtcBeamsOp(tf::OpKernelConstruction* ctx) : tf::OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("beam_width", &beam_width_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("top_paths", &top_paths_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("merge_repeated", &merge_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("bonus", &bonus_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("greedy", &greedy_));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor* inputs;
    const tf::Tensor* seq_len;
    OP_REQUIRES_OK(ctx, ctx->input("inputs", &inputs));
    OP_REQUIRES_OK(ctx, ctx->input("sequence_length", &seq_len));
    const tf::TensorShape& shape = inputs->shape();
    OP_REQUIRES(ctx, shape.dims() == 3 && shape.dim_size(1) == 1,
                tf::errors::InvalidArgument("inputs must be [time, 1, class]"));
    const int max_time = shape.dim_size(0), num_classes = shape.dim_size(2);
    const float* logits = inputs->flat<float>().data();

    // Decode() wants a map for each time step, [batch, class].
    std::vector<tf::ctc::CTCDecoder<float>::Input> steps;
    for (int t = 0; t < max_time; ++t) {
      steps.emplace_back(logits + t * num_classes, 1, num_classes);
    }
    tf::ctc::CTCDecoder<float>::SequenceLength lengths(
        seq_len->flat<tf::int32>().data(), 1);
    std::vector<std::vector<std::vector<int>>> found(
        top_paths_, std::vector<std::vector<int>>(1));
    tf::Tensor* log_prob;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output("log_probability",
                                  tf::TensorShape({1, top_paths_}), &log_prob));
    tf::ctc::CTCDecoder<float>::ScoreOutput scores(
        log_prob->flat<float>().data(), 1, top_paths_);
    BonusScorer scorer(bonus_);
    if (greedy_) {
      tf::ctc::CTCGreedyDecoder<float> decoder(num_classes, 1, merge_);
      OP_REQUIRES_OK(ctx, decoder.Decode(lengths, steps, &found, &scores));
    } else if (bonus_ != 0) {
      tf::ctc::CTCBeamSearchDecoder<Length> decoder(num_classes, beam_width_,
                                                    &scorer, 1, merge_);
      OP_REQUIRES_OK(ctx, decoder.Decode(lengths, steps, &found, &scores));
    } else {
      // The form of 2.x, which scores nothing.
      tf::ctc::CTCBeamSearchDecoder<float>::DefaultBeamScorer none;
      tf::ctc::CTCBeamSearchDecoder<float> decoder(num_classes, beam_width_,
                                                   &none, 1, merge_);
      OP_REQUIRES_OK(ctx, decoder.Decode(lengths, steps, &found, &scores));
    }
    tf::OpOutputList values;
    OP_REQUIRES_OK(ctx, ctx->output_list("values", &values));
    for (int i = 0; i < top_paths_; ++i) {
      tf::Tensor* out;
      const tf::int64 n = found[i][0].size();
      OP_REQUIRES_OK(ctx, values.allocate(i, tf::TensorShape({n}), &out));
      std::copy(found[i][0].begin(), found[i][0].end(),
                out->vec<tf::int32>().data());
    }
  }

 private:
  int beam_width_, top_paths_;
  float bonus_;
  bool merge_, greedy_;
};
REGISTER_KERNEL_BUILDER(Name("CorpusCtcBeams").Device(tf::DEVICE_CPU),
                        CorpusCtcBeamsOp);
