// SPDX-License-Identifier: Apache-2.0
// JPEG images in memory, by libjpeg-turbo.  Any thread.
#ifndef TENSORWRIGHT_CORE_LIB_JPEG_JPEG_MEM_H_
#define TENSORWRIGHT_CORE_LIB_JPEG_JPEG_MEM_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace jpeg {

// The inverse transform: IFAST is quicker and less exact.
enum class Dct { kIslow, kIfast };

struct DecodeOptions {
  int channels = 0;  // 1 (grey), 3 (RGB), or 0: those of the file, 3 at most.
  int ratio = 1;     // Decodes to 1 / ratio of the size: 1, 2, 4 or 8.
  bool fancy_upscaling = true;
  // If the end of the file is missing, take what libjpeg makes of that.
  bool try_recover_truncated = false;
  // If rows are missing, this part of them must be there; the others are black.
  float acceptable_fraction = 1;
  Dct dct = Dct::kIfast;
  // The part [top, top + height) x [left, left + width) of the (reduced) image.
  bool crop = false;
  int64_t crop_top = 0, crop_left = 0, crop_height = 0, crop_width = 0;
};

// Returns memory for [height, width, channels] bytes, or null to stop.
using Allocate =
    std::function<uint8_t*(int64_t height, int64_t width, int channels)>;

// Decodes a file.  InvalidArgument if it is malformed, breaks off, or has a
// size that its bytes cannot have (before memory is taken for it), and for a
// part that is not inside it.  OK even if `allocate` gives null.
Status Decode(absl::string_view file, const DecodeOptions& options,
              const Allocate& allocate);

struct Info {
  int64_t height = 0, width = 0;
  int channels = 0;  // Those of the file.
};

// Reads the header alone.
Status ReadInfo(absl::string_view file, Info* info);

struct EncodeOptions {
  int quality = 95;  // 0 to 100.
  bool progressive = false, optimize_size = false, chroma_downsampling = true;
  bool density_in_cm = false;  // If false, in inches.
  int x_density = 300, y_density = 300;
  std::string xmp_metadata;
};

// Writes [height, width, channels] bytes, `channels` 1 (grey) or 3 (RGB), to
// *file.  InvalidArgument, with *file empty, for sizes or metadata that the
// format cannot hold.
Status Encode(const uint8_t* image, int64_t height, int64_t width, int channels,
              const EncodeOptions& options, std::string* file);

}  // namespace jpeg
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_JPEG_JPEG_MEM_H_
