// SPDX-License-Identifier: Apache-2.0
// Strings: 1.x's strings::, str_util::, StringPiece, numbers, Scanner, base64.
#include <algorithm>
#include <string>
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/core/stringpiece.h"
#include "tensorflow/core/lib/hash/hash.h"
#include "tensorflow/core/lib/strings/base64.h"
#include "tensorflow/core/lib/strings/numbers.h"
#include "tensorflow/core/lib/strings/scanner.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/lib/strings/stringprintf.h"
#include "tensorflow/core/platform/fingerprint.h"
#include "tensorflow/core/platform/types.h"

using namespace tensorflow;

REGISTER_OP("CorpusTokenize")
    .Input("text: string")
    .Attr("delimiters: string = ' ,'")
    .Output("tokens: string")
    .Output("hashes: int64")
    .Output("report: string");

class TokenizeOp : public OpKernel {
 public:
  explicit TokenizeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("delimiters", &delimiters_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& text = ctx->input(0);
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(text.shape()),
                errors::InvalidArgument("text must be a scalar, got shape ",
                                        text.shape().DebugString()));
    const string& line = text.scalar<string>()();
    std::vector<string> tokens =
        str_util::Split(line, delimiters_, str_util::SkipEmpty());
    std::sort(tokens.begin(), tokens.end());
    const int64 n = static_cast<int64>(tokens.size());
    Tensor *out, *hashes, *report;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n}), &out));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({n}), &hashes));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({}), &report));
    string summary = strings::Printf("%d tokens", static_cast<int>(n));
    for (int64 i = 0; i < n; ++i) {
      StringPiece piece(tokens[i]);
      out->flat<string>()(i) = str_util::Lowercase(piece);
      hashes->flat<int64>()(i) = static_cast<int64>(
          (Hash64(tokens[i]) ^ Fingerprint64(tokens[i])) & 0x7fffffff);
      int32 number;
      float real;
      uint64 big;
      double wide;
      if (strings::safe_strto32(piece, &number)) {
        strings::StrAppend(&summary, " int ", number);
      } else if (strings::safe_strtof(tokens[i].c_str(), &real)) {
        strings::Appendf(&summary, " float %.2f", real);
      } else if (strings::safe_strtou64(piece, &big) ||
                 strings::safe_strtod(tokens[i].c_str(), &wide)) {
        summary += " number";
      }
      if (piece.starts_with("x") && piece.ends_with("z") &&
          piece.contains("y")) {
        strings::StrAppend(&summary, " xyz:", piece.ToString());
      }
      if (piece.Consume("pre")) summary.append(piece.data(), piece.size());
      StringPiece name, rest;
      if (strings::Scanner(tokens[i])
              .One(strings::Scanner::LETTER)
              .Any(strings::Scanner::LETTER_DIGIT_UNDERSCORE)
              .OneLiteral("=")
              .GetResult(&rest, &name)) {
        strings::StrAppend(&summary, " key ", name, " value ", rest);
      }
    }
    string encoded, decoded;
    OP_REQUIRES_OK(ctx, Base64Encode(line, &encoded));
    OP_REQUIRES_OK(ctx, Base64Decode(encoded, &decoded));
    OP_REQUIRES(ctx, decoded == line, errors::Internal("base64"));
    strings::StrAppend(&summary, " ", str_util::Join(tokens, "|"), " ",
                       strings::Hex(255, strings::kZeroPad4), " ",
                       strings::HumanReadableNumBytes(1 << 20), " ",
                       strings::HumanReadableNum(1500), " ",
                       strings::FpToString(0x1f));
    string padded = str_util::StringReplace("a-b-c", "-", "+", true);
    StringPiece view(padded);
    str_util::ConsumePrefix(&view, "a+");
    str_util::RemoveTrailingWhitespace(&view);
    StringPiece head = view.substr(0, 1);
    CHECK_EQ(head, "b");
    CHECK(!view.empty() && view.size() == 3 && view[0] == 'b');
    report->scalar<string>()() =
        summary + " " + str_util::CEscape("\n") + string(view);
  }

 private:
  string delimiters_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusTokenize").Device(DEVICE_CPU), TokenizeOp);
