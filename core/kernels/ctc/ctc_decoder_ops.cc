// SPDX-License-Identifier: Apache-2.0
// The decoders: turn logits into label sequences.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/ctc/ctc_decoder_ops_beam.h"
#include "core/kernels/lib/reduction_ops_simd.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Label sequences, one for each row of the batch.
using Sequences = std::vector<std::vector<int64_t>>;

// inputs: [time, batch, classes], sequence_length: [batch].
Status CheckInputs(const std::string& op, const Tensor& inputs,
                   const Tensor& sequence_length) {
  if (inputs.dim_size(0) == 0) {
    return errors::InvalidArgument(op, ": max_time is 0");
  }
  if (inputs.dim_size(2) == 0) {
    return errors::InvalidArgument(
        op, ": there must be a class at least, the blank");
  }
  const absl::Span<const int32_t> lengths = Flat<int32_t>(sequence_length);
  for (size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] < 0 || lengths[b] > inputs.dim_size(0)) {
      return errors::FailedPrecondition(
          op, ": sequence_length(", b, ") must be in [0, ", inputs.dim_size(0),
          "], the number of time steps, got ", lengths[b]);
    }
  }
  return OkStatus();
}

// Writes sequences as a sparse matrix: outputs `first`, `first` + step, `first`
// + 2 step.
Status SetSparse(OpKernelContext* ctx, const Sequences& sequences, int first,
                 int step) {
  int64_t labels = 0, longest = 0;
  for (const std::vector<int64_t>& s : sequences) {
    labels += static_cast<int64_t>(s.size());
    longest = std::max(longest, static_cast<int64_t>(s.size()));
  }
  Tensor *indices = nullptr, *values = nullptr, *shape = nullptr;
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(first, TensorShape({labels, 2}), &indices));
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(first + step, TensorShape({labels}), &values));
  TF_RETURN_IF_ERROR(
      ctx->allocate_output(first + 2 * step, TensorShape({2}), &shape));
  int64_t* place = indices->base<int64_t>();
  int64_t* value = values->base<int64_t>();
  for (size_t b = 0; b < sequences.size(); ++b) {
    for (size_t i = 0; i < sequences[b].size(); ++i) {
      *place++ = static_cast<int64_t>(b);
      *place++ = static_cast<int64_t>(i);
      *value++ = sequences[b][i];
    }
  }
  shape->base<int64_t>()[0] = static_cast<int64_t>(sequences.size());
  shape->base<int64_t>()[1] = longest;
  return OkStatus();
}

// The position of the first of the largest numbers, or of the first NaN.
template <typename T>
int64_t Largest(const T* x, int64_t n) {
  const T largest = SimdReduce(SimdReduction::kMax, x, n);
  if (std::isnan(largest)) {
    return std::find_if(x, x + n, [](T value) { return std::isnan(value); }) -
           x;
  }
  return std::find(x, x + n, largest) - x;
}

}  // namespace

template <typename T>
class CTCGreedyDecoderOp final : public OpKernel {
 public:
  explicit CTCGreedyDecoderOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("merge_repeated", &merge_repeated_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("blank_index", &blank_index_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& inputs = ctx->input(0);
    const Tensor& sequence_length = ctx->input(1);
    OP_REQUIRES_OK(ctx, CheckInputs(type_string(), inputs, sequence_length));
    const int64_t batch = inputs.dim_size(1), classes = inputs.dim_size(2);
    OP_REQUIRES(ctx, blank_index_ >= -classes && blank_index_ < classes,
                errors::InvalidArgument(
                    type_string(), ": blank_index must be in [", -classes, ", ",
                    classes, "), got ", blank_index_));
    const int64_t blank =
        blank_index_ < 0 ? blank_index_ + classes : blank_index_;
    Tensor* scores = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(3, TensorShape({batch, 1}), &scores));
    const T* x = inputs.base<T>();
    T* score = scores->base<T>();
    const int32_t* steps = sequence_length.base<int32_t>();
    Sequences found(batch);
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        score[b] = 0;
        int64_t before = -1;
        for (int64_t t = 0; t < steps[b]; ++t) {
          const T* row = x + (t * batch + b) * classes;
          const int64_t best = Largest(row, classes);
          score[b] -= row[best];
          if (best != blank && !(merge_repeated_ && best == before)) {
            found[b].push_back(best);
          }
          before = best;
        }
      }
    };
    ParallelFor(ctx, batch, 2 * inputs.dim_size(0) * classes, run);
    OP_REQUIRES_OK(ctx, SetSparse(ctx, found, 0, 1));
  }

 private:
  bool merge_repeated_ = false;
  int blank_index_ = -1;
};

REGISTER_KERNEL_FOR_TYPES(Name("CTCGreedyDecoder").Device(DEVICE_CPU), "T",
                          CTCGreedyDecoderOp, float, double);

template <typename T>
class CTCBeamSearchDecoderOp final : public OpKernel {
 public:
  explicit CTCBeamSearchDecoderOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("beam_width", &beam_width_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("top_paths", &top_paths_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("merge_repeated", &merge_repeated_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& inputs = ctx->input(0);
    const Tensor& sequence_length = ctx->input(1);
    OP_REQUIRES_OK(ctx, CheckInputs(type_string(), inputs, sequence_length));
    OP_REQUIRES(ctx, top_paths_ <= beam_width_,
                errors::InvalidArgument(
                    type_string(), ": top_paths must be at most beam_width ",
                    beam_width_, ", got ", top_paths_));
    const int64_t batch = inputs.dim_size(1), classes = inputs.dim_size(2);
    Tensor* log_probability = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3 * top_paths_,
                                             TensorShape({batch, top_paths_}),
                                             &log_probability));
    T* scores = log_probability->base<T>();
    const T* x = inputs.base<T>();
    const int32_t* steps = sequence_length.base<int32_t>();
    std::vector<Sequences> found(top_paths_, Sequences(batch));
    std::vector<int64_t> sizes(batch);
    std::atomic<bool> too_many = false;
    const auto run = [&](int64_t begin, int64_t end) {
      CtcBeamSearch<T> search(classes, beam_width_);
      for (int64_t b = begin; b < end; ++b) {
        search.Reset();
        for (int64_t t = 0; t < steps[b]; ++t) {
          if (search.Step(x + (t * batch + b) * classes)) continue;
          too_many = true;
          return;
        }
        sizes[b] = search.size();
        for (int i = 0; i < std::min<int64_t>(top_paths_, sizes[b]); ++i) {
          scores[b * top_paths_ + i] = search.log_probability(i);
          found[i][b] = search.Labels(i, merge_repeated_);
        }
      }
    };
    const int64_t cost =
        inputs.dim_size(0) * (int64_t{50} * beam_width_ + 20 * classes);
    ParallelFor(ctx, batch, cost, run);
    OP_REQUIRES(
        ctx, !too_many,
        errors::ResourceExhausted(type_string(), ": a beam of width ",
                                  beam_width_, " does not fit into memory"));
    for (int64_t b = 0; b < batch; ++b) {
      OP_REQUIRES(
          ctx, sizes[b] >= top_paths_,
          errors::InvalidArgument(type_string(), ": top_paths is ", top_paths_,
                                  ", but the beam of batch ", b, " has only ",
                                  sizes[b], " sequences"));
    }
    for (int i = 0; i < top_paths_; ++i) {
      OP_REQUIRES_OK(ctx, SetSparse(ctx, found[i], i, top_paths_));
    }
  }

 private:
  int beam_width_ = 0;
  int top_paths_ = 0;
  bool merge_repeated_ = true;
};

REGISTER_KERNEL_FOR_TYPES(Name("CTCBeamSearchDecoder").Device(DEVICE_CPU), "T",
                          CTCBeamSearchDecoderOp, float, double);

}  // namespace tensorwright
