// SPDX-License-Identifier: Apache-2.0
// BMP images in memory: uncompressed ones of 8, 24 or 32 bits a pixel.  Any
// thread.
#ifndef TENSORWRIGHT_CORE_LIB_BMP_BMP_IO_H_
#define TENSORWRIGHT_CORE_LIB_BMP_BMP_IO_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace bmp {

// Describes where the pixels of a file are.  Colours are blue first in the
// file; a row is `row_bytes` long, and the first row is the bottom one unless
// `top_down`.
struct Layout {
  int64_t width = 0, height = 0;
  int channels = 0;  // 1, 3 or 4.
  int64_t row_bytes = 0;
  bool top_down = false;
  absl::string_view pixels;  // height * row_bytes, less the last row's padding.
};

// Reads the header.  InvalidArgument if it is malformed, or promises more
// pixels than the file has.  Does not read the palette of 8 bits.
Status ReadLayout(absl::string_view file, Layout* layout);

// Copies them to [height, width, channels], red first, the top row first.
void CopyPixels(const Layout& layout, uint8_t* to);

}  // namespace bmp
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_BMP_BMP_IO_H_
