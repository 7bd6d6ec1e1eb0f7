// SPDX-License-Identifier: Apache-2.0
// DecodeWav.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr uint16_t kPcm = 1;
constexpr int64_t kSampleBytes = 2;

struct WavContents {
  int64_t sample_rate = 0;
  int64_t channels = 0;
  int64_t frames = 0;
  // frames * channels samples of 16 bits, little-endian; a part of the file's
  // bytes.
  std::string_view samples;
};

Status TooShort(const char* what, size_t at) {
  return errors::InvalidArgument("WAV: the file ends in ", what, ", at byte ",
                                 at);
}

// Reads the parts of a file in turn.
class Parts {
 public:
  explicit Parts(std::string_view file) : file_(file) {}

  bool done() const { return at_ >= file_.size(); }

  Status Take(size_t n, const char* what, std::string_view* part) {
    if (n > file_.size() - at_) return TooShort(what, file_.size());
    *part = file_.substr(at_, n);
    at_ += n;
    return OkStatus();
  }

  Status Expect(std::string_view text) {
    std::string_view part;
    TF_RETURN_IF_ERROR(Take(text.size(), "its header", &part));
    if (part == text) return OkStatus();
    return errors::InvalidArgument("Header mismatch: Expected ", text,
                                   " but found ", part);
  }

  // Reads a chunk: four letters, its size, its content.  A chunk of an odd size
  // is followed by a byte that fills it up.
  Status Chunk(std::string_view* id, std::string_view* content) {
    std::string_view size;
    TF_RETURN_IF_ERROR(Take(4, "the name of a chunk", id));
    TF_RETURN_IF_ERROR(Take(4, "the size of a chunk", &size));
    const uint32_t n = core::DecodeFixed32(size.data());
    TF_RETURN_IF_ERROR(Take(n, "a chunk", content));
    if (n % 2 == 1 && !done()) ++at_;
    return OkStatus();
  }

 private:
  std::string_view file_;
  size_t at_ = 0;
};

// The chunk "fmt ": format, channels, rate, bytes a second, bytes a frame,
// bits a sample; more may follow.
Status ParseFormat(std::string_view chunk, WavContents* contents) {
  constexpr size_t kBytes = 16;
  if (chunk.size() < kBytes) return TooShort("the format", chunk.size());
  const char* at = chunk.data();
  const uint16_t format = core::DecodeFixed16(at);
  contents->channels = core::DecodeFixed16(at + 2);
  contents->sample_rate = core::DecodeFixed32(at + 4);
  const uint16_t frame_bytes = core::DecodeFixed16(at + 12);
  const uint16_t bits = core::DecodeFixed16(at + 14);
  if (format != kPcm) {
    return errors::InvalidArgument(
        "Bad audio format for WAV: Expected 1 (PCM), but got ", format);
  }
  if (contents->channels == 0) {
    return errors::InvalidArgument(
        "Bad number of channels for WAV: Expected at least 1, but got 0");
  }
  if (bits != 8 * kSampleBytes) {
    return errors::InvalidArgument(
        "Can only read 16-bit WAV files, but received ", bits);
  }
  if (frame_bytes != contents->channels * kSampleBytes) {
    return errors::InvalidArgument(
        "Bad bytes per sample in WAV header: Expected ",
        contents->channels * kSampleBytes, " but got ", frame_bytes);
  }
  if (contents->sample_rate > std::numeric_limits<int32_t>::max()) {
    return errors::InvalidArgument("Bad sample rate in WAV header: ",
                                   contents->sample_rate);
  }
  return OkStatus();
}

// InvalidArgument, with the expected and the actual content, unless the file
// has 16-bit PCM samples, all there.  Chunks that are neither format nor
// samples are skipped, and so is a last frame that is not whole.
Status ParseWav(std::string_view file, WavContents* contents) {
  Parts parts(file);
  std::string_view unused, id, chunk;
  TF_RETURN_IF_ERROR(parts.Expect("RIFF"));
  // The size of the rest of the file: streams have 0 or the largest number
  // here.
  TF_RETURN_IF_ERROR(parts.Take(4, "its header", &unused));
  TF_RETURN_IF_ERROR(parts.Expect("WAVE"));
  bool has_format = false;
  while (!parts.done()) {
    TF_RETURN_IF_ERROR(parts.Chunk(&id, &chunk));
    if (id == "fmt ") {
      TF_RETURN_IF_ERROR(ParseFormat(chunk, contents));
      has_format = true;
    } else if (id == "data") {
      if (!has_format) break;
      contents->samples = chunk;
      contents->frames = static_cast<int64_t>(chunk.size()) /
                         (contents->channels * kSampleBytes);
      return OkStatus();
    }
  }
  return errors::InvalidArgument("No ", has_format ? "data" : "fmt ",
                                 " chunk found in WAV file");
}

class DecodeWavOp final : public OpKernel {
 public:
  explicit DecodeWavOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("desired_channels", &channels_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("desired_samples", &frames_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& contents = ctx->input(0);
    OP_REQUIRES(ctx, contents.dims() == 0,
                errors::InvalidArgument("contents must be scalar, got shape ",
                                        contents.shape().DebugString()));
    WavContents wav;
    OP_REQUIRES_OK(ctx, ParseWav(*contents.base<std::string>(), &wav));
    const int64_t channels = channels_ == -1 ? wav.channels : channels_;
    const int64_t frames = frames_ == -1 ? wav.frames : frames_;
    TensorShape shape;
    OP_REQUIRES_OK(ctx,
                   TensorShape::BuildTensorShape({frames, channels}, &shape));
    Tensor* audio = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &audio));
    Tensor* rate = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape(), &rate));
    *rate->base<int32_t>() = static_cast<int32_t>(wav.sample_rate);
    Fill(wav, frames, channels, audio->base<float>());
  }

 private:
  static void Fill(const WavContents& wav, int64_t frames, int64_t channels,
                   float* out) {
    if (channels == 0) return;
    const int64_t there = std::min(frames, wav.frames);
    for (int64_t i = 0; i < there; ++i) {
      const char* frame = wav.samples.data() + i * wav.channels * kSampleBytes;
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t from = std::min(c, wav.channels - 1);
        const auto sample = static_cast<int16_t>(
            core::DecodeFixed16(frame + from * kSampleBytes));
        *out++ = static_cast<float>(sample) / 32768.0f;
      }
    }
    std::fill_n(out, (frames - there) * channels, 0.0f);
  }

  int32_t channels_ = -1, frames_ = -1;
};
REGISTER_KERNEL_BUILDER(Name("DecodeWav").Device(DEVICE_CPU), DecodeWavOp);

}  // namespace
}  // namespace tensorwright
