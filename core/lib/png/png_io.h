// SPDX-License-Identifier: Apache-2.0
// PNG images in memory, by libpng.  Any thread.
#ifndef TENSORWRIGHT_CORE_LIB_PNG_PNG_IO_H_
#define TENSORWRIGHT_CORE_LIB_PNG_PNG_IO_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/lib/core/status.h"

namespace tensorwright {
namespace png {

// The effort spent on a short file: zlib's levels, and whether libpng tries all
// predictions of a pixel from its neighbours for each row.
struct Effort {
  int compression = -1;  // -1 to 9; -1: zlib's own choice, 6.
  bool all_filters = true;
};

// Writes an image of `channels` 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA)
// of `channel_bits` 8 or 16, in the machine's byte order, to *png.  `image` has
// `height` rows that begin `row_bytes` apart.  `metadata`: pairs of keyword and
// text.  InvalidArgument, with *png empty, for sizes or keywords that the
// format cannot hold.
Status WriteImageToBuffer(
    const void* image, int width, int height, size_t row_bytes, int channels,
    int channel_bits, const Effort& effort,
    const std::vector<std::pair<std::string, std::string>>& metadata,
    std::string* png);

}  // namespace png
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_PNG_PNG_IO_H_
