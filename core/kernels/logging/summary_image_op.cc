// SPDX-License-Identifier: Apache-2.0
// ImageSummary.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/png/png_io.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Rows of pixels of `channels` numbers.
struct ImageShape {
  int height, width, channels;
  int64_t pixels() const { return int64_t{height} * width; }
  int64_t size() const { return pixels() * channels; }
};

template <typename T>
bool IsFinite(const T* pixel, int channels) {
  for (int c = 0; c < channels; ++c) {
    if constexpr (std::is_arithmetic_v<T>) {
      if (!std::isfinite(pixel[c])) return false;
    } else {
      if (!std::isfinite(static_cast<float>(pixel[c]))) return false;
    }
  }
  return true;
}

// y = scale * x + offset takes the image's range to that of a byte.
template <typename T>
struct ByteRange {
  T scale, offset;

  ByteRange(const T* image, const ImageShape& shape) {
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    for (int64_t p = 0; p < shape.pixels(); ++p, image += shape.channels) {
      if (!IsFinite(image, shape.channels)) continue;
      for (int c = 0; c < shape.channels; ++c) {
        low = std::min(low, static_cast<float>(image[c]));
        high = std::max(high, static_cast<float>(image[c]));
      }
    }
    const bool has_negative = low < 0;
    const float largest = has_negative ? std::max(-low, high) : high;
    // What is all but zero stays dark (or grey): noise is not a picture.
    constexpr float kZero = 1e-6f;
    const float reach = has_negative ? 127.0f : 255.0f;
    scale = static_cast<T>(largest < kZero ? 0.0f : reach / largest);
    offset = static_cast<T>(has_negative ? 128.0f : 0.0f);
  }
};

// Cuts off what is behind the point.
template <typename T>
uint8 ToByte(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<uint8>(x);
  } else {
    return static_cast<uint8>(static_cast<float>(x));
  }
}

template <typename T>
void ToBytes(const T* image, const ImageShape& shape, const uint8* bad_color,
             uint8* bytes) {
  const ByteRange<T> range(image, shape);
  const int channels = shape.channels;
  for (int64_t p = 0; p < shape.pixels(); ++p) {
    if (IsFinite(image, channels)) {
      for (int c = 0; c < channels; ++c) {
        const T scaled = image[c] * range.scale;
        bytes[c] = ToByte(static_cast<T>(scaled + range.offset));
      }
    } else {
      std::memcpy(bytes, bad_color, channels);
    }
    image += channels;
    bytes += channels;
  }
}

// Short files matter less than the step that waits for them.
constexpr png::Effort kEffort{.compression = -1, .all_filters = true};

class SummaryImageOp final : public OpKernel {
 public:
  explicit SummaryImageOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_images", &max_images_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("bad_color", &bad_color_));
    OP_REQUIRES(ctx, bad_color_.dtype() == DT_UINT8 && bad_color_.dims() == 1,
                errors::InvalidArgument(
                    "bad_color must be a vector of uint8, got ",
                    DataTypeString(bad_color_.dtype()), " of shape ",
                    bad_color_.shape().DebugString()));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    const Tensor& tensor = ctx->input(1);
    OP_REQUIRES(ctx, tag.dims() == 0,
                errors::InvalidArgument("tag must be a scalar, got shape ",
                                        tag.shape().DebugString()));
    OP_REQUIRES(ctx,
                tensor.dims() == 4 &&
                    (tensor.dim_size(3) == 1 || tensor.dim_size(3) == 3 ||
                     tensor.dim_size(3) == 4),
                errors::InvalidArgument(
                    "tensor must be 4-D with last dim 1, 3, or 4, not ",
                    tensor.shape().DebugString()));
    constexpr int64_t kMost = std::numeric_limits<int>::max() / 8;
    OP_REQUIRES(
        ctx,
        tensor.dim_size(1) > 0 && tensor.dim_size(2) > 0 &&
            tensor.dim_size(1) < kMost && tensor.dim_size(2) < kMost &&
            tensor.dim_size(1) * tensor.dim_size(2) < kMost,
        errors::InvalidArgument("tensor must have images of 1 pixel or more, "
                                "and not too large for a summary, got ",
                                tensor.shape().DebugString()));
    const ImageShape shape{static_cast<int>(tensor.dim_size(1)),
                           static_cast<int>(tensor.dim_size(2)),
                           static_cast<int>(tensor.dim_size(3))};
    OP_REQUIRES(ctx, shape.channels <= bad_color_.NumElements(),
                errors::InvalidArgument("bad_color must have ", shape.channels,
                                        " elements or more, got ",
                                        bad_color_.NumElements()));
    const int64_t n = std::min<int64_t>(max_images_, tensor.dim_size(0));
    std::vector<std::string> pngs(n);
    std::vector<Status> statuses(n);
    constexpr int64_t kNanosPerByte = 20;
    ParallelFor(ctx, n, shape.size() * kNanosPerByte,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    statuses[i] = Encode(tensor, shape, i, &pngs[i]);
                  }
                });
    for (const Status& status : statuses) OP_REQUIRES_OK(ctx, status);
    Write(ctx, *tag.base<std::string>(), shape, std::move(pngs));
  }

 private:
  Status Encode(const Tensor& tensor, const ImageShape& shape, int64_t i,
                std::string* png) const {
    std::vector<uint8> converted;
    const auto convert = [&](const auto* images) {
      converted.resize(shape.size());
      ToBytes(images + i * shape.size(), shape, bad_color_.base<uint8>(),
              converted.data());
    };
    const uint8* bytes = nullptr;
    switch (tensor.dtype()) {
      case DT_UINT8:
        bytes = tensor.base<uint8>() + i * shape.size();
        break;
      case DT_HALF:
        convert(tensor.base<Eigen::half>());
        break;
      case DT_DOUBLE:
        convert(tensor.base<double>());
        break;
      default:
        convert(tensor.base<float>());
    }
    if (bytes == nullptr) bytes = converted.data();
    return png::WriteImageToBuffer(
        bytes, shape.width, shape.height,
        static_cast<size_t>(shape.width) * shape.channels, shape.channels, 8,
        kEffort, {}, png);
  }

  void Write(OpKernelContext* ctx, const std::string& tag,
             const ImageShape& shape, std::vector<std::string> pngs) const {
    Summary summary;
    for (size_t i = 0; i < pngs.size(); ++i) {
      Summary::Value* v = summary.add_value();
      // Numbered by what was asked for, so that a short batch has the same
      // tags.
      v->set_tag(max_images_ > 1 ? absl::StrCat(tag, "/image/", i)
                                 : absl::StrCat(tag, "/image"));
      Summary::Image* image = v->mutable_image();
      image->set_height(shape.height);
      image->set_width(shape.width);
      image->set_colorspace(shape.channels);
      image->set_encoded_image_string(std::move(pngs[i]));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    OP_REQUIRES(
        ctx, summary.SerializeToString(out->base<std::string>()),
        errors::InvalidArgument("The summary is larger than a proto may be: ",
                                summary.ByteSizeLong(), " bytes"));
  }

  int64_t max_images_ = 0;
  Tensor bad_color_;
};
REGISTER_KERNEL_BUILDER(Name("ImageSummary").Device(DEVICE_CPU),
                        SummaryImageOp);

}  // namespace
}  // namespace tensorwright
