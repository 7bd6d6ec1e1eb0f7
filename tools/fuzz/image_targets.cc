// SPDX-License-Identifier: Apache-2.0
// Images: the functions around the libraries that decode them.
#include <cstdint>
#include <vector>

#include "core/lib/bmp/bmp_io.h"
#include "core/lib/core/errors.h"
#include "core/lib/gif/gif_io.h"
#include "core/lib/jpeg/jpeg_mem.h"
#include "core/lib/png/png_reader.h"
#include "tools/fuzz/fuzz_targets.h"

namespace tensorwright {
namespace fuzz {
namespace {

// Larger images are refused, as a kernel does when memory runs out.
constexpr int64_t kMostBytes = 1 << 20;

// Room for an image of these sizes, each positive, or null.
class Room {
 public:
  uint8_t* Take(int64_t a, int64_t b, int64_t c) {
    if (a > kMostBytes || b > kMostBytes || a * b > kMostBytes / c) {
      return nullptr;
    }
    bytes_.resize(a * b * c);
    return bytes_.data();
  }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace

void DecodeJpeg(absl::string_view bytes) {
  jpeg::Info info;
  jpeg::ReadInfo(bytes, &info).IgnoreError();
  for (const int ratio : {1, 4}) {
    Room room;
    jpeg::DecodeOptions options;
    options.ratio = ratio;
    options.channels = ratio == 1 ? 0 : 3;
    options.try_recover_truncated = ratio != 1;
    jpeg::Decode(bytes, options, [&room](int64_t h, int64_t w, int channels) {
      return room.Take(h, w, channels);
    }).IgnoreError();
  }
}

void DecodePng(absl::string_view bytes) {
  for (const int bits : {8, 16}) {
    Room room;
    png::ReadImage(bytes, bits == 8 ? 0 : 3, bits,
                   [&room, bits](int64_t h, int64_t w, int channels) -> void* {
                     return room.Take(h, w, channels * bits / 8);
                   })
        .IgnoreError();
  }
}

void DecodeGif(absl::string_view bytes) {
  Room room;
  gif::Decode(bytes, /*all_frames=*/true,
              [&room](int64_t frames, int64_t h, int64_t w) {
                return h > kMostBytes ? nullptr : room.Take(frames, h, 3 * w);
              })
      .IgnoreError();
}

void DecodeBmp(absl::string_view bytes) {
  bmp::Layout layout;
  if (!bmp::ReadLayout(bytes, &layout).ok()) return;
  Room room;
  uint8_t* const to = room.Take(layout.height, layout.width, layout.channels);
  if (to != nullptr) bmp::CopyPixels(layout, to);
}

}  // namespace fuzz
}  // namespace tensorwright
