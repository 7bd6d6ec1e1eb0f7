// SPDX-License-Identifier: Apache-2.0
// DecodeCompressed: inflates strings in zlib's or gzip's format.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/compression.h"
#include "core/lib/io/inputstream_interface.h"
#include "core/lib/io/zlib_inputstream.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A string as a stream.
class StringInputStream final : public io::InputStreamInterface {
 public:
  explicit StringInputStream(absl::string_view bytes) : bytes_(bytes) {}

  Status ReadNBytes(int64_t bytes_to_read, tstring* result) override {
    const absl::string_view read =
        bytes_.substr(at_, static_cast<size_t>(bytes_to_read));
    result->assign(read.data(), read.size());
    at_ += read.size();
    return read.size() == static_cast<size_t>(bytes_to_read)
               ? Status()
               : errors::OutOfRange("the end of the string");
  }
  int64_t Tell() const override { return static_cast<int64_t>(at_); }
  Status Reset() override {
    at_ = 0;
    return Status();
  }

 private:
  const absl::string_view bytes_;
  size_t at_ = 0;
};

Status Inflate(const std::string& from, std::string* to) {
  StringInputStream stream(from);
  const size_t block = std::clamp<size_t>(from.size(), 64, 256 << 10);
  io::ZlibInputStream inflated(&stream, block, block,
                               io::ZlibCompressionOptions());
  tstring all;
  const Status read =
      inflated.ReadNBytes(std::numeric_limits<int64_t>::max(), &all);
  *to = std::move(all);
  return errors::IsOutOfRange(read) ? Status() : read;
}

class DecodeCompressedOp final : public OpKernel {
 public:
  explicit DecodeCompressedOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compression_type", &type_));
    OP_REQUIRES_OK(
        ctx, io::CheckCompression(type_string(), "compression_type", type_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    if (type_.empty()) {
      ctx->set_output(0, input);
      return;
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    const auto in = Flat<std::string>(input);
    const auto out = Flat<std::string>(output);
    constexpr int64_t kCycles = 20000;
    ParallelFor(ctx, input.NumElements(), kCycles,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const Status inflated = Inflate(in[i], &out[i]);
                    if (!inflated.ok()) return ctx->SetStatus(inflated);
                  }
                });
  }

 private:
  std::string type_;
};
REGISTER_KERNEL_BUILDER(Name("DecodeCompressed").Device(DEVICE_CPU),
                        DecodeCompressedOp);

}  // namespace
}  // namespace tensorwright
