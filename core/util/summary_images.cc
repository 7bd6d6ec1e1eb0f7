// SPDX-License-Identifier: Apache-2.0
#include "core/util/summary_images.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
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

// y = scale * x + offset maps the image's range to that of a byte.
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
    // Values that are all but zero stay dark (or grey): noise is not a picture.
    constexpr float kZero = 1e-6f;
    const float reach = has_negative ? 127.0f : 255.0f;
    scale = static_cast<T>(largest < kZero ? 0.0f : reach / largest);
    offset = static_cast<T>(has_negative ? 128.0f : 0.0f);
  }
};

// Cuts off the digits behind the point.
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

// A fast step matters more than short files.
constexpr png::Effort kEffort{.compression = -1, .all_filters = true};

// Encodes image `i` of the tensor.
Status Encode(const Tensor& tensor, const ImageShape& shape,
              const uint8* bad_color, int64_t i, std::string* png) {
  std::vector<uint8> converted;
  const auto convert = [&](const auto* images) {
    converted.resize(shape.size());
    ToBytes(images + i * shape.size(), shape, bad_color, converted.data());
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

Status Check(const Tensor& tensor, const Tensor& bad_color, ImageShape* shape) {
  if (tensor.dims() != 4 ||
      (tensor.dim_size(3) != 1 && tensor.dim_size(3) != 3 &&
       tensor.dim_size(3) != 4)) {
    return errors::InvalidArgument(
        "tensor must be 4-D with last dim 1, 3, or 4, not ",
        tensor.shape().DebugString());
  }
  constexpr int64_t kMost = std::numeric_limits<int>::max() / 8;
  if (tensor.dim_size(1) <= 0 || tensor.dim_size(2) <= 0 ||
      tensor.dim_size(1) >= kMost || tensor.dim_size(2) >= kMost ||
      tensor.dim_size(1) * tensor.dim_size(2) >= kMost) {
    return errors::InvalidArgument(
        "tensor must have images of 1 pixel or more, and not too large for a "
        "summary, got ",
        tensor.shape().DebugString());
  }
  *shape = ImageShape{static_cast<int>(tensor.dim_size(1)),
                      static_cast<int>(tensor.dim_size(2)),
                      static_cast<int>(tensor.dim_size(3))};
  if (shape->channels > bad_color.NumElements()) {
    return errors::InvalidArgument("bad_color must have ", shape->channels,
                                   " elements or more, got ",
                                   bad_color.NumElements());
  }
  return OkStatus();
}

}  // namespace

Status AddImageSummaries(OpKernelContext* ctx, const Tensor& tensor,
                         const std::string& tag, int64_t max_images,
                         const Tensor& bad_color, Summary* summary) {
  ImageShape shape;
  TF_RETURN_IF_ERROR(Check(tensor, bad_color, &shape));
  const int64_t n = std::min<int64_t>(max_images, tensor.dim_size(0));
  std::vector<std::string> pngs(n);
  std::vector<Status> statuses(n);
  constexpr int64_t kNanosPerByte = 20;
  ParallelFor(
      ctx, n, shape.size() * kNanosPerByte, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          statuses[i] =
              Encode(tensor, shape, bad_color.base<uint8>(), i, &pngs[i]);
        }
      });
  for (const Status& status : statuses) TF_RETURN_IF_ERROR(status);
  for (int64_t i = 0; i < n; ++i) {
    Summary::Value* v = summary->add_value();
    // The number asked for decides the tags, so that a short batch has the same
    // ones.
    v->set_tag(max_images > 1 ? absl::StrCat(tag, "/image/", i)
                              : absl::StrCat(tag, "/image"));
    Summary::Image* image = v->mutable_image();
    image->set_height(shape.height);
    image->set_width(shape.width);
    image->set_colorspace(shape.channels);
    image->set_encoded_image_string(std::move(pngs[i]));
  }
  return OkStatus();
}

}  // namespace tensorwright
