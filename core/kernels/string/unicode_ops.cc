// SPDX-License-Identifier: Apache-2.0
// Converts text between bytes and code points: UTF-8, UTF-16, UTF-32, Latin-1
// and ASCII.
//
// Malformed text is cut as Unicode recommends (D93b, "maximal subparts"): as
// many bytes as could have begun a character are one error.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

constexpr int32_t kMalformed = -1;
constexpr int32_t kMax = 0x10FFFF;
constexpr int32_t kReplacement = 0xFFFD;

bool IsSurrogate(int32_t c) { return c >= 0xD800 && c <= 0xDFFF; }
bool IsCharacter(int32_t c) { return c >= 0 && c <= kMax && !IsSurrogate(c); }

enum class Encoding {
  kUtf8,
  kUtf16,
  kUtf16Le,
  kUtf32,
  kUtf32Le,
  kLatin1,
  kAscii
};

// An encoding, and whether the first bytes may give the byte order.
struct InputEncoding {
  Encoding encoding = Encoding::kUtf8;
  bool may_have_mark = false;
};

Status FindEncoding(const std::string& op, const std::string& name,
                    InputEncoding* encoding) {
  std::string plain;
  for (const char c : name) {
    if (c != '-' && c != '_') plain.push_back(absl::ascii_tolower(c));
  }
  const struct {
    const char* name;
    InputEncoding encoding;
  } known[] = {
      {"utf8", {Encoding::kUtf8}},         {"utf16", {Encoding::kUtf16, true}},
      {"utf16be", {Encoding::kUtf16}},     {"utf16le", {Encoding::kUtf16Le}},
      {"utf32", {Encoding::kUtf32, true}}, {"utf32be", {Encoding::kUtf32}},
      {"utf32le", {Encoding::kUtf32Le}},   {"usascii", {Encoding::kAscii}},
      {"ascii", {Encoding::kAscii}},       {"iso88591", {Encoding::kLatin1}},
      {"latin1", {Encoding::kLatin1}},     {"l1", {Encoding::kLatin1}},
  };
  for (const auto& one : known) {
    if (plain != one.name) continue;
    *encoding = one.encoding;
    return OkStatus();
  }
  return errors::InvalidArgument(
      op, ": Could not create converter for input encoding: ", name,
      " (UTF-8, UTF-16, UTF-32, US-ASCII and ISO-8859-1 are known)");
}

// Reads one character of UTF-8 at `p`, `end` - `p` > 0; returns its number of
// bytes.
int ReadUtf8(const uint8_t* p, const uint8_t* end, int32_t* c) {
  const uint8_t first = *p;
  *c = first;
  if (first < 0x80) return 1;
  *c = kMalformed;
  if (first < 0xC2 || first > 0xF4) return 1;
  const int length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  // The bounds of the second byte: they exclude overlong forms, surrogates and
  // values beyond the last.
  const uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  int32_t value = first & (0xFF >> (length + 1));
  for (int i = 1; i < length; ++i) {
    if (p + i == end || p[i] < (i == 1 ? low : 0x80) ||
        p[i] > (i == 1 ? high : 0xBF)) {
      return i;
    }
    value = value << 6 | (p[i] & 0x3F);
  }
  *c = value;
  return length;
}

int32_t Unit16(const uint8_t* p, bool little) {
  return little ? p[1] << 8 | p[0] : p[0] << 8 | p[1];
}

int ReadUtf16(const uint8_t* p, const uint8_t* end, bool little, int32_t* c) {
  *c = kMalformed;
  if (end - p < 2) return 1;
  const int32_t unit = Unit16(p, little);
  if (!IsSurrogate(unit)) {
    *c = unit;
    return 2;
  }
  // A high surrogate alone is one error, and the unit behind it is read by
  // itself.
  if (unit >= 0xDC00) return 2;
  if (end - p < 4) return static_cast<int>(end - p);
  const int32_t next = Unit16(p + 2, little);
  if (next < 0xDC00 || next > 0xDFFF) return 2;
  *c = 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00);
  return 4;
}

int ReadUtf32(const uint8_t* p, const uint8_t* end, bool little, int32_t* c) {
  *c = kMalformed;
  if (end - p < 4) return static_cast<int>(end - p);
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | p[little ? 3 - i : i];
  if (value <= uint32_t{kMax} && !IsSurrogate(static_cast<int32_t>(value))) {
    *c = static_cast<int32_t>(value);
  }
  return 4;
}

// Calls fn(c, begin) for every character, or kMalformed, that begins at byte
// `begin`.  A byte order mark belongs to the character behind it.
template <typename Fn>
void ForEachCharacter(const InputEncoding& input, absl::string_view text,
                      const Fn& fn) {
  const auto* const start = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t *p = start, *const end = start + text.size();
  Encoding encoding = input.encoding;
  int64_t begin = 0;
  if (input.may_have_mark) {
    const bool is_16 = encoding == Encoding::kUtf16;
    const absl::string_view big("\x00\x00\xFE\xFF", 4),
        little("\xFF\xFE\0\0", 4);
    if (text.substr(0, is_16 ? 2 : 4) == (is_16 ? big.substr(2) : big)) {
      p += is_16 ? 2 : 4;
    } else if (text.substr(0, is_16 ? 2 : 4) ==
               (is_16 ? little.substr(0, 2) : little)) {
      p += is_16 ? 2 : 4;
      encoding = is_16 ? Encoding::kUtf16Le : Encoding::kUtf32Le;
    }
  }
  while (p < end) {
    int32_t c = *p;
    int bytes = 1;
    switch (encoding) {
      case Encoding::kUtf8:
        bytes = ReadUtf8(p, end, &c);
        break;
      case Encoding::kUtf16:
      case Encoding::kUtf16Le:
        bytes = ReadUtf16(p, end, encoding == Encoding::kUtf16Le, &c);
        break;
      case Encoding::kUtf32:
      case Encoding::kUtf32Le:
        bytes = ReadUtf32(p, end, encoding == Encoding::kUtf32Le, &c);
        break;
      case Encoding::kLatin1:
        break;
      case Encoding::kAscii:
        if (c >= 0x80) c = kMalformed;
        break;
    }
    fn(c, begin);
    p += bytes;
    begin = p - start;
  }
}

// Appends the character c in an encoding that outputs may have.
void Append(Encoding encoding, int32_t c, std::string* out) {
  const auto add = [out](int32_t byte) {
    out->push_back(static_cast<char>(byte));
  };
  if (encoding == Encoding::kUtf32) {
    for (int shift = 24; shift >= 0; shift -= 8) add(c >> shift & 0xFF);
  } else if (encoding == Encoding::kUtf16) {
    const auto add_unit = [&](int32_t unit) {
      add(unit >> 8);
      add(unit & 0xFF);
    };
    if (c < 0x10000) return add_unit(c);
    add_unit(0xD800 + ((c - 0x10000) >> 10));
    add_unit(0xDC00 + ((c - 0x10000) & 0x3FF));
  } else if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | c >> 6);
    add(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    add(0xE0 | c >> 12);
    add(0x80 | (c >> 6 & 0x3F));
    add(0x80 | (c & 0x3F));
  } else {
    add(0xF0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3F));
    add(0x80 | (c >> 6 & 0x3F));
    add(0x80 | (c & 0x3F));
  }
}

// The attrs about characters that are malformed or not wanted.
class ErrorOptions {
 public:
  Status Init(OpKernelConstruction* ctx) {
    std::string errors;
    TF_RETURN_IF_ERROR(ctx->GetAttr("errors", &errors));
    is_strict = errors == "strict";
    is_ignored = errors == "ignore";
    int64_t with = 0;
    TF_RETURN_IF_ERROR(ctx->GetAttr("replacement_char", &with));
    if (with < 0 || with > kMax) {
      return errors::InvalidArgument(
          ctx->def().op(),
          ": replacement_char out of unicode codepoint range: ", with);
    }
    replacement = IsSurrogate(static_cast<int32_t>(with))
                      ? kReplacement
                      : static_cast<int32_t>(with);
    if (!ctx->HasAttr("replace_control_characters")) return OkStatus();
    return ctx->GetAttr("replace_control_characters", &no_controls);
  }

  // Returns the character to use, or kMalformed to drop it; sets *failed if it
  // is an error.
  int32_t Resolve(int32_t c, bool* failed) const {
    if (c != kMalformed && (!no_controls || c > 0x1F)) return c;
    *failed = *failed || is_strict;
    return is_ignored ? kMalformed : replacement;
  }

  bool is_strict = false;
  bool is_ignored = false;
  bool no_controls = false;
  int32_t replacement = kReplacement;
};

Encoding OutputEncoding(const std::string& name) {
  return name == "UTF-8"       ? Encoding::kUtf8
         : name == "UTF-16-BE" ? Encoding::kUtf16
                               : Encoding::kUtf32;
}

class UnicodeTranscodeOp final : public OpKernel {
 public:
  explicit UnicodeTranscodeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string input, output;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("input_encoding", &input));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("output_encoding", &output));
    OP_REQUIRES_OK(ctx, FindEncoding(type_string(), input, &input_));
    OP_REQUIRES_OK(ctx, options_.Init(ctx));
    output_ = OutputEncoding(output);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &out));
    const auto from = Flat<std::string>(input);
    const auto to = Flat<std::string>(out);
    std::atomic<bool> any_failed{false};
    constexpr int64_t kCost = 200;
    ParallelFor(ctx, static_cast<int64_t>(from.size()), kCost,
                [&](int64_t begin, int64_t end) {
                  bool failed = false;
                  for (int64_t i = begin; i < end; ++i) {
                    to[i].reserve(from[i].size());
                    ForEachCharacter(input_, from[i], [&](int32_t c, int64_t) {
                      c = options_.Resolve(c, &failed);
                      if (c != kMalformed) Append(output_, c, &to[i]);
                    });
                  }
                  if (failed) any_failed = true;
                });
    OP_REQUIRES(ctx, !any_failed,
                errors::InvalidArgument(
                    type_string(), ": Invalid formatting on input string"));
  }

 private:
  InputEncoding input_;
  Encoding output_ = Encoding::kUtf8;
  ErrorOptions options_;
};
REGISTER_KERNEL_BUILDER(Name("UnicodeTranscode").Device(DEVICE_CPU),
                        UnicodeTranscodeOp);

void SetSplit(Tensor* splits, int64_t at, int64_t value) {
  if (splits->dtype() == DT_INT32) {
    splits->base<int32_t>()[at] = static_cast<int32_t>(value);
  } else {
    splits->base<int64_t>()[at] = value;
  }
}

// The op with the bytes at which characters begin, and the one without them.
class UnicodeDecodeOp final : public OpKernel {
 public:
  explicit UnicodeDecodeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string input;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("input_encoding", &input));
    OP_REQUIRES_OK(ctx, FindEncoding(type_string(), input, &input_));
    OP_REQUIRES_OK(ctx, options_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const auto texts = Flat<std::string>(ctx->input(0));
    Tensor* splits = nullptr;
    const auto n = static_cast<int64_t>(texts.size());
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n + 1}), &splits));
    SetSplit(splits, 0, 0);
    std::vector<int32_t> characters;
    std::vector<int64_t> begins;
    const bool wants_begins = num_outputs() > 2;
    bool failed = false;
    for (int64_t i = 0; i < n; ++i) {
      ForEachCharacter(input_, texts[i], [&](int32_t c, int64_t begin) {
        // Unlike in UnicodeTranscode, a control character is no error.
        bool unwanted = false;
        failed = failed || (c == kMalformed && options_.is_strict);
        c = options_.Resolve(c, &unwanted);
        if (c == kMalformed) return;
        characters.push_back(c);
        if (wants_begins) begins.push_back(begin);
      });
      SetSplit(splits, i + 1, static_cast<int64_t>(characters.size()));
    }
    OP_REQUIRES(ctx, !failed,
                errors::InvalidArgument(
                    type_string(), ": Invalid formatting on input string"));
    OP_REQUIRES(
        ctx, splits->dtype() == DT_INT64 || characters.size() <= INT32_MAX,
        errors::InvalidArgument(type_string(),
                                ": too many characters for splits of int32"));
    Tensor* values = nullptr;
    const TensorShape shape({static_cast<int64_t>(characters.size())});
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &values));
    std::copy(characters.begin(), characters.end(), values->base<int32_t>());
    if (!wants_begins) return;
    Tensor* starts = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, shape, &starts));
    std::copy(begins.begin(), begins.end(), starts->base<int64_t>());
  }

 private:
  InputEncoding input_;
  ErrorOptions options_;
};
REGISTER_KERNEL_BUILDER(Name("UnicodeDecode").Device(DEVICE_CPU),
                        UnicodeDecodeOp);
REGISTER_KERNEL_BUILDER(Name("UnicodeDecodeWithOffsets").Device(DEVICE_CPU),
                        UnicodeDecodeOp);

class UnicodeEncodeOp final : public OpKernel {
 public:
  explicit UnicodeEncodeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string output;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("output_encoding", &output));
    OP_REQUIRES_OK(ctx, options_.Init(ctx));
    output_ = OutputEncoding(output);
  }

  void Compute(OpKernelContext* ctx) override {
    const auto values = Flat<int32_t>(ctx->input(0));
    std::vector<int64_t> splits;
    OP_REQUIRES_OK(ctx, Splits(ctx->input(1), ctx->input(0), &splits));
    Tensor* out = nullptr;
    const auto n = static_cast<int64_t>(splits.size()) - 1;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n}), &out));
    bool failed = false;
    for (int64_t i = 0; i < n; ++i) {
      std::string& text = out->base<std::string>()[i];
      for (int64_t k = splits[i]; k < splits[i + 1]; ++k) {
        const int32_t c = options_.Resolve(
            IsCharacter(values[k]) ? values[k] : kMalformed, &failed);
        if (c != kMalformed) Append(output_, c, &text);
      }
    }
    OP_REQUIRES(
        ctx, !failed,
        errors::InvalidArgument(type_string(),
                                ": Code point is out of range for Unicode, or "
                                "is a surrogate."));
  }

 private:
  Status Splits(const Tensor& tensor, const Tensor& values,
                std::vector<int64_t>* splits) const {
    for (int64_t i = 0; i < tensor.NumElements(); ++i) {
      splits->push_back(tensor.dtype() == DT_INT32 ? tensor.base<int32_t>()[i]
                                                   : tensor.base<int64_t>()[i]);
    }
    const auto bad = [this](const char* what) {
      return errors::InvalidArgument(type_string(), ": ", what);
    };
    if (splits->empty()) return bad("input_splits should contain elements");
    if (splits->front() != 0) {
      return bad("First value in input_splits must be zero.");
    }
    if (splits->back() != values.NumElements()) {
      return bad(
          "Last value in input_splits must be equal to length of "
          "input_values.");
    }
    for (size_t i = 1; i < splits->size(); ++i) {
      if ((*splits)[i] >= (*splits)[i - 1]) continue;
      return bad("Values in input_splits must be equal or in ascending order.");
    }
    return OkStatus();
  }

  Encoding output_ = Encoding::kUtf8;
  ErrorOptions options_;
};
REGISTER_KERNEL_BUILDER(Name("UnicodeEncode").Device(DEVICE_CPU),
                        UnicodeEncodeOp);

}  // namespace
}  // namespace tensorwright
