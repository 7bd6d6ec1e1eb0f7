// SPDX-License-Identifier: Apache-2.0
// Strings as TensorFlow 2 has them: tstring, absl.
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/stringpiece.h"
#include "tensorflow/core/platform/tstring.h"

namespace {

using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::tstring;

class WordCountOp : public OpKernel {
 public:
  explicit WordCountOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string mode;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("mode", &mode));
    lower_ = absl::EqualsIgnoreCase(mode, "LOWER");
  }

  void Compute(OpKernelContext* ctx) override {
    const auto lines = ctx->input(0).flat<tstring>();
    absl::flat_hash_map<std::string, int64_t> counts;
    for (int64_t i = 0; i < lines.size(); ++i) {
      const tstring& line = lines(i);
      for (absl::string_view word :
           absl::StrSplit(absl::string_view(line.data(), line.size()), ' ',
                          absl::SkipEmpty())) {
        counts[lower_ ? absl::AsciiStrToLower(word) : std::string(word)]++;
      }
    }
    std::vector<std::pair<int64_t, std::string>> sorted;
    for (const auto& [word, count] : counts) sorted.emplace_back(-count, word);
    std::sort(sorted.begin(), sorted.end());

    Tensor* words = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(
                            0, {static_cast<int64_t>(sorted.size())}, &words));
    Tensor* joined = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, {}, &joined));
    auto w = words->vec<tstring>();
    for (size_t i = 0; i < sorted.size(); ++i) {
      w(i) = absl::StrFormat("%s:%d", sorted[i].second, -sorted[i].first);
    }
    tstring all = absl::StrJoin(
        std::vector<std::string>(w.data(), w.data() + w.size()), ",");
    tstring copy;
    copy.resize_uninitialized(all.size());
    std::copy(all.begin(), all.end(), copy.mdata());
    copy.append("!");
    tensorflow::StringPiece view = copy;
    OP_REQUIRES(ctx,
                absl::EndsWith(view, "!") && copy == absl::StrCat(all, "!"),
                tensorflow::errors::Internal("tstring ", copy));
    joined->scalar<tstring>()() = std::move(copy);
  }

 private:
  bool lower_;
};

}  // namespace

REGISTER_OP("CorpusWordCount")
    .Input("lines: string")
    .Output("words: string")
    .Output("joined: string")
    .Attr("mode: string = 'lower'")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->UnknownShapeOfRank(1));
      c->set_output(1, c->Scalar());
      return absl::OkStatus();
    });

REGISTER_KERNEL_BUILDER(Name("CorpusWordCount").Device(tensorflow::DEVICE_CPU),
                        WordCountOp);
