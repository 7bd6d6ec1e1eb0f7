// SPDX-License-Identifier: Apache-2.0
// GIF images in memory, by giflib.  Any thread.
#ifndef TENSORWRIGHT_CORE_LIB_GIF_GIF_IO_H_
#define TENSORWRIGHT_CORE_LIB_GIF_GIF_IO_H_

#include <cstdint>
#include <functional>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace gif {

// Returns memory for [frames, height, width, 3] bytes, or null to stop.
using Allocate =
    std::function<uint8_t*(int64_t frames, int64_t height, int64_t width)>;

// Decodes the frames of a file, or the first one alone, each drawn over the one
// before it; pixels that no frame has drawn are black.  Height and width are
// those of the largest frame, drawn or not.  A file that breaks off gives the
// frames before. InvalidArgument for a file without a frame, and for sizes that
// its bytes cannot have, before memory is taken for them.  OK even if
// `allocate` gives null.
Status Decode(absl::string_view file, bool all_frames,
              const Allocate& allocate);

}  // namespace gif
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GIF_GIF_IO_H_
