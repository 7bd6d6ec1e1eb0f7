// SPDX-License-Identifier: Apache-2.0
// Text: regular expressions, numbers, lists of numbers, paths, hashes.
#include <unordered_map>
#include <unordered_set>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/gtl/map_util.h"
#include "tensorflow/core/lib/hash/hash.h"
#include "tensorflow/core/lib/io/path.h"
#include "tensorflow/core/lib/strings/numbers.h"
#include "tensorflow/core/lib/strings/proto_serialization.h"
#include "tensorflow/core/lib/strings/regexp.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/lib/strings/stringprintf.h"
#include "tensorflow/core/platform/regexp.h"

namespace tensorflow {

REGISTER_OP("CorpusTextRules")
    .Input("text: string")
    .Output("replaced: string")
    .Output("facts: string")
    .Attr("pattern: string")
    .Attr("rewrite: string");

class CorpusTextRulesOp : public OpKernel {
 public:
  explicit CorpusTextRulesOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    string pattern;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("pattern", &pattern));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("rewrite", &rewrite_));
    re_.reset(new RE2(pattern, RE2::Quiet));
    OP_REQUIRES(ctx, re_->ok(),
                errors::InvalidArgument("Invalid pattern: ", pattern,
                                        ", error: ", re_->error()));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    Tensor* out;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("replaced", in.shape(), &out));
    std::unordered_set<string, hash<string>> seen;
    std::unordered_map<StringPiece, int, StringPieceHasher> counts;
    for (int64 i = 0; i < in.NumElements(); ++i) {
      string text = in.flat<tstring>()(i);
      RE2::GlobalReplace(&text, *re_, rewrite_);
      seen.insert(text);
      ++counts[in.flat<tstring>()(i)];
      out->flat<tstring>()(i) = text;
    }
    std::vector<string> facts;
    facts.push_back(
        strings::StrCat("distinct=", seen.size(), "/", counts.size()));
    char buffer[strings::kFastToBufferSize];
    strings::FastInt64ToBufferLeft(-12, buffer);
    facts.push_back(buffer);
    strings::FloatToBuffer(0.1f, buffer);
    facts.push_back(buffer);
    uint64 hex = 0;
    CHECK(strings::HexStringToUint64("fF", &hex));
    facts.push_back(strings::StrCat(hex));
    std::vector<int32> ints;
    CHECK(str_util::SplitAndParseAsInts("3,1,-4", ',', &ints));
    CHECK(!str_util::SplitAndParseAsInts("3,x", ',', &ints));
    facts.push_back(str_util::Join(ints, "+"));
    std::vector<float> floats;
    CHECK(str_util::SplitAndParseAsFloats("0.5;2", ';', &floats));
    facts.push_back(strings::StrCat(floats[0] * floats[1]));
    facts.push_back(str_util::Join(
        str_util::Split("a,,b", ',', str_util::SkipEmpty()), "|"));
    facts.push_back(str_util::ArgDefCase("RowNorm of 3D"));
    facts.push_back(io::CleanPath("/a//b/../c/./d"));
    StringPiece scheme, host, path;
    io::ParseURI("s3://bucket/a/b", &scheme, &host, &path);
    facts.push_back(strings::StrCat(scheme, "+", host, "+", path));
    facts.push_back(io::CreateURI("http", "x.org", "/y"));
    facts.push_back(string(io::BasenamePrefix("/x/name.tar.gz")));
    AttrValue attr, copy;
    attr.set_i(3);
    copy.set_i(3);
    string bytes;
    CHECK(SerializeToStringDeterministic(attr, &bytes));
    CHECK(AreSerializedProtosEqual(attr, copy));
    facts.push_back(strings::Printf("%d", static_cast<int>(bytes.size())));
    OP_REQUIRES_OK(
        ctx,
        ctx->allocate_output(
            "facts", TensorShape({static_cast<int64>(facts.size())}), &out));
    for (size_t i = 0; i < facts.size(); ++i) {
      out->vec<tstring>()(i) = facts[i];
    }
  }

 private:
  std::unique_ptr<RE2> re_;
  string rewrite_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusTextRules").Device(DEVICE_CPU),
                        CorpusTextRulesOp);

}  // namespace tensorflow
