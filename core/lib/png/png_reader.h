// SPDX-License-Identifier: Apache-2.0
// Reads PNG images in memory, by libpng.  Any thread.
#ifndef TENSORWRIGHT_CORE_LIB_PNG_PNG_READER_H_
#define TENSORWRIGHT_CORE_LIB_PNG_PNG_READER_H_

#include <cstdint>
#include <functional>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace png {

// Returns memory for [height, width, channels] numbers, or null to stop.
using Allocate =
    std::function<void*(int64_t height, int64_t width, int channels)>;

// Decodes a file.  `channels`: 1 (grey), 2 (grey, alpha), 3 (RGB), 4 (RGBA), or
// 0 for those of the file, with palettes as RGB or RGBA.  `channel_bits`: 8 or
// 16, in the machine's byte order; smaller depths are stretched to the whole
// range, and larger ones lose their lower half.  InvalidArgument if the file is
// malformed, breaks off, or has a size that its bytes cannot have, before
// memory is taken for it.  OK even if `allocate` gives null.
Status ReadImage(absl::string_view file, int channels, int channel_bits,
                 const Allocate& allocate);

}  // namespace png
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_PNG_PNG_READER_H_
