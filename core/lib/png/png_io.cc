// SPDX-License-Identifier: Apache-2.0
#include "core/lib/png/png_io.h"

#include <png.h>

#include <csetjmp>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace png {
namespace {

// The most bytes of a text chunk's keyword (PNG specification, 11.3.4.2).
constexpr size_t kMaxKeyword = 79;

// The state that libpng's callbacks use.
struct Writing {
  std::string* bytes;
  std::string error;
};

Writing* WritingOf(png_structp png) {
  return static_cast<Writing*>(png_get_error_ptr(png));
}

// Jumps back to the call of TryToWrite: libpng is C, exceptions must not cross
// it.
[[noreturn]] void Fail(png_structp png, png_const_charp text) {
  WritingOf(png)->error = text;
  png_longjmp(png, 1);
}

void Ignore(png_structp, png_const_charp) {}

void Append(png_structp png, png_bytep data, png_size_t n) {
  static_cast<Writing*>(png_get_io_ptr(png))
      ->bytes->append(reinterpret_cast<const char*>(data), n);
}

void Flush(png_structp) {}

int ColorType(int channels) {
  constexpr int kTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                            PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  return kTypes[channels - 1];
}

struct Image {
  const void* pixels;
  int width, height;
  size_t row_bytes;
  int channels, channel_bits;
};

void WriteAll(png_structp png, png_infop info, const Image& image,
              const Effort& effort, std::vector<png_text>* texts) {
  png_set_compression_level(png, effort.compression);
  if (!effort.all_filters) png_set_filter(png, 0, PNG_FILTER_SUB);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), image.channel_bits,
               ColorType(image.channels), PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!texts->empty()) {
    png_set_text(png, info, texts->data(), static_cast<int>(texts->size()));
  }
  png_write_info(png, info);
  // The format stores the high byte first.
  if (image.channel_bits == 16) png_set_swap(png);
  const auto* row = static_cast<const png_byte*>(image.pixels);
  for (int y = 0; y < image.height; ++y, row += image.row_bytes) {
    png_write_row(png, row);
  }
  png_write_end(png, nullptr);
}

// False if libpng has called Fail.  WriteAll makes nothing with a destructor,
// which a jump would skip.
bool TryToWrite(png_structp png, png_infop info, const Image& image,
                const Effort& effort, std::vector<png_text>* texts) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  WriteAll(png, info, image, effort, texts);
  return true;
}

}  // namespace

Status WriteImageToBuffer(
    const void* image, int width, int height, size_t row_bytes, int channels,
    int channel_bits, const Effort& effort,
    const std::vector<std::pair<std::string, std::string>>& metadata,
    std::string* png) {
  png->clear();
  if (channels < 1 || channels > 4 ||
      (channel_bits != 8 && channel_bits != 16)) {
    return errors::InvalidArgument("PNG: there are no images of ", channels,
                                   " channels of ", channel_bits, " bits");
  }
  if (effort.compression < -1 || effort.compression > 9) {
    return errors::InvalidArgument("PNG: compression must be in [-1, 9], got ",
                                   effort.compression);
  }
  std::vector<png_text> texts;
  for (const auto& [keyword, text] : metadata) {
    if (keyword.empty() || keyword.size() > kMaxKeyword) {
      return errors::InvalidArgument("PNG: a keyword has 1 to ", kMaxKeyword,
                                     " bytes, got '", keyword, "'");
    }
    png_text& t = texts.emplace_back();
    t = png_text{};
    t.compression = PNG_TEXT_COMPRESSION_NONE;
    t.key = const_cast<char*>(keyword.c_str());
    t.text = const_cast<char*>(text.c_str());
  }
  Writing writing{png, ""};
  png_structp out =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &writing, Fail, Ignore);
  if (out == nullptr) return errors::Internal("PNG: libpng did not start");
  png_infop info = png_create_info_struct(out);
  png_set_write_fn(out, &writing, Append, Flush);
  const Image pixels = {image,     width,    height,
                        row_bytes, channels, channel_bits};
  const bool written =
      info != nullptr && TryToWrite(out, info, pixels, effort, &texts);
  png_destroy_write_struct(&out, &info);
  if (written) return OkStatus();
  png->clear();
  return errors::InvalidArgument("PNG: cannot write ", width, " x ", height,
                                 " pixels: ", writing.error);
}

}  // namespace png
}  // namespace tensorwright
