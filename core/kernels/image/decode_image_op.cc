// SPDX-License-Identifier: Apache-2.0
// DecodeBmp, DecodeGif, DecodeImage, DecodeJpeg, DecodeAndCropJpeg, DecodePng.
//
// The beginning of the file tells the format.  DecodeGif, DecodeJpeg and
// DecodePng read each other's formats, and give the shape and dtype of their
// own.

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/bmp/bmp_io.h"
#include "core/lib/gif/gif_io.h"
#include "core/lib/jpeg/jpeg_mem.h"
#include "core/lib/png/png_reader.h"

namespace tensorwright {
namespace {

enum class Format { kUnknown, kJpeg, kPng, kGif, kBmp };

Format FormatOf(absl::string_view file) {
  if (absl::StartsWith(file, "\xff\xd8\xff")) return Format::kJpeg;
  if (absl::StartsWith(file, "\x89PNG\r\n\x1a\n")) return Format::kPng;
  if (absl::StartsWith(file, "GIF8")) return Format::kGif;
  if (absl::StartsWith(file, "BM")) return Format::kBmp;
  return Format::kUnknown;
}

const char* NameOf(Format format) {
  constexpr const char* kNames[] = {"?", "JPEG", "PNG", "GIF", "BMP"};
  return kNames[static_cast<int>(format)];
}

Status ReadJpegOptions(OpKernelConstruction* ctx,
                       jpeg::DecodeOptions* options) {
  std::string dct_method;
  TF_RETURN_IF_ERROR(ctx->GetAttr("ratio", &options->ratio));
  TF_RETURN_IF_ERROR(
      ctx->GetAttr("fancy_upscaling", &options->fancy_upscaling));
  TF_RETURN_IF_ERROR(
      ctx->GetAttr("try_recover_truncated", &options->try_recover_truncated));
  TF_RETURN_IF_ERROR(
      ctx->GetAttr("acceptable_fraction", &options->acceptable_fraction));
  TF_RETURN_IF_ERROR(ctx->GetAttr("dct_method", &dct_method));
  const int ratio = options->ratio;
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
    return errors::InvalidArgument(ctx->def().op(),
                                   ": ratio must be 1, 2, 4 or 8, got ", ratio);
  }
  if (!dct_method.empty() && dct_method != "INTEGER_FAST" &&
      dct_method != "INTEGER_ACCURATE") {
    return errors::InvalidArgument(
        ctx->def().op(),
        ": dct_method must be '', INTEGER_FAST or INTEGER_ACCURATE, got '",
        dct_method, "'");
  }
  options->dct =
      dct_method == "INTEGER_ACCURATE" ? jpeg::Dct::kIslow : jpeg::Dct::kIfast;
  return OkStatus();
}

class DecodeImageOp final : public OpKernel {
 public:
  explicit DecodeImageOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), op_(ctx->def().op()) {
    if (op_ == "DecodeGif") {
      channels_ = 3;
    } else {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("channels", &channels_));
    }
    if (op_ == "DecodeImage") {
      OP_REQUIRES_OK(ctx,
                     ctx->GetAttr("expand_animations", &expand_animations_));
    }
    if (op_ == "DecodeJpeg" || op_ == "DecodeAndCropJpeg") {
      OP_REQUIRES_OK(ctx, ReadJpegOptions(ctx, &jpeg_));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const absl::string_view file = *ctx->input(0).base<std::string>();
    OP_REQUIRES(
        ctx,
        file.size() <= static_cast<size_t>(std::numeric_limits<int>::max()),
        errors::InvalidArgument(op_, ": contents must have less than ",
                                "2^31 bytes, got ", file.size()));
    const Format format = FormatOf(file);
    OP_REQUIRES(ctx, format != Format::kUnknown,
                errors::InvalidArgument(op_,
                                        ": contents must be a JPEG, PNG, GIF "
                                        "or BMP file, got ",
                                        file.size(), " bytes of none of them"));
    OP_REQUIRES(ctx, Takes(format),
                errors::InvalidArgument(
                    op_, ": contents must be of another format, got a ",
                    NameOf(format), " file"));
    const Status status = Decode(ctx, format, file);
    if (!status.ok()) {
      ctx->SetStatus(Status(
          status.code(), absl::StrCat(op_, ": contents: ", status.message())));
    }
  }

 private:
  bool Takes(Format format) const {
    if (op_ == "DecodeImage") return true;
    if (op_ == "DecodeBmp") return format == Format::kBmp;
    if (op_ == "DecodeAndCropJpeg") return format == Format::kJpeg;
    return format != Format::kBmp;
  }

  Status Decode(OpKernelContext* ctx, Format format, absl::string_view file) {
    switch (format) {
      case Format::kJpeg:
        return DecodeJpeg(ctx, file);
      case Format::kPng:
        return DecodePng(ctx, file);
      case Format::kGif:
        return DecodeGif(ctx, file);
      default:
        return DecodeBmp(ctx, file);
    }
  }

  Status ChannelsMustNotBe(int channels, const char* format) const {
    if (channels_ != channels) return OkStatus();
    return errors::InvalidArgument("channels must not be ", channels, " for a ",
                                   format, " file");
  }

  // Allocates the output, [height, width, channels], for DecodeGif with one
  // frame.  Null, with the context's status set, if that fails.
  Tensor* MakeOutput(OpKernelContext* ctx, int64_t height, int64_t width,
                     int64_t channels) const {
    TensorShape shape({height, width, channels});
    if (op_ == "DecodeGif") shape.InsertDim(0, 1);
    Tensor* out = nullptr;
    const Status status = ctx->allocate_output(0, shape, &out);
    if (status.ok()) return out;
    ctx->SetStatus(status);
    return nullptr;
  }

  // As MakeOutput, for bytes: returns those of the output, or of *bytes, which
  // Convert turns into the output.
  uint8_t* MakeBytes(OpKernelContext* ctx, const TensorShape& shape,
                     Tensor* bytes) const {
    Tensor* out = nullptr;
    const bool direct = ctx->expected_output_dtype(0) == DT_UINT8;
    const Status status = direct ? ctx->allocate_output(0, shape, &out)
                                 : ctx->allocate_temp(DT_UINT8, shape, bytes);
    if (status.ok()) return (direct ? out : bytes)->base<uint8_t>();
    ctx->SetStatus(status);
    return nullptr;
  }

  Status Convert(OpKernelContext* ctx, const Tensor& bytes) const {
    if (!bytes.IsInitialized() || bytes.dtype() != DT_UINT8 ||
        ctx->expected_output_dtype(0) == DT_UINT8) {
      return OkStatus();
    }
    Tensor* out = nullptr;
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, bytes.shape(), &out));
    const uint8_t* from = bytes.base<uint8_t>();
    const int64_t n = bytes.NumElements();
    if (out->dtype() == DT_UINT16) {
      uint16_t* to = out->base<uint16_t>();
      for (int64_t i = 0; i < n; ++i) {
        to[i] = static_cast<uint16_t>(from[i] * 256);
      }
    } else {
      float* to = out->base<float>();
      for (int64_t i = 0; i < n; ++i) {
        to[i] = static_cast<float>(from[i]) * (1.0f / 255);
      }
    }
    return OkStatus();
  }

  TensorShape ByteShape(int64_t height, int64_t width, int channels) const {
    TensorShape shape({height, width, channels});
    if (op_ == "DecodeGif") shape.InsertDim(0, 1);
    return shape;
  }

  Status DecodeJpeg(OpKernelContext* ctx, absl::string_view file) {
    TF_RETURN_IF_ERROR(ChannelsMustNotBe(4, "JPEG"));
    jpeg::DecodeOptions options = jpeg_;
    options.channels = channels_;
    if (op_ == "DecodeAndCropJpeg") {
      const int32_t* window = ctx->input(1).base<int32_t>();
      options.crop = true;
      options.crop_top = window[0];
      options.crop_left = window[1];
      options.crop_height = window[2];
      options.crop_width = window[3];
    }
    Tensor bytes;
    TF_RETURN_IF_ERROR(jpeg::Decode(
        file, options, [&](int64_t height, int64_t width, int channels) {
          return MakeBytes(ctx, ByteShape(height, width, channels), &bytes);
        }));
    return Convert(ctx, bytes);
  }

  Status DecodePng(OpKernelContext* ctx, absl::string_view file) {
    const DataType dtype = ctx->expected_output_dtype(0);
    Tensor words;
    TF_RETURN_IF_ERROR(png::ReadImage(
        file, channels_, dtype == DT_UINT8 ? 8 : 16,
        [&](int64_t height, int64_t width, int channels) -> void* {
          if (dtype != DT_FLOAT) {
            Tensor* out = MakeOutput(ctx, height, width, channels);
            return out == nullptr ? nullptr : out->data();
          }
          const Status status = ctx->allocate_temp(
              DT_UINT16, TensorShape({height, width, channels}), &words);
          if (status.ok()) return words.data();
          ctx->SetStatus(status);
          return nullptr;
        }));
    if (dtype != DT_FLOAT || !ctx->status().ok()) return OkStatus();
    Tensor* out = nullptr;
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, words.shape(), &out));
    const uint16_t* from = words.base<uint16_t>();
    float* to = out->base<float>();
    for (int64_t i = 0; i < words.NumElements(); ++i) {
      to[i] = static_cast<float>(from[i]) * (1.0f / 65535);
    }
    return OkStatus();
  }

  Status DecodeGif(OpKernelContext* ctx, absl::string_view file) {
    TF_RETURN_IF_ERROR(ChannelsMustNotBe(1, "GIF"));
    TF_RETURN_IF_ERROR(ChannelsMustNotBe(4, "GIF"));
    const bool frames_wanted =
        op_ == "DecodeGif" || (op_ == "DecodeImage" && expand_animations_);
    // DecodeJpeg and DecodePng read all frames to see that there is only one.
    const bool all = op_ != "DecodeImage" || expand_animations_;
    int64_t found = 0;
    Tensor bytes;
    TF_RETURN_IF_ERROR(gif::Decode(
        file, all, [&](int64_t frames, int64_t height, int64_t width) {
          found = frames;
          if (!frames_wanted && frames != 1) {
            return static_cast<uint8_t*>(nullptr);
          }
          TensorShape shape({height, width, 3});
          if (frames_wanted) shape.InsertDim(0, frames);
          return MakeBytes(ctx, shape, &bytes);
        }));
    if (!frames_wanted && found != 1) {
      return errors::InvalidArgument(
          "a GIF file of ", found,
          " frames is for DecodeGif or DecodeImage alone");
    }
    return Convert(ctx, bytes);
  }

  Status DecodeBmp(OpKernelContext* ctx, absl::string_view file) {
    TF_RETURN_IF_ERROR(ChannelsMustNotBe(1, "BMP"));
    bmp::Layout layout;
    TF_RETURN_IF_ERROR(bmp::ReadLayout(file, &layout));
    if (channels_ != 0 && channels_ != layout.channels) {
      return errors::InvalidArgument("channels must be those of the file, ",
                                     layout.channels, ", or 0, got ",
                                     channels_);
    }
    Tensor bytes;
    uint8_t* to = MakeBytes(
        ctx, ByteShape(layout.height, layout.width, layout.channels), &bytes);
    if (to == nullptr) return OkStatus();
    bmp::CopyPixels(layout, to);
    return Convert(ctx, bytes);
  }

  const std::string op_;
  int channels_ = 0;
  bool expand_animations_ = true;
  jpeg::DecodeOptions jpeg_;
};

REGISTER_KERNEL_BUILDER(Name("DecodeBmp").Device(DEVICE_CPU), DecodeImageOp);
REGISTER_KERNEL_BUILDER(Name("DecodeGif").Device(DEVICE_CPU), DecodeImageOp);
REGISTER_KERNEL_BUILDER(Name("DecodeImage").Device(DEVICE_CPU), DecodeImageOp);
REGISTER_KERNEL_BUILDER(Name("DecodeJpeg").Device(DEVICE_CPU), DecodeImageOp);
REGISTER_KERNEL_BUILDER(Name("DecodeAndCropJpeg").Device(DEVICE_CPU),
                        DecodeImageOp);
REGISTER_KERNEL_BUILDER(Name("DecodePng").Device(DEVICE_CPU), DecodeImageOp);

}  // namespace
}  // namespace tensorwright
