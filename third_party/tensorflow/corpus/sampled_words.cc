// SPDX-License-Identifier: Apache-2.0
// A kernel with a file's words in it, which it draws from, and one that draws
// rows of a variable: members of tensors, samplers, chips, a text read by hand.
#include <map>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/stringpiece.h"
#include "tensorflow/core/lib/gtl/map_util.h"
#include "tensorflow/core/lib/random/distribution_sampler.h"
#include "tensorflow/core/lib/random/philox_random.h"
#include "tensorflow/core/lib/random/simple_philox.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/platform/thread_annotations.h"
#include "tensorflow/core/util/guarded_philox_random.h"

namespace tensorflow {

REGISTER_OP("CorpusSampledWords")
    .Attr("path: string")
    .Attr("draws: int >= 0")
    .Attr("known: list(string) = []")
    .Output("words: string")
    .Output("shares: float")
    .Output("drawn: int32")
    .SetIsStateful()
    .Doc(R"doc(
Draws words of a file by how often they are in it.

words: In alphabetical order; those of `known` are there in any case.
shares: How many of the file's words are this one.
drawn: Places in `words`.
)doc");

class SampledWordsOp : public OpKernel {
 public:
  explicit SampledWordsOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), philox_(7, 11), numbers_(&philox_) {
    string path;
    std::vector<string> known;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("path", &path));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("draws", &draws_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("known", &known));
    for (const string& word : known) gtl::InsertIfNotPresent(&counts_, word, 0);
    string text;
    OP_REQUIRES_OK(ctx, ReadFileToString(ctx->env(), path, &text));
    OP_REQUIRES_OK(ctx, Count(text));
    Keep();
  }

  void Compute(OpKernelContext* ctx) override {
    Tensor drawn(DT_INT32, TensorShape({draws_}));
    {
      mutex_lock lock(mu_);
      auto places = drawn.vec<int32>();
      for (int32 i = 0; i < draws_; ++i)
        places(i) = sampler_->Sample(&numbers_);
    }
    ctx->set_output(0, words_);
    ctx->set_output(1, shares_);
    ctx->set_output(2, drawn);
  }

 private:
  Status Count(StringPiece text) {
    StringPiece word;
    for (;;) {
      str_util::RemoveLeadingWhitespace(&text);
      if (!str_util::ConsumeNonWhitespace(&text, &word)) break;
      ++gtl::LookupOrInsert(&counts_, string(word), 0);
      ++total_;
    }
    if (total_ == 0) return errors::InvalidArgument("there is no word");
    return Status::OK();
  }

  void Keep() {
    const int64 n = counts_.size();
    words_ = Tensor(DT_STRING, TensorShape({n}));
    shares_ = Tensor(DT_FLOAT, {n});
    std::vector<float> weights;
    for (const auto& entry : counts_) {
      words_.flat<string>()(weights.size()) = entry.first;
      shares_.flat<float>()(weights.size()) =
          static_cast<float>(entry.second) / total_;
      weights.push_back(entry.second);
    }
    sampler_.reset(new random::DistributionSampler(weights));
    LOG(INFO) << n << " words, " << total_ << " in all";
  }

  int32 draws_ = 0;
  int32 total_ = 0;
  std::map<string, int32> counts_;
  Tensor words_, shares_;
  std::unique_ptr<random::DistributionSampler> sampler_;
  mutex mu_;
  random::PhiloxRandom philox_ GUARDED_BY(mu_);
  random::SimplePhilox numbers_ GUARDED_BY(mu_);
};
REGISTER_KERNEL_BUILDER(Name("CorpusSampledWords").Device(DEVICE_CPU),
                        SampledWordsOp);

REGISTER_OP("CorpusPushApart")
    .Attr("weights: list(float)")
    .Attr("force: float = 1.0")
    .Input("table: Ref(float)")
    .Input("rows: int32")
    .Output("pushed: int32")
    .SetIsStateful()
    .Doc("Moves rows away from others that are drawn by their weights.");

class PushApartOp : public OpKernel {
 public:
  explicit PushApartOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::vector<float> weights;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("weights", &weights));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("force", &force_));
    sampler_ = new random::DistributionSampler(weights);
    stream_.Init(3, 4);
  }
  ~PushApartOp() override { delete sampler_; }

  void Compute(OpKernelContext* ctx) override {
    Tensor table = ctx->mutable_input(0, /*lock_held=*/false);
    OP_REQUIRES(ctx,
                TensorShapeUtils::IsMatrix(table.shape()) &&
                    table.dim_size(0) == sampler_->num(),
                errors::InvalidArgument("table must have a row for each of ",
                                        sampler_->num(), " weights, got ",
                                        table.shape().DebugString()));
    const auto rows = ctx->input(1).vec<int32>();
    Tensor* pushed;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {rows.size()}, &pushed));
    // Two numbers each.
    auto reserved = stream_.ReserveSamples32(2 * rows.size());
    random::SimplePhilox numbers(&reserved);
    auto t = table.matrix<float>();
    Tensor gap_buffer(DT_FLOAT, TensorShape({t.dimension(1)}));
    Tensor closeness_buffer(DT_FLOAT, TensorShape({}));
    auto gap = gap_buffer.flat<float>();
    auto closeness = closeness_buffer.scalar<float>();
    for (int64 i = 0; i < rows.size(); ++i) {
      const int other = sampler_->Sample(&numbers);
      DCHECK(rows(i) >= 0) << rows(i);
      auto mine = t.chip<0>(rows(i));
      gap = mine - t.chip<0>(other);
      closeness = (gap.square().sum() + 1.f).inverse();
      mine += gap * (force_ * closeness());
      pushed->vec<int32>()(i) = other;
    }
  }

 private:
  float force_;
  random::DistributionSampler* sampler_ = nullptr;
  GuardedPhiloxRandom stream_;
};
REGISTER_KERNEL_BUILDER(Name("CorpusPushApart").Device(DEVICE_CPU),
                        PushApartOp);

}  // end namespace tensorflow
