// SPDX-License-Identifier: Apache-2.0
#include "core/lib/gif/gif_io.h"

#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace gif {
namespace {

// The most pixels of all frames together.
constexpr int64_t kMostPixels = int64_t{1} << 29;
// A code of 12 bits stands for at most 4096 pixels, and no code is shorter than
// 3 bits: this is a generous limit for a byte of the file.
constexpr int64_t kMostPixelsPerByte = 4096;

struct Frame {
  int64_t left, top, width, height;
  int transparent = NO_TRANSPARENT_COLOR;
  bool has_colors = false;
  int num_colors = 0;
  std::array<GifColorType, 256> colors{};
  std::vector<uint8_t> indices{};  // [height, width]
};

struct Source {
  absl::string_view left;
};

int Read(GifFileType* file, GifByteType* to, int n) {
  auto* source = static_cast<Source*>(file->UserData);
  const size_t take = std::min<size_t>(std::max(n, 0), source->left.size());
  std::memcpy(to, source->left.data(), take);
  source->left.remove_prefix(take);
  return static_cast<int>(take);
}

struct Closer {
  void operator()(GifFileType* file) const {
    int error = 0;
    DGifCloseFile(file, &error);
  }
};
using File = std::unique_ptr<GifFileType, Closer>;

void TakeColors(const ColorMapObject* map, Frame* frame) {
  frame->has_colors = map != nullptr;
  if (map == nullptr) return;
  frame->num_colors = std::min(map->ColorCount, 256);
  std::copy_n(map->Colors, frame->num_colors, frame->colors.begin());
}

// Reads the pixels of the frame whose description was just read; false if the
// file breaks off.
bool ReadIndices(GifFileType* file, Frame* frame) {
  frame->indices.resize(frame->width * frame->height);
  const int width = static_cast<int>(frame->width);
  const auto row = [&](int64_t y) {
    return frame->indices.data() + y * frame->width;
  };
  if (!file->Image.Interlace) {
    // The format has all rows as one line.
    return DGifGetLine(file, row(0), static_cast<int>(frame->indices.size())) ==
           GIF_OK;
  }
  constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  for (int pass = 0; pass < 4; ++pass) {
    for (int64_t y = kFirst[pass]; y < frame->height; y += kStep[pass]) {
      if (DGifGetLine(file, row(y), width) != GIF_OK) return false;
    }
  }
  return true;
}

// Finds which colour of the next frame is transparent, if this extension names
// one.
bool ReadExtension(GifFileType* file, int* transparent) {
  int code = 0;
  GifByteType* block = nullptr;
  if (DGifGetExtension(file, &code, &block) != GIF_OK) return false;
  while (block != nullptr) {
    GraphicsControlBlock control;
    if (code == GRAPHICS_EXT_FUNC_CODE &&
        DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
      *transparent = control.TransparentColor;
    }
    if (DGifGetExtensionNext(file, &block) != GIF_OK) return false;
  }
  return true;
}

// Sets *more to whether the file goes on after this frame.
Status ReadFrame(GifFileType* file, int transparent, int64_t* pixels,
                 std::vector<Frame>* frames, bool* more) {
  *more = false;
  if (DGifGetImageDesc(file) != GIF_OK) return OkStatus();
  const GifImageDesc& desc = file->Image;
  Frame frame{desc.Left, desc.Top, desc.Width, desc.Height};
  frame.transparent = transparent;
  const int64_t size = frame.width * frame.height;
  const int64_t bytes = static_cast<Source*>(file->UserData)->left.size();
  if (size <= 0) return OkStatus();
  if (size > kMostPixels - *pixels || size / kMostPixelsPerByte > bytes) {
    return errors::InvalidArgument(
        "GIF: a frame of ", frame.width, " x ", frame.height, " pixels after ",
        *pixels, " others is too large for ", bytes, " bytes that are left");
  }
  *pixels += size;
  TakeColors(desc.ColorMap ? desc.ColorMap : file->SColorMap, &frame);
  if (!ReadIndices(file, &frame)) return OkStatus();
  frames->push_back(std::move(frame));
  *more = true;
  return OkStatus();
}

Status ReadFrames(GifFileType* file, bool all, std::vector<Frame>* frames) {
  int transparent = NO_TRANSPARENT_COLOR;
  int64_t pixels = 0;
  bool more = true;
  while (more) {
    GifRecordType type;
    if (DGifGetRecordType(file, &type) != GIF_OK) break;
    switch (type) {
      case EXTENSION_RECORD_TYPE:
        more = ReadExtension(file, &transparent);
        break;
      case IMAGE_DESC_RECORD_TYPE:
        TF_RETURN_IF_ERROR(
            ReadFrame(file, transparent, &pixels, frames, &more));
        transparent = NO_TRANSPARENT_COLOR;
        // Only the sizes of later frames are wanted.
        if (!all && frames->size() > 1) frames->back().indices = {};
        break;
      case TERMINATE_RECORD_TYPE:
        more = false;
        break;
      default:
        break;
    }
  }
  return OkStatus();
}

// Draws the part of the frame that is inside [height, width, 3].
Status Draw(const Frame& frame, int64_t number, int64_t height, int64_t width,
            uint8_t* to) {
  if (!frame.has_colors) {
    return errors::InvalidArgument("GIF: frame ", number, " has no colours");
  }
  const int64_t bottom = std::min(frame.top + frame.height, height);
  const int64_t right = std::min(frame.left + frame.width, width);
  for (int64_t y = frame.top; y < bottom; ++y) {
    const uint8_t* index = &frame.indices[(y - frame.top) * frame.width];
    uint8_t* pixel = to + (y * width + frame.left) * 3;
    for (int64_t x = frame.left; x < right; ++x, ++index, pixel += 3) {
      if (*index == frame.transparent) continue;
      if (*index >= frame.num_colors) {
        return errors::InvalidArgument("GIF: colour ", int{*index},
                                       " of frame ", number, " is not among ",
                                       frame.num_colors);
      }
      const GifColorType& color = frame.colors[*index];
      pixel[0] = color.Red;
      pixel[1] = color.Green;
      pixel[2] = color.Blue;
    }
  }
  return OkStatus();
}

}  // namespace

Status Decode(absl::string_view bytes, bool all_frames,
              const Allocate& allocate) {
  Source source{bytes};
  int error = 0;
  const File file(DGifOpen(&source, Read, &error));
  if (file == nullptr) {
    const char* why = GifErrorString(error);
    return errors::InvalidArgument("GIF: cannot read the header: ",
                                   why != nullptr ? why : "unknown error");
  }
  std::vector<Frame> frames;
  TF_RETURN_IF_ERROR(ReadFrames(file.get(), all_frames, &frames));
  if (frames.empty()) {
    return errors::InvalidArgument("GIF: the file has no whole frame");
  }
  int64_t height = 0, width = 0;
  for (const Frame& frame : frames) {
    height = std::max(height, frame.height);
    width = std::max(width, frame.width);
  }
  const int64_t n = all_frames ? static_cast<int64_t>(frames.size()) : 1;
  if (n > kMostPixels / (height * width)) {
    return errors::InvalidArgument("GIF: ", n, " frames of ", width, " x ",
                                   height, " pixels are too many");
  }
  uint8_t* to = allocate(n, height, width);
  if (to == nullptr) return OkStatus();
  const int64_t size = height * width * 3;
  std::memset(to, 0, size);
  for (int64_t i = 0; i < n; ++i, to += size) {
    if (i > 0) std::memcpy(to, to - size, size);
    TF_RETURN_IF_ERROR(Draw(frames[i], i, height, width, to));
    // Many small frames on a large one need not keep two copies of it all.
    frames[i].indices = {};
  }
  return OkStatus();
}

}  // namespace gif
}  // namespace tensorwright
