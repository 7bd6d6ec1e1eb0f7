// SPDX-License-Identifier: Apache-2.0
// Reading PNG images in memory, by libpng.  Any thread.
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
// 0 for what the file has, palettes as RGB or RGBA.  `channel_bits`: 8 or 16,
// in the machine's byte order; of other depths the whole range is stretched, or
// its lower half cut off.  InvalidArgument for a file that is malformed, breaks
// off, or whose size its bytes cannot have, before memory is taken for it.  OK
// also where `allocate` gives null.
Status ReadImage(absl::string_view file, int channels, int channel_bits,
                 const Allocate& allocate);

}  // namespace png
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_PNG_PNG_READER_H_
