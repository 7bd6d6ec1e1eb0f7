// SPDX-License-Identifier: Apache-2.0
// GenerateVocabRemapping: finds the words of a new vocabulary in an old one.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "core/util/overflow.h"

namespace tensorwright {
namespace {

// The lines of a file, each of which is a word.
class Vocabulary {
 public:
  // Reads all lines, or the first `limit` if that is not negative, and ignores
  // the rest.  A vocabulary must not be empty.
  Status Read(Env* env, const std::string& file, int64_t limit) {
    file_ = file;
    if (file.empty()) {
      return errors::InvalidArgument(
          "GenerateVocabRemapping: the name of a vocabulary's file must not be "
          "empty");
    }
    TF_RETURN_IF_ERROR(ReadFileToString(env, file, &content_));
    words_ = absl::StrSplit(content_, '\n');
    if (words_.back().empty()) words_.pop_back();
    if (limit > size()) {
      return errors::InvalidArgument("GenerateVocabRemapping: ", limit,
                                     " lines are wanted of ", file,
                                     ", which has ", size());
    }
    if (limit >= 0) words_.resize(limit);
    if (words_.empty()) {
      return errors::OutOfRange("GenerateVocabRemapping: no line is read of ",
                                file);
    }
    for (size_t i = 0; i < words_.size(); ++i) {
      words_[i] = absl::StripSuffix(words_[i], "\r");
      if (!words_[i].empty()) continue;
      return errors::InvalidArgument("GenerateVocabRemapping: line ", i, " of ",
                                     file, " is empty");
    }
    return OkStatus();
  }

  const std::string& file() const { return file_; }
  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  absl::string_view word(int64_t i) const { return words_[i]; }

  // Sets the line of each word.  FailedPrecondition if one comes twice.
  Status Index(absl::flat_hash_map<absl::string_view, int64_t>* lines) const {
    lines->reserve(words_.size());
    for (int64_t i = 0; i < size(); ++i) {
      const auto [at, is_new] = lines->try_emplace(word(i), i);
      if (is_new) continue;
      return errors::FailedPrecondition("GenerateVocabRemapping: '", word(i),
                                        "' is both line ", at->second,
                                        " and line ", i, " of ", file_);
    }
    return OkStatus();
  }

 private:
  std::string file_;
  std::string content_;
  std::vector<absl::string_view> words_;
};

class GenerateVocabRemappingOp final : public OpKernel {
 public:
  explicit GenerateVocabRemappingOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("new_vocab_offset", &offset_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_new_vocab", &count_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("old_vocab_size", &old_size_));
    for (const int64_t lines : {offset_, count_, old_size_}) {
      OP_REQUIRES(ctx, lines <= std::numeric_limits<int32_t>::max(),
                  errors::InvalidArgument(
                      "GenerateVocabRemapping: words are counted in 32 bits, "
                      "got an attr of ",
                      lines));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    Vocabulary words, old;
    OP_REQUIRES_OK(
        ctx,
        words.Read(ctx->env(), ctx->input(0).scalar_value<std::string>(), -1));
    OP_REQUIRES_OK(
        ctx, old.Read(ctx->env(), ctx->input(1).scalar_value<std::string>(),
                      old_size_));
    const int64_t end = AddWithoutOverflow(offset_, count_);
    OP_REQUIRES(ctx, end >= 0 && end <= words.size(),
                errors::InvalidArgument("GenerateVocabRemapping: ", count_,
                                        " lines from line ", offset_,
                                        " on are wanted of ", words.file(),
                                        ", which has ", words.size()));
    absl::flat_hash_map<absl::string_view, int64_t> lines;
    OP_REQUIRES_OK(ctx, old.Index(&lines));
    Tensor *remapping = nullptr, *present = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({count_}), &remapping));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape(), &present));
    int32_t found = 0;
    for (int64_t i = 0; i < count_; ++i) {
      const auto line = lines.find(words.word(offset_ + i));
      const bool is_there = line != lines.end();
      remapping->base<int64_t>()[i] = is_there ? line->second : -1;
      found += is_there;
    }
    *present->base<int32_t>() = found;
  }

 private:
  int64_t offset_ = 0;
  int64_t count_ = 0;
  int64_t old_size_ = -1;
};
REGISTER_KERNEL_BUILDER(Name("GenerateVocabRemapping").Device(DEVICE_CPU),
                        GenerateVocabRemappingOp);

}  // namespace
}  // namespace tensorwright
