// SPDX-License-Identifier: Apache-2.0
#include "core/lib/png/png_reader.h"

#include <png.h>

#include <csetjmp>
#include <cstring>
#include <string>
#include <vector>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace png {
namespace {

constexpr int64_t kMostSide = int64_t{1} << 27;
constexpr int64_t kMostBytes = int64_t{1} << 29;
// zlib makes at most 1032 bytes from one.
constexpr int64_t kMostBytesPerByte = 1032;

// The state that libpng's callbacks use, and that survives a jump out of it.
struct Reading {
  absl::string_view left;
  std::string error;
  int64_t height = 0, width = 0;
  int channels = 0, channel_bits = 0;
  bool widen = false;  // 8 bits are read where 16 are wanted.
};

// Jumps back to the call of setjmp: libpng is C, exceptions must not cross it.
[[noreturn]] void Fail(png_structp png, png_const_charp text) {
  static_cast<Reading*>(png_get_error_ptr(png))->error = text;
  png_longjmp(png, 1);
}

void Ignore(png_structp, png_const_charp) {}

void Take(png_structp png, png_bytep to, png_size_t n) {
  auto* reading = static_cast<Reading*>(png_get_io_ptr(png));
  if (n > reading->left.size()) png_error(png, "the file breaks off");
  std::memcpy(to, reading->left.data(), n);
  reading->left.remove_prefix(n);
}

// Makes libpng give alpha or not, according to the number of channels.
void SetAlpha(png_structp png, int color_type, int bits, bool has_tRNS,
              bool wanted) {
  const bool has = (color_type & PNG_COLOR_MASK_ALPHA) != 0;
  if (!wanted) {
    if (has || has_tRNS) png_set_strip_alpha(png);
  } else if (has_tRNS) {
    png_set_tRNS_to_alpha(png);
  } else if (!has) {
    png_set_add_alpha(png, (1u << bits) - 1, PNG_FILLER_AFTER);
  }
}

void SetColors(png_structp png, int color_type, int bits, int channels) {
  if (color_type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  const bool is_gray = (color_type & PNG_COLOR_MASK_COLOR) == 0;
  if (is_gray && bits < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (channels < 3) {
    // The weights of red and of green from ITU-R BT.601.
    if (!is_gray) png_set_rgb_to_gray(png, 1, 0.299, 0.587);
  } else if (is_gray) {
    png_set_gray_to_rgb(png);
  }
}

void ReadHeader(png_structp png, png_infop info, Reading* reading) {
  png_read_info(png, info);
  png_uint_32 width = 0, height = 0;
  int bits = 0, color_type = 0;
  png_get_IHDR(png, info, &width, &height, &bits, &color_type, nullptr, nullptr,
               nullptr);
  reading->width = width;
  reading->height = height;
  const bool has_tRNS = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  if (reading->channels == 0) {
    reading->channels = color_type == PNG_COLOR_TYPE_PALETTE
                            ? (has_tRNS ? 4 : 3)
                            : png_get_channels(png, info);
  }
  if (bits > 8 && reading->channel_bits <= 8) png_set_strip_16(png);
  reading->widen = bits <= 8 && reading->channel_bits == 16;
  png_set_packing(png);
  SetAlpha(png, color_type, bits, has_tRNS, reading->channels % 2 == 0);
  // The format stores the high byte first.
  if (bits > 8) png_set_swap(png);
  SetColors(png, color_type, bits, reading->channels);
}

Status CheckSize(png_structp png, png_infop info, const Reading& reading,
                 int64_t file_bytes) {
  const int64_t number = reading.channel_bits / 8;
  const int64_t has = static_cast<int64_t>(png_get_rowbytes(png, info));
  const int64_t row = reading.width * reading.channels;
  if (reading.width <= 0 || reading.height <= 0 || reading.width >= kMostSide ||
      reading.height >= kMostSide ||
      row * number * reading.height >= kMostBytes) {
    return errors::InvalidArgument("PNG: ", reading.width, " x ",
                                   reading.height, " pixels of ",
                                   reading.channels, " channels are too many");
  }
  if (has != (reading.widen ? row : row * number)) {
    return errors::InvalidArgument("PNG: a row of ", reading.width,
                                   " pixels has ", has, " bytes");
  }
  // A row takes at least a bit for each pixel, and a byte for its filter.
  if (reading.height * (reading.width / 8 + 1) / kMostBytesPerByte >
      file_bytes) {
    return errors::InvalidArgument("PNG: ", reading.width, " x ",
                                   reading.height, " pixels are not in ",
                                   file_bytes, " bytes");
  }
  return OkStatus();
}

// These return false if libpng has called Fail.  They make nothing with a
// destructor, which a jump would skip.
bool TryToReadHeader(png_structp png, png_infop info, Reading* reading) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  ReadHeader(png, info, reading);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool TryToReadRows(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, info);
  return true;
}

// Turns numbers of 8 bits in the first half of a row into numbers of 16 bits.
void Widen(int64_t n, void* row) {
  auto* from = static_cast<const uint8_t*>(row);
  auto* to = static_cast<uint16_t*>(row);
  for (int64_t i = n - 1; i >= 0; --i) {
    to[i] = static_cast<uint16_t>(from[i] * 257);
  }
}

Status Read(png_structp png, png_infop info, Reading* reading,
            const Allocate& allocate) {
  const int64_t file_bytes = static_cast<int64_t>(reading->left.size());
  if (!TryToReadHeader(png, info, reading)) {
    return errors::InvalidArgument("PNG: cannot read the header: ",
                                   reading->error);
  }
  TF_RETURN_IF_ERROR(CheckSize(png, info, *reading, file_bytes));
  auto* pixels = static_cast<uint8_t*>(
      allocate(reading->height, reading->width, reading->channels));
  if (pixels == nullptr) return OkStatus();
  const int64_t numbers = reading->width * reading->channels;
  const int64_t row_bytes = numbers * (reading->channel_bits / 8);
  std::vector<png_bytep> rows(reading->height);
  for (int64_t y = 0; y < reading->height; ++y) {
    rows[y] = pixels + y * row_bytes;
  }
  if (!TryToReadRows(png, info, rows.data())) {
    return errors::InvalidArgument("PNG: cannot read ", reading->width, " x ",
                                   reading->height,
                                   " pixels: ", reading->error);
  }
  if (reading->widen) {
    for (png_bytep row : rows) Widen(numbers, row);
  }
  return OkStatus();
}

}  // namespace

Status ReadImage(absl::string_view file, int channels, int channel_bits,
                 const Allocate& allocate) {
  Reading reading;
  reading.left = file;
  reading.channels = channels;
  reading.channel_bits = channel_bits;
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, Fail, Ignore);
  if (png == nullptr) return errors::Internal("PNG: libpng did not start");
  png_infop info = png_create_info_struct(png);
  Status status = errors::Internal("PNG: libpng did not start");
  if (info != nullptr) {
    png_set_read_fn(png, &reading, Take);
    status = Read(png, info, &reading, allocate);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return status;
}

}  // namespace png
}  // namespace tensorwright
