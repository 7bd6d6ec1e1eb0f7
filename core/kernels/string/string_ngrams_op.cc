// SPDX-License-Identifier: Apache-2.0
// StringNGrams: joins neighbouring strings of a row.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The n-grams of `width` strings in a row of `length`, with `pad` more strings
// at either side.
struct Run {
  int64_t width;
  int64_t pad;
  int64_t count;
};

template <typename Splits>
class StringNGramsOp final : public OpKernel {
 public:
  explicit StringNGramsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("separator", &separator_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ngram_widths", &widths_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("left_pad", &left_pad_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("right_pad", &right_pad_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("pad_width", &pad_width_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("preserve_short_sequences", &keep_short_));
    for (const int64_t width : widths_) {
      OP_REQUIRES(
          ctx, width >= 1 && width <= kMostStrings,
          errors::InvalidArgument("StringNGrams: ngram_widths must be in [1, ",
                                  kMostStrings, "], got ", width));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const auto data = Flat<std::string>(ctx->input(0));
    const Tensor& data_splits = ctx->input(1);
    const auto splits = Flat<Splits>(data_splits);
    OP_REQUIRES_OK(ctx, CheckSplits(splits, data.size()));
    Tensor *ngrams = nullptr, *out_splits = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(1, data_splits.shape(), &out_splits));
    const auto out = Flat<Splits>(out_splits);
    if (data.empty()) {
      // As in TensorFlow, no row is padded if no row has a string.
      std::fill(out.begin(), out.end(), Splits{0});
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({0}), &ngrams));
      return;
    }
    int64_t total = 0, strings = 0;
    for (size_t r = 0; r < splits.size(); ++r) {
      if (r > 0) {
        for (const Run& run : RunsOf(splits[r] - splits[r - 1])) {
          total += run.count;
          strings += run.count * run.width;
        }
      }
      // Sums of these do not overflow, because each is less than 2^60.
      OP_REQUIRES(
          ctx, strings <= kMostStrings,
          errors::InvalidArgument("StringNGrams: more than ", kMostStrings,
                                  " strings would be joined"));
      out[r] = static_cast<Splits>(total);
    }
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({total}), &ngrams));
    if (splits.empty()) return;
    const auto joined = Flat<std::string>(ngrams);
    const int64_t rows = static_cast<int64_t>(splits.size()) - 1;
    const int64_t cycles = rows == 0 ? 1 : 30 * strings / rows + 50;
    ParallelFor(ctx, rows, cycles, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        Row(data.subspan(splits[r], splits[r + 1] - splits[r]),
            joined.data() + out[r]);
      }
    });
  }

 private:
  // The most strings in all n-grams together; also keeps sums from overflowing.
  static constexpr int64_t kMostStrings = int64_t{1} << 28;

  static Status CheckSplits(absl::Span<const Splits> splits, size_t n) {
    if (splits.empty()) return OkStatus();
    if (splits[0] != 0) {
      return errors::InvalidArgument(
          "StringNGrams: First split value must be 0, got ", splits[0]);
    }
    for (size_t r = 1; r < splits.size(); ++r) {
      if (splits[r] < splits[r - 1] ||
          static_cast<uint64_t>(splits[r]) > static_cast<uint64_t>(n)) {
        return errors::InvalidArgument("StringNGrams: Invalid split value ",
                                       splits[r], ", must be in [",
                                       splits[r - 1], ", ", n, "]");
      }
    }
    if (static_cast<size_t>(splits.back()) != n) {
      return errors::InvalidArgument(
          "StringNGrams: Last split value must be data size. Expected ", n,
          ", got ", splits.back());
    }
    return OkStatus();
  }

  std::vector<Run> RunsOf(int64_t length) const {
    std::vector<Run> runs;
    int64_t all = 0;
    for (const int64_t width : widths_) {
      const int64_t pad =
          pad_width_ < 0 ? width - 1 : std::min(pad_width_, width - 1);
      const int64_t count = std::max<int64_t>(0, length + 2 * pad - width + 1);
      runs.push_back({width, pad, count});
      all += count;
    }
    if (keep_short_ && all == 0 && length > 0) {
      const int64_t pad = std::clamp<int64_t>(pad_width_, 0, kMostStrings);
      runs.push_back({length + 2 * pad, pad, 1});
    }
    return runs;
  }

  void Row(absl::Span<const std::string> data, std::string* out) const {
    for (const Run& run : RunsOf(static_cast<int64_t>(data.size()))) {
      for (int64_t i = 0; i < run.count; ++i) NGram(data, run, i, out++);
    }
  }

  void NGram(absl::Span<const std::string> data, const Run& run, int64_t i,
             std::string* out) const {
    const int64_t left = std::max<int64_t>(0, run.pad - i);
    const int64_t right = std::max<int64_t>(0, run.pad - (run.count - i - 1));
    const int64_t first = std::max<int64_t>(0, i - run.pad);
    const auto part = [&](int64_t k) -> const std::string& {
      if (k < left) return left_pad_;
      if (k >= run.width - right) return right_pad_;
      return data[first + k - left];
    };
    size_t length = separator_.size() * static_cast<size_t>(run.width - 1);
    for (int64_t k = 0; k < run.width; ++k) length += part(k).size();
    out->reserve(length);
    for (int64_t k = 0; k < run.width; ++k) {
      if (k > 0) *out += separator_;
      *out += part(k);
    }
  }

  std::string separator_, left_pad_, right_pad_;
  std::vector<int64_t> widths_;
  int64_t pad_width_;
  bool keep_short_;
};
REGISTER_KERNEL_FOR_TYPES(Name("StringNGrams").Device(DEVICE_CPU), "Tsplits",
                          StringNGramsOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
