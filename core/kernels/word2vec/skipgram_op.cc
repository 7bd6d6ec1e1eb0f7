// SPDX-License-Identifier: Apache-2.0
// Skipgram: pairs of words that stand near each other in a text file.
//
// Frequent words are dropped at random (equation 5 of Mikolov et al., 2013),
// the rest is cut into sentences of one length, and each word of a sentence is
// paired with those up to a random distance from it.  The random numbers, and
// the thousands of examples that are made ahead, are as in TensorFlow, and so
// are the outputs.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/simple_philox.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

constexpr int kSentence = 1000;
constexpr int kAhead = 3000;
// If less of a text is kept, no sentence would ever be full.
constexpr double kLeastKept = 1e-5;

// Takes the next word; false at the end of the text.
bool NextWord(absl::string_view* text, absl::string_view* word) {
  size_t begin = 0;
  while (begin < text->size() && absl::ascii_isspace((*text)[begin])) ++begin;
  size_t end = begin;
  while (end < text->size() && !absl::ascii_isspace((*text)[end])) ++end;
  *word = text->substr(begin, end - begin);
  text->remove_prefix(end);
  return !word->empty();
}

// A text as numbers of words.  0 stands for all words that are too rare.
struct Corpus {
  Tensor words;   // string [vocabulary]
  Tensor counts;  // int32 [vocabulary]
  std::vector<int32_t> text;

  Status Read(Env* env, const std::string& filename, int64_t least_words,
              int min_count);
};

Status Corpus::Read(Env* env, const std::string& filename, int64_t least_words,
                    int min_count) {
  std::string data;
  TF_RETURN_IF_ERROR(ReadFileToString(env, filename, &data));
  absl::flat_hash_map<absl::string_view, int64_t> count_of;
  absl::string_view rest = data, word;
  int64_t size = 0;
  for (; NextWord(&rest, &word); ++size) ++count_of[word];
  if (size < least_words) {
    return errors::InvalidArgument("The text file ", filename,
                                   " contains too little data: ", size,
                                   " words, of ", least_words, " at least");
  }
  if (size > INT32_MAX) {
    return errors::InvalidArgument("The text file ", filename,
                                   " contains too many words: ", size);
  }
  std::vector<std::pair<absl::string_view, int64_t>> known;
  for (const auto& entry : count_of) {
    if (entry.second >= min_count) known.push_back(entry);
  }
  std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });

  const int64_t n = static_cast<int64_t>(known.size()) + 1;
  words = Tensor(DT_STRING, TensorShape({n}));
  counts = Tensor(DT_INT32, TensorShape({n}));
  words.base<std::string>()[0] = "UNK";
  int64_t unknown = size;
  for (int64_t i = 1; i < n; ++i) {
    const auto& [name, count] = known[i - 1];
    words.base<std::string>()[i] = std::string(name);
    counts.base<int32_t>()[i] = static_cast<int32_t>(count);
    unknown -= count;
    // From here on the value is minus the number of the word.
    count_of[name] = -i;
  }
  counts.base<int32_t>()[0] = static_cast<int32_t>(unknown);
  text.reserve(size);
  for (rest = data; NextWord(&rest, &word);) {
    text.push_back(static_cast<int32_t>(std::max<int64_t>(0, -count_of[word])));
  }
  return OkStatus();
}

// Goes round and round a corpus.  Not thread-safe.
class ExampleReader {
 public:
  struct Example {
    int32_t word;
    int32_t near;
  };

  ExampleReader() : random_(&stream_) {}
  ExampleReader(const ExampleReader&) = delete;

  // `corpus` must outlive the reader and have a word.  InvalidArgument if
  // almost nothing would be kept.
  Status Init(const Corpus* corpus, int window, float subsample) {
    corpus_ = corpus;
    window_ = static_cast<uint32_t>(window);
    next_ = corpus->text.size();
    in_sentence_ = kSentence;
    if (!(subsample > 0)) return OkStatus();
    const int32_t* counts = corpus->counts.base<int32_t>();
    const float scale =
        subsample * static_cast<float>(static_cast<int32_t>(next_));
    double kept = 0;
    for (int64_t i = 0; i < corpus->counts.NumElements(); ++i) {
      const float count = static_cast<float>(counts[i]);
      const float keep = (std::sqrt(count / scale) + 1) * scale / count;
      keep_.push_back(keep);
      if (counts[i] > 0) kept += std::min<double>(1, keep) * counts[i];
    }
    if (kept < kLeastKept * static_cast<double>(next_)) {
      return errors::InvalidArgument(
          "Skipgram: subsample ", subsample, " keeps a share of ",
          kept / static_cast<double>(next_), " of the words only");
    }
    return OkStatus();
  }

  int32_t epoch() const { return epoch_; }
  int64_t words() const { return words_; }

  Example Next() {
    while (true) {
      if (label_ >= label_end_) NextWordOfSentence();
      if (label_ != in_sentence_) break;
      ++label_;
    }
    return {sentence_[in_sentence_], sentence_[label_++]};
  }

 private:
  void NextWordOfSentence() {
    ++words_;
    if (++in_sentence_ >= kSentence) {
      in_sentence_ = 0;
      FillSentence();
    }
    const int64_t distance = 1 + int64_t{random_.Uniform(window_)};
    label_ = std::max<int64_t>(0, in_sentence_ - distance);
    label_end_ = std::min<int64_t>(kSentence, in_sentence_ + distance + 1);
  }

  void FillSentence() {
    for (int i = 0; i < kSentence;) {
      if (next_ >= corpus_->text.size()) {
        ++epoch_;
        next_ = 0;
      }
      const int32_t word = corpus_->text[next_++];
      if (keep_.empty() || !(random_.RandFloat() > keep_[word])) {
        sentence_[i++] = word;
      }
    }
  }

  const Corpus* corpus_ = nullptr;
  uint32_t window_ = 1;
  // The probability of each word; empty if all are kept.
  std::vector<float> keep_;
  random::PhiloxRandom stream_;
  random::SimplePhilox random_;
  size_t next_ = 0;
  int32_t sentence_[kSentence];
  int64_t in_sentence_ = 0, label_ = 0, label_end_ = 0;
  int32_t epoch_ = -1;  // The first one is 0.
  int64_t words_ = 0;
};

class SkipgramOp final : public OpKernel {
 public:
  explicit SkipgramOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string filename;
    int window = 0, min_count = 0;
    float subsample = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("filename", &filename));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("batch_size", &batch_size_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("window_size", &window));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("min_count", &min_count));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("subsample", &subsample));
    OP_REQUIRES(ctx, window > 0,
                errors::InvalidArgument("Skipgram: window_size must be > 0, "
                                        "got ",
                                        window));
    OP_REQUIRES_OK(ctx, corpus_.Read(ctx->env(), filename, int64_t{10} * window,
                                     min_count));
    mutex_lock lock(mu_);
    OP_REQUIRES_OK(ctx, reader_.Init(&corpus_, window, subsample));
    MakeExamples();
  }

  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, corpus_.words);
    ctx->set_output(1, corpus_.counts);
    Tensor *per_epoch = nullptr, *epoch = nullptr, *words = nullptr,
           *examples = nullptr, *labels = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({}), &per_epoch));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3, TensorShape({}), &epoch));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(4, TensorShape({}), &words));
    const TensorShape shape({batch_size_});
    OP_REQUIRES_OK(ctx, ctx->allocate_output(5, shape, &examples));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(6, shape, &labels));
    mutex_lock lock(mu_);
    for (int i = 0; i < batch_size_; ++i) {
      examples->base<int32_t>()[i] = ahead_[taken_].word;
      labels->base<int32_t>()[i] = ahead_[taken_].near;
      if (++taken_ == kAhead) MakeExamples();
    }
    *per_epoch->base<int64_t>() = static_cast<int64_t>(corpus_.text.size());
    *epoch->base<int32_t>() = reader_.epoch();
    *words->base<int64_t>() = reader_.words();
  }

 private:
  void MakeExamples() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    for (auto& example : ahead_) example = reader_.Next();
    taken_ = 0;
  }

  int batch_size_ = 0;
  Corpus corpus_;  // Does not change after the constructor.
  mutex mu_;
  ExampleReader reader_ TF_GUARDED_BY(mu_);
  ExampleReader::Example ahead_[kAhead] TF_GUARDED_BY(mu_);
  int taken_ TF_GUARDED_BY(mu_) = 0;
};
REGISTER_KERNEL_BUILDER(Name("Skipgram").Device(DEVICE_CPU), SkipgramOp);

}  // namespace
}  // namespace tensorwright
