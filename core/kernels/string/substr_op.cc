// SPDX-License-Identifier: Apache-2.0
// Substr: takes a part of each string, in bytes or characters.

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/string/unary_strings.h"
#include "core/lib/core/errors.h"
#include "core/util/bcast.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Moves *begin to the byte at which the n-th character after it begins; false
// if there are fewer.  The end of the string counts as a beginning.
bool Forward(absl::string_view s, int64_t n, size_t* begin) {
  size_t at = *begin;
  for (; n > 0; --n) {
    if (at >= s.size()) return false;
    do {
      ++at;
    } while (at < s.size() && IsUtf8Trail(s[at]));
  }
  *begin = at;
  return true;
}

// Finds the beginning of the n-th character from the end.
bool Backward(absl::string_view s, uint64_t n, size_t* begin) {
  size_t at = s.size();
  for (; n > 0; --n) {
    if (at == 0) return false;
    do {
      --at;
    } while (at > 0 && IsUtf8Trail(s[at]));
  }
  *begin = at;
  return true;
}

// Takes a part in bytes; false if pos is not in s.  A negative len means all
// the rest.
bool SubBytes(absl::string_view s, int64_t pos, int64_t len,
              absl::string_view* part) {
  const int64_t size = static_cast<int64_t>(s.size());
  if (pos > size || pos < -size) return false;
  const int64_t begin = pos < 0 ? size + pos : pos;
  const size_t n = len < 0 ? absl::string_view::npos : static_cast<size_t>(len);
  *part = s.substr(static_cast<size_t>(begin), n);
  return true;
}

// Takes a part in characters; a negative len means no characters.
bool SubChars(absl::string_view s, int64_t pos, int64_t len,
              absl::string_view* part) {
  size_t begin = 0;
  const bool found = pos < 0
                         ? Backward(s, 0 - static_cast<uint64_t>(pos), &begin)
                         : Forward(s, pos, &begin);
  if (!found) return false;
  size_t end = begin;
  if (!Forward(s, len, &end)) end = s.size();
  *part = s.substr(begin, end - begin);
  return true;
}

template <typename T>
class SubstrOp final : public OpKernel {
 public:
  explicit SubstrOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, StringUnitOf(ctx, &unit_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& pos = ctx->input(1);
    const BCast both(BCast::FromShape(input.shape()),
                     BCast::FromShape(pos.shape()));
    OP_REQUIRES(
        ctx, both.IsValid(),
        errors::InvalidArgument("Substr: shape ", input.shape().DebugString(),
                                " of input and ", pos.shape().DebugString(),
                                " of pos do not broadcast"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(
                            0, BCast::ToShape(both.output_shape()), &output));
    const auto strings = Flat<std::string>(input);
    const auto positions = Flat<T>(pos);
    const auto lengths = Flat<T>(ctx->input(2));
    const auto parts = Flat<std::string>(output);
    constexpr int64_t kCycles = 150;
    ParallelFor(
        ctx, output->NumElements(), kCycles, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t s = IndexOf(both.x_reshape(), both, i);
            const int64_t p = IndexOf(both.y_reshape(), both, i);
            if (!Part(strings[s], positions[p], lengths[p], &parts[i])) {
              return ctx->SetStatus(errors::InvalidArgument(
                  "Substr: pos ", positions[p],
                  " out of range for string at index ", s));
            }
          }
        });
  }

 private:
  bool Part(const std::string& s, int64_t pos, int64_t len,
            std::string* part) const {
    absl::string_view view;
    const bool found = unit_ == StringUnit::kByte
                           ? SubBytes(s, pos, len, &view)
                           : SubChars(s, pos, len, &view);
    if (found) part->assign(view.data(), view.size());
    return found;
  }

  // Returns the element of an operand that belongs to element i of the output.
  static int64_t IndexOf(const BCast::Vec& operand, const BCast& both,
                         int64_t i) {
    const BCast::Vec& result = both.result_shape();
    int64_t index = 0, stride = 1;
    for (size_t d = result.size(); d-- > 0;) {
      const int64_t at = i % result[d];
      i /= result[d];
      if (operand[d] != 1) index += at * stride;
      stride *= operand[d];
    }
    return index;
  }

  StringUnit unit_;
};
REGISTER_KERNEL_FOR_TYPES(Name("Substr").Device(DEVICE_CPU), "T", SubstrOp,
                          int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
