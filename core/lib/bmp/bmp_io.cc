// SPDX-License-Identifier: Apache-2.0
#include "core/lib/bmp/bmp_io.h"

#include <cstdlib>
#include <cstring>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace bmp {
namespace {

// The header up to the last field that is read.
constexpr size_t kHeaderBytes = 32;

template <typename T>
T LittleEndianAt(absl::string_view file, size_t at) {
  T value;
  std::memcpy(&value, file.data() + at, sizeof(T));
  return value;
}

}  // namespace

Status ReadLayout(absl::string_view file, Layout* layout) {
  if (file.size() < kHeaderBytes) {
    return errors::InvalidArgument("BMP: the header has ", kHeaderBytes,
                                   " bytes, the file ", file.size());
  }
  const int64_t begin = LittleEndianAt<int32_t>(file, 10);
  layout->width = LittleEndianAt<int32_t>(file, 18);
  const int64_t height = LittleEndianAt<int32_t>(file, 22);
  const int bits = LittleEndianAt<int16_t>(file, 28);
  // A negative height means that the top row comes first.
  layout->top_down = height < 0;
  layout->height = std::abs(height);
  if (bits != 8 && bits != 24 && bits != 32) {
    return errors::InvalidArgument(
        "BMP: a pixel must have 8, 24 or 32 bits, got ", bits);
  }
  layout->channels = bits / 8;
  if (layout->width <= 0 || layout->height <= 0) {
    return errors::InvalidArgument("BMP: width and height must be positive, ",
                                   "got ", layout->width, " and ", height);
  }
  // Both are below 2^31 + 1, so none of this overflows.
  const int64_t used = layout->channels * layout->width;
  layout->row_bytes = (used + 3) / 4 * 4;
  if (begin < static_cast<int64_t>(kHeaderBytes) ||
      begin > static_cast<int64_t>(file.size())) {
    return errors::InvalidArgument("BMP: the pixels cannot begin at byte ",
                                   begin, " of ", file.size());
  }
  layout->pixels = file.substr(begin);
  const int64_t has = static_cast<int64_t>(layout->pixels.size());
  if (has < used || (has - used) / layout->row_bytes < layout->height - 1) {
    return errors::InvalidArgument("BMP: ", layout->width, " x ",
                                   layout->height, " pixels of ", bits,
                                   " bits need more than ", has, " bytes");
  }
  return OkStatus();
}

void CopyPixels(const Layout& layout, uint8_t* to) {
  const int channels = layout.channels;
  for (int64_t y = 0; y < layout.height; ++y) {
    const int64_t row = layout.top_down ? y : layout.height - 1 - y;
    const auto* from = reinterpret_cast<const uint8_t*>(layout.pixels.data()) +
                       row * layout.row_bytes;
    if (channels == 1) {
      std::memcpy(to, from, layout.width);
      to += layout.width;
      continue;
    }
    for (int64_t x = 0; x < layout.width; ++x) {
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
      if (channels == 4) to[3] = from[3];
      to += channels;
      from += channels;
    }
  }
}

}  // namespace bmp
}  // namespace tensorwright
