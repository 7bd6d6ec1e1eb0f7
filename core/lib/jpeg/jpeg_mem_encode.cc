// SPDX-License-Identifier: Apache-2.0
// Writes JPEG images.

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/lib/core/errors.h"
#include "core/lib/jpeg/jpeg_errors.h"
#include "core/lib/jpeg/jpeg_mem.h"

namespace tensorwright {
namespace jpeg {
namespace {

// A marker of extensible metadata begins with this (XMP specification, part 3).
constexpr char kXmpNamespace[] = "http://ns.adobe.com/xap/1.0/";
// The length of a marker has 16 bits and counts itself.
constexpr size_t kMostMarkerBytes = 65533;

struct Encoder {
  Errors errors;
  jpeg_compress_struct codec;
  jpeg_destination_mgr destination;
  // Encoded bytes go here, and from here to *file.
  JOCTET block[1 << 14];
  std::string* file = nullptr;

  Encoder();
  Encoder(const Encoder&) = delete;
  ~Encoder() { jpeg_destroy_compress(&codec); }
};

Encoder* EncoderOf(j_compress_ptr codec) {
  return static_cast<Encoder*>(codec->client_data);
}

void UseBlock(j_compress_ptr codec) {
  codec->dest->next_output_byte = EncoderOf(codec)->block;
  codec->dest->free_in_buffer = sizeof(Encoder::block);
}

boolean Flush(j_compress_ptr codec) {
  Encoder* e = EncoderOf(codec);
  e->file->append(reinterpret_cast<const char*>(e->block), sizeof(e->block));
  UseBlock(codec);
  return TRUE;
}

void FlushLast(j_compress_ptr codec) {
  Encoder* e = EncoderOf(codec);
  e->file->append(reinterpret_cast<const char*>(e->block),
                  sizeof(e->block) - codec->dest->free_in_buffer);
}

Encoder::Encoder() {
  std::memset(&codec, 0, sizeof(codec));
  codec.err = &errors.manager;
  destination.init_destination = UseBlock;
  destination.empty_output_buffer = Flush;
  destination.term_destination = FlushLast;
}

struct Image {
  const uint8_t* pixels;
  int64_t height, width;
  int channels;
};

void SetUp(const Image& image, const EncodeOptions& options, Encoder* e) {
  jpeg_compress_struct& codec = e->codec;
  jpeg_create_compress(&codec);
  codec.client_data = e;
  codec.dest = &e->destination;
  codec.image_width = static_cast<JDIMENSION>(image.width);
  codec.image_height = static_cast<JDIMENSION>(image.height);
  codec.input_components = image.channels;
  codec.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&codec);
  if (options.optimize_size) codec.optimize_coding = TRUE;
  codec.density_unit = options.density_in_cm ? 2 : 1;
  codec.X_density = static_cast<UINT16>(options.x_density);
  codec.Y_density = static_cast<UINT16>(options.y_density);
  jpeg_set_quality(&codec, options.quality, TRUE);
  if (options.progressive) jpeg_simple_progression(&codec);
  if (!options.chroma_downsampling) {
    for (int c = 0; c < codec.num_components; ++c) {
      codec.comp_info[c].h_samp_factor = codec.comp_info[c].v_samp_factor = 1;
    }
  }
}

void WriteAll(const Image& image, const EncodeOptions& options, Encoder* e) {
  SetUp(image, options, e);
  jpeg_start_compress(&e->codec, TRUE);
  if (!options.xmp_metadata.empty()) {
    const size_t n = options.xmp_metadata.size();
    jpeg_write_m_header(&e->codec, JPEG_APP0 + 1,
                        static_cast<unsigned>(sizeof(kXmpNamespace) + n));
    for (char c : kXmpNamespace) jpeg_write_m_byte(&e->codec, c);
    for (size_t i = 0; i < n; ++i) {
      jpeg_write_m_byte(&e->codec,
                        static_cast<uint8_t>(options.xmp_metadata[i]));
    }
  }
  for (int64_t y = 0; y < image.height; ++y) {
    JSAMPROW row =
        const_cast<uint8_t*>(image.pixels + y * image.width * image.channels);
    jpeg_write_scanlines(&e->codec, &row, 1);
  }
  jpeg_finish_compress(&e->codec);
}

// False if libjpeg failed.  WriteAll makes nothing with a destructor, which a
// jump would skip.
bool TryToWrite(const Image& image, const EncodeOptions& options, Encoder* e) {
  if (setjmp(e->errors.jump) != 0) return false;
  WriteAll(image, options, e);
  return true;
}

}  // namespace

Status Encode(const uint8_t* image, int64_t height, int64_t width, int channels,
              const EncodeOptions& options, std::string* file) {
  file->clear();
  if (height <= 0 || width <= 0 || height > JPEG_MAX_DIMENSION ||
      width > JPEG_MAX_DIMENSION || (channels != 1 && channels != 3)) {
    return errors::InvalidArgument(
        "JPEG: height and width must be 1 to ", JPEG_MAX_DIMENSION,
        ", channels 1 or 3, got ", height, ", ", width, " and ", channels);
  }
  if (options.xmp_metadata.size() > kMostMarkerBytes - sizeof(kXmpNamespace)) {
    return errors::InvalidArgument("JPEG: xmp_metadata is too long: ",
                                   options.xmp_metadata.size(), " bytes");
  }
  const auto e = std::make_unique<Encoder>();
  e->file = file;
  if (TryToWrite({image, height, width, channels}, options, e.get())) {
    return OkStatus();
  }
  file->clear();
  return errors::InvalidArgument("JPEG: cannot write ", width, " x ", height,
                                 " pixels: ", e->errors.text);
}

}  // namespace jpeg
}  // namespace tensorwright
