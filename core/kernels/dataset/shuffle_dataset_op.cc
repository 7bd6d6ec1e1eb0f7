// SPDX-License-Identifier: Apache-2.0
// ShuffleDataset: elements in random order, drawn from a buffer.
//
// The order for given seeds is TensorFlow's: a Philox stream for each pass, one
// 32-bit number for each element, taken modulo the number of elements in the
// buffer; the oldest element moves to the place of the one that was drawn.

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/lib/repeatable.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random.h"
#include "core/lib/random/random_distributions.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

// A stream of 32-bit numbers.
class Stream {
 public:
  Stream(uint64_t seed, uint64_t seed2) : philox_(seed, seed2) {}
  uint32_t Next() {
    if (next_ == random::PhiloxRandom::kResultElementCount) {
      block_ = philox_();
      next_ = 0;
    }
    return block_[next_++];
  }

 private:
  random::PhiloxRandom philox_;
  random::PhiloxRandom::ResultType block_;
  int next_ = random::PhiloxRandom::kResultElementCount;
};

// A buffer holds elements of at most this many passes.
constexpr size_t kMostPasses = 3;

class ShuffleDataset final : public UnaryDataset {
 public:
  // `count` passes over the input are shuffled into each other; -1: for ever.
  ShuffleDataset(DatasetPtr input, int64_t buffer_size, int64_t seed,
                 int64_t seed2, bool reshuffle, int64_t count)
      : UnaryDataset(std::move(input)),
        buffer_size_(buffer_size),
        seed_(seed),
        seed2_(seed2),
        reshuffle_(reshuffle),
        count_(count),
        seeds_(seed, seed2) {}

  std::string Name() const override { return "Shuffle"; }
  int64_t Cardinality() const override {
    return count_ == 1 ? input().Cardinality() : kUnknown;
  }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<ShuffleDataset> {
   public:
    explicit Iterator(const ShuffleDataset* d)
        : DatasetIterator(d), stream_(d->NewStream()) {}

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      TF_RETURN_IF_ERROR(Fill(ctx));
      if (held_ == 0) return false;
      while (passes_.front().begin == passes_.front().end) {
        passes_.pop_front();
        stream_ = dataset().NewStream();
      }
      Pass& pass = passes_.front();
      const int64_t offset = stream_.Next() % (pass.end - pass.begin);
      Element& drawn = At(pass.begin + offset);
      *out = std::move(drawn);
      Element& oldest = At(pass.begin);
      if (&oldest != &drawn) drawn = std::move(oldest);
      ++pass.begin;
      --held_;
      return true;
    }

   private:
    // The elements of one pass over the input, by their numbers.
    struct Pass {
      int64_t begin;
      int64_t end;
    };

    Element& At(int64_t number) { return buffer_[number % capacity_]; }

    bool IsEnded() const {
      return dataset().count_ >= 0 && epoch_ >= dataset().count_;
    }

    Status Fill(IteratorContext* ctx) {
      while (held_ < dataset().buffer_size_ &&
             (input_ != nullptr || !IsEnded()) &&
             !(passes_.size() > kMostPasses && held_ > 0)) {
        if (input_ == nullptr) {
          TF_ASSIGN_OR_RETURN(input_, dataset().input().MakeIterator(ctx));
          const int64_t begin = passes_.empty() ? 0 : passes_.back().end;
          passes_.push_back({begin, begin});
          is_empty_ = true;
        }
        Element element;
        TF_ASSIGN_OR_RETURN(const bool more, input_->GetNext(ctx, &element));
        if (!more) {
          input_ = nullptr;
          ++epoch_;
          // With endless passes, an empty input gives nothing.
          if (is_empty_ && dataset().count_ < 0) return OkStatus();
          continue;
        }
        is_empty_ = false;
        if (held_ == capacity_) Grow();
        At(passes_.back().end++) = std::move(element);
        ++held_;
      }
      return OkStatus();
    }

    // The buffer's size is an upper limit: the buffer grows up to it.
    void Grow() {
      constexpr int64_t kFirst = 64;
      const int64_t capacity =
          std::min(dataset().buffer_size_, std::max(kFirst, 2 * capacity_));
      std::vector<Element> larger(capacity);
      for (const Pass& pass : passes_) {
        for (int64_t i = pass.begin; i < pass.end; ++i) {
          larger[i % capacity] = std::move(At(i));
        }
      }
      buffer_ = std::move(larger);
      capacity_ = capacity;
    }

    Stream stream_;
    std::unique_ptr<IteratorBase> input_;
    bool is_empty_ = true;
    int64_t epoch_ = 0;
    std::deque<Pass> passes_;
    int64_t held_ = 0;
    int64_t capacity_ = 0;
    std::vector<Element> buffer_;
  };

  // The numbers of one more pass.
  Stream NewStream() const {
    if (!reshuffle_) return Stream(seed_, seed2_);
    mutex_lock lock(mu_);
    const uint64_t seed = seeds_.Next();
    const uint64_t seed2 = seeds_.Next();
    return Stream(seed, seed2);
  }

  const int64_t buffer_size_;
  const int64_t seed_;
  const int64_t seed2_;
  const bool reshuffle_;
  const int64_t count_;
  mutable mutex mu_;
  mutable Stream seeds_ TF_GUARDED_BY(mu_);
};

class ShuffleDatasetOp final : public DatasetOpKernel {
 public:
  explicit ShuffleDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("reshuffle_each_iteration", &reshuffle_));
    repeats_ = type_string() == "ShuffleAndRepeatDataset";
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    int64_t buffer_size = 0, seed = 0, seed2 = 0, count = 1;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "buffer_size", &buffer_size));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "seed", &seed));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "seed2", &seed2));
    if (repeats_) TF_RETURN_IF_ERROR(ScalarArgument(ctx, "count", &count));
    if (buffer_size <= 0) {
      return errors::InvalidArgument(
          type_string(), ": buffer_size must be greater than zero, got ",
          buffer_size);
    }
    if (count < -1 || (repeats_ && count == 0)) {
      return errors::InvalidArgument(
          type_string(),
          ": count must be greater than zero or equal to -1, got ", count);
    }
    if (seed == 0 && seed2 == 0) {
      TF_RETURN_IF_ERROR(RefuseIfMustRepeat(
          ctx, "it draws at random, since its seed and seed2 are 0"));
      seed = static_cast<int64_t>(random::New64());
      seed2 = static_cast<int64_t>(random::New64());
    }
    return DatasetPtr(new ShuffleDataset(std::move(input), buffer_size, seed,
                                         seed2, reshuffle_, count));
  }

 private:
  bool reshuffle_ = true;
  bool repeats_ = false;
};
REGISTER_KERNEL_BUILDER(Name("ShuffleDataset").Device(DEVICE_CPU),
                        ShuffleDatasetOp);
REGISTER_KERNEL_BUILDER(Name("ShuffleAndRepeatDataset").Device(DEVICE_CPU),
                        ShuffleDatasetOp);

}  // namespace
}  // namespace tensorwright
