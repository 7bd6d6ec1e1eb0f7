// SPDX-License-Identifier: Apache-2.0
// StringSplit and StringSplitV2: they give the parts of strings as a sparse
// matrix.

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using Parts = std::vector<absl::string_view>;

// Splits each string by split(string, &parts), which appends to parts, and
// writes outputs 0 to 2.
template <typename Split>
void SplitAll(OpKernelContext* ctx, const Split& split) {
  const auto strings = Flat<std::string>(ctx->input(0));
  const int64_t rows = static_cast<int64_t>(strings.size());
  // The parts of row r begin at starts[r].
  Parts parts;
  std::vector<int64_t> starts(strings.size() + 1, 0);
  int64_t longest = 0;
  for (int64_t r = 0; r < rows; ++r) {
    split(strings[r], &parts);
    starts[r + 1] = static_cast<int64_t>(parts.size());
    longest = std::max(longest, starts[r + 1] - starts[r]);
  }
  const int64_t n = starts.back();
  Tensor *indices = nullptr, *values = nullptr, *shape = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n, 2}), &indices));
  OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({n}), &values));
  OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({2}), &shape));
  Flat<int64_t>(shape)[0] = rows;
  Flat<int64_t>(shape)[1] = longest;
  const auto at = Flat<int64_t>(indices);
  const auto out = Flat<std::string>(values);
  const int64_t cycles = rows == 0 ? 1 : 40 * (n / rows + 1);
  ParallelFor(ctx, rows, cycles, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = starts[r]; i < starts[r + 1]; ++i) {
        at[2 * i] = r;
        at[2 * i + 1] = i - starts[r];
        out[i].assign(parts[i].data(), parts[i].size());
      }
    }
  });
}

class StringSplitOp final : public OpKernel {
 public:
  explicit StringSplitOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("skip_empty", &skip_empty_));
  }

  void Compute(OpKernelContext* ctx) override {
    const std::string& delimiter = ctx->input(1).scalar_value<std::string>();
    std::bitset<256> ends;
    for (const char c : delimiter) ends.set(static_cast<unsigned char>(c));
    SplitAll(ctx, [&](absl::string_view s, Parts* parts) {
      if (s.empty()) return;
      if (delimiter.empty()) {
        for (size_t i = 0; i < s.size(); ++i) parts->push_back(s.substr(i, 1));
        return;
      }
      size_t begin = 0;
      for (size_t i = 0; i <= s.size(); ++i) {
        if (i < s.size() && !ends[static_cast<unsigned char>(s[i])]) continue;
        if (i > begin || !skip_empty_) {
          parts->push_back(s.substr(begin, i - begin));
        }
        begin = i + 1;
      }
    });
  }

 private:
  bool skip_empty_;
};
REGISTER_KERNEL_BUILDER(Name("StringSplit").Device(DEVICE_CPU), StringSplitOp);

// Splits at runs of white space; the rest after `most` splits is the last part,
// empty or not.
void SplitAtSpace(absl::string_view s, int64_t most, Parts* parts) {
  if (most == 0) {
    parts->push_back(s);
    return;
  }
  s = absl::StripLeadingAsciiWhitespace(s);
  for (int64_t split = 0; !s.empty();) {
    const auto end = std::find_if(s.begin(), s.end(), absl::ascii_isspace);
    const size_t n = static_cast<size_t>(end - s.begin());
    parts->push_back(s.substr(0, n));
    s = absl::StripLeadingAsciiWhitespace(s.substr(n));
    if (++split == most) {
      parts->push_back(s);
      return;
    }
  }
}

void SplitAtSeparator(absl::string_view s, absl::string_view separator,
                      int64_t most, Parts* parts) {
  for (int64_t split = 0; split != most; ++split) {
    const size_t at = s.find(separator);
    if (at == s.npos) break;
    parts->push_back(s.substr(0, at));
    s.remove_prefix(at + separator.size());
  }
  parts->push_back(s);
}

class StringSplitV2Op final : public OpKernel {
 public:
  explicit StringSplitV2Op(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("maxsplit", &maxsplit_));
  }

  void Compute(OpKernelContext* ctx) override {
    const std::string& separator = ctx->input(1).scalar_value<std::string>();
    const int64_t most = std::max<int64_t>(maxsplit_, -1);
    SplitAll(ctx, [&](absl::string_view s, Parts* parts) {
      if (separator.empty()) {
        SplitAtSpace(s, most, parts);
      } else {
        SplitAtSeparator(s, separator, most, parts);
      }
    });
  }

 private:
  int64_t maxsplit_;
};
REGISTER_KERNEL_BUILDER(Name("StringSplitV2").Device(DEVICE_CPU),
                        StringSplitV2Op);

}  // namespace
}  // namespace tensorwright
