// SPDX-License-Identifier: Apache-2.0
// Kernels that make one string of one, and steps through UTF-8.
#ifndef TENSORWRIGHT_CORE_KERNELS_STRING_UNARY_STRINGS_H_
#define TENSORWRIGHT_CORE_KERNELS_STRING_UNARY_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// Sets output 0 to input 0 with change(&string) applied to each string; changes
// the input in place if no one else reads it.  `cycles` is the cost of a
// string.
template <typename Change>
void ChangeStrings(OpKernelContext* ctx, int64_t cycles, const Change& change) {
  const Tensor input = ctx->input(0);
  Tensor* output = nullptr;
  int forwarded = -1;
  OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                          {0}, 0, input.shape(), &output, &forwarded));
  const auto in = Flat<std::string>(input);
  const auto out = Flat<std::string>(output);
  ParallelFor(ctx, input.NumElements(), cycles,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  if (forwarded < 0) out[i] = in[i];
                  change(&out[i]);
                }
              });
}

// Says whether a byte continues a character.
inline bool IsUtf8Trail(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Returns the number of characters, valid or not, by the bytes that begin one.
inline size_t Utf8Length(absl::string_view s) {
  size_t n = 0;
  for (const char c : s) n += IsUtf8Trail(c) ? 0 : 1;
  return n;
}

enum class StringUnit { kByte, kUtf8Char };

// Reads attr `unit`, whose values the op restricts.
inline Status StringUnitOf(OpKernelConstruction* ctx, StringUnit* unit) {
  std::string text;
  TF_RETURN_IF_ERROR(ctx->GetAttr("unit", &text));
  *unit = text == "BYTE" ? StringUnit::kByte : StringUnit::kUtf8Char;
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_STRING_UNARY_STRINGS_H_
