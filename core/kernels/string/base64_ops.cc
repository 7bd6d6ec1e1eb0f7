// SPDX-License-Identifier: Apache-2.0
// EncodeBase64 and DecodeBase64, in the alphabet for URLs and file names.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

constexpr char kAlphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kNone = 0xFF;

constexpr std::array<uint8_t, 256> MakeValues() {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (uint8_t i = 0; i < 64; ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = i;
  }
  return values;
}
constexpr std::array<uint8_t, 256> kValues = MakeValues();

constexpr int64_t kCycles = 300;

void Encode(absl::string_view from, bool pad, std::string* to) {
  const size_t whole = from.size() / 3, rest = from.size() % 3;
  to->resize(4 * whole + (rest == 0 ? 0 : pad ? 4 : rest + 1));
  const auto* in = reinterpret_cast<const unsigned char*>(from.data());
  char* out = to->data();
  for (size_t i = 0; i < whole; ++i, in += 3, out += 4) {
    const uint32_t bits =
        static_cast<uint32_t>(in[0] << 16 | in[1] << 8 | in[2]);
    out[0] = kAlphabet[bits >> 18];
    out[1] = kAlphabet[bits >> 12 & 63];
    out[2] = kAlphabet[bits >> 6 & 63];
    out[3] = kAlphabet[bits & 63];
  }
  if (rest == 0) return;
  const uint32_t bits =
      static_cast<uint32_t>(in[0] << 16 | (rest == 2 ? in[1] << 8 : 0));
  *out++ = kAlphabet[bits >> 18];
  *out++ = kAlphabet[bits >> 12 & 63];
  if (rest == 2) *out++ = kAlphabet[bits >> 6 & 63];
  if (pad) std::fill(out, to->data() + to->size(), '=');
}

Status Decode(absl::string_view from, std::string* to) {
  // Padding completes two or three characters to four.
  if (from.size() % 4 == 0 && !from.empty() && from.back() == '=') {
    from.remove_suffix(from[from.size() - 2] == '=' ? 2 : 1);
  }
  if (from.size() % 4 == 1) {
    return errors::InvalidArgument(
        "DecodeBase64: the length of base64 cannot be 1 modulo 4");
  }
  const size_t whole = from.size() / 4, rest = from.size() % 4;
  to->resize(3 * whole + (rest == 0 ? 0 : rest - 1));
  const auto* in = reinterpret_cast<const unsigned char*>(from.data());
  char* out = to->data();
  uint8_t wrong = 0;  // Only kNone has the two highest bits.
  for (size_t i = 0; i < whole; ++i, in += 4, out += 3) {
    const uint8_t a = kValues[in[0]], b = kValues[in[1]], c = kValues[in[2]],
                  d = kValues[in[3]];
    wrong |= static_cast<uint8_t>(a | b | c | d);
    out[0] = static_cast<char>(a << 2 | b >> 4);
    out[1] = static_cast<char>(b << 4 | c >> 2);
    out[2] = static_cast<char>(c << 6 | d);
  }
  if (rest > 0) {
    const uint8_t a = kValues[in[0]], b = kValues[in[1]],
                  c = rest == 3 ? kValues[in[2]] : uint8_t{0};
    wrong |= static_cast<uint8_t>(a | b | c);
    out[0] = static_cast<char>(a << 2 | b >> 4);
    if (rest == 3) out[1] = static_cast<char>(b << 4 | c >> 2);
  }
  if ((wrong & 0xC0) != 0) {
    return errors::InvalidArgument(
        "DecodeBase64: Invalid character found in base64.");
  }
  return OkStatus();
}

class EncodeBase64Op final : public OpKernel {
 public:
  explicit EncodeBase64Op(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("pad", &pad_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    const auto in = Flat<std::string>(input);
    const auto out = Flat<std::string>(output);
    ParallelFor(ctx, input.NumElements(), kCycles,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    Encode(in[i], pad_, &out[i]);
                  }
                });
  }

 private:
  bool pad_;
};
REGISTER_KERNEL_BUILDER(Name("EncodeBase64").Device(DEVICE_CPU),
                        EncodeBase64Op);

class DecodeBase64Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    const auto in = Flat<std::string>(input);
    const auto out = Flat<std::string>(output);
    ParallelFor(ctx, input.NumElements(), kCycles,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const Status decoded = Decode(in[i], &out[i]);
                    if (!decoded.ok()) return ctx->SetStatus(decoded);
                  }
                });
  }
};
REGISTER_KERNEL_BUILDER(Name("DecodeBase64").Device(DEVICE_CPU),
                        DecodeBase64Op);

}  // namespace
}  // namespace tensorwright
