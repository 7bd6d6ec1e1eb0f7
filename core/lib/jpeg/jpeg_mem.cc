// SPDX-License-Identifier: Apache-2.0
// Reads JPEG images.
#include "core/lib/jpeg/jpeg_mem.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "core/lib/core/errors.h"
#include "core/lib/jpeg/jpeg_errors.h"

namespace tensorwright {
namespace jpeg {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 29;
// A block of 8 x 8 values of a component takes at least one bit of the file;
// with the coarsest colour a block covers 16 times as many pixels.
constexpr int64_t kMostPixelsPerByte = 8 * 64 * 16;
// Each scan of a progressive file goes over all of the image, but takes only
// some bytes of the file.  Encoders write about ten, and no more than a
// hundred; small images may have so many that the work is that of a large one.
constexpr int64_t kMostScans = 100;
constexpr int64_t kMostScannedPixels = int64_t{1} << 30;

// A decoder with its source in memory.  This is on the heap, as everything must
// be that libjpeg changes between setjmp and longjmp.
struct Decoder {
  Errors errors;
  jpeg_decompress_struct codec;
  jpeg_source_mgr source;
  jpeg_progress_mgr progress;
  bool recover = false;
  JSAMPROW row = nullptr;

  explicit Decoder(absl::string_view file);
  Decoder(const Decoder&) = delete;
  ~Decoder() {
    // Does nothing if create failed, since the struct is then zero.
    jpeg_destroy_decompress(&codec);
  }
};

void DoNothing(j_decompress_ptr) {}

// The file is at its end.  Tells libjpeg "later", which ends the reading, or
// goes on with an end marker.
boolean Refill(j_decompress_ptr codec) {
  static const JOCTET kEnd[] = {0xff, JPEG_EOI};
  if (!static_cast<Decoder*>(codec->client_data)->recover) return FALSE;
  codec->src->next_input_byte = kEnd;
  codec->src->bytes_in_buffer = sizeof(kEnd);
  return TRUE;
}

void Skip(j_decompress_ptr codec, long n) {  // NOLINT: libjpeg's type.
  jpeg_source_mgr* source = codec->src;
  if (n <= 0) return;
  const size_t take = std::min<size_t>(n, source->bytes_in_buffer);
  source->next_input_byte += take;
  source->bytes_in_buffer -= take;
}

// libjpeg calls this again and again while it reads scans.
void CountScans(j_common_ptr common) {
  auto* codec = reinterpret_cast<j_decompress_ptr>(common);
  const int64_t scans = codec->input_scan_number;
  const int64_t pixels = int64_t{codec->image_height} * codec->image_width;
  if (scans <= kMostScans || scans * pixels <= kMostScannedPixels) return;
  Errors* errors = &static_cast<Decoder*>(codec->client_data)->errors;
  std::snprintf(errors->text, sizeof(errors->text),
                "an image of %u x %u pixels has more than %d scans",
                codec->image_width, codec->image_height,
                static_cast<int>(scans - 1));
  std::longjmp(errors->jump, 1);
}

Decoder::Decoder(absl::string_view file) {
  std::memset(&codec, 0, sizeof(codec));
  std::memset(&progress, 0, sizeof(progress));
  progress.progress_monitor = CountScans;
  codec.err = &errors.manager;
  source.next_input_byte = reinterpret_cast<const JOCTET*>(file.data());
  source.bytes_in_buffer = file.size();
  source.init_source = DoNothing;
  source.fill_input_buffer = Refill;
  source.skip_input_data = Skip;
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = DoNothing;
}

// The following return false if libjpeg failed.  Their locals have no
// destructors, which a jump would skip.

bool TryToReadHeader(Decoder* d) {
  if (setjmp(d->errors.jump) != 0) return false;
  jpeg_create_decompress(&d->codec);
  d->codec.client_data = d;
  d->codec.src = &d->source;
  d->codec.progress = &d->progress;
  return jpeg_read_header(&d->codec, TRUE) == JPEG_HEADER_OK;
}

bool TryToComputeSize(Decoder* d) {
  if (setjmp(d->errors.jump) != 0) return false;
  jpeg_calc_output_dimensions(&d->codec);
  return true;
}

bool TryToStart(Decoder* d) {
  if (setjmp(d->errors.jump) != 0) return false;
  return jpeg_start_decompress(&d->codec) == TRUE;
}

// Reads more columns than are asked for, since libjpeg begins at a block, and
// smooth colours need their neighbours.
bool TryToCrop(Decoder* d, JDIMENSION* left, JDIMENSION* width,
               JDIMENSION skip) {
  if (setjmp(d->errors.jump) != 0) return false;
  jpeg_crop_scanline(&d->codec, left, width);
  if (skip > 0) jpeg_skip_scanlines(&d->codec, skip);
  return true;
}

// 1 or 0 rows (0: the file breaks off), -1 for a failure.
int TryToReadRow(Decoder* d) {
  if (setjmp(d->errors.jump) != 0) return -1;
  return static_cast<int>(jpeg_read_scanlines(&d->codec, &d->row, 1));
}

Status Malformed(const Decoder& d, const char* what) {
  return errors::InvalidArgument(
      "JPEG: cannot read ", what, ": ",
      d.errors.text[0] != '\0' ? d.errors.text : "the file breaks off");
}

// Ink in the form that photo programs write: Adobe's is inverted.
void InkToRgb(const uint8_t* ink, int64_t n, bool adobe, uint8_t* rgb) {
  for (int64_t i = 0; i < n; ++i, ink += 4, rgb += 3) {
    for (int c = 0; c < 3; ++c) {
      const int a = adobe ? ink[c] : 255 - ink[c];
      const int k = adobe ? ink[3] : 255 - ink[3];
      rgb[c] = static_cast<uint8_t>(k * a / 255);
    }
  }
}

// The part of the image that is read, and its destination.
struct Part {
  int64_t top = 0, left = 0, height = 0, width = 0;
  // Columns before `left` that libjpeg gives, too.
  int64_t before = 0;
  int channels = 0;
  bool is_ink = false;
};

Status ChooseColors(Decoder* d, const DecodeOptions& options, Part* part) {
  jpeg_decompress_struct& codec = d->codec;
  part->channels = options.channels != 0 ? options.channels
                                         : std::min(codec.num_components, 3);
  switch (part->channels) {
    case 1:
      codec.out_color_space = JCS_GRAYSCALE;
      break;
    case 3:
      part->is_ink = codec.jpeg_color_space == JCS_CMYK ||
                     codec.jpeg_color_space == JCS_YCCK;
      codec.out_color_space = part->is_ink ? JCS_CMYK : JCS_RGB;
      break;
    default:
      return errors::InvalidArgument("JPEG: an image has 1 or 3 channels, not ",
                                     part->channels);
  }
  codec.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
  codec.scale_num = 1;
  codec.scale_denom = static_cast<unsigned>(options.ratio);
  codec.dct_method = options.dct == Dct::kIfast ? JDCT_IFAST : JDCT_ISLOW;
  return OkStatus();
}

Status ChoosePart(const Decoder& d, const DecodeOptions& options,
                  int64_t file_bytes, Part* part) {
  const int64_t height = d.codec.output_height, width = d.codec.output_width;
  const int64_t pixels = int64_t{d.codec.image_height} * d.codec.image_width;
  if (height <= 0 || width <= 0 ||
      height * width >= kMostBytes / part->channels ||
      pixels / kMostPixelsPerByte > file_bytes) {
    return errors::InvalidArgument("JPEG: ", width, " x ", height,
                                   " pixels are not in ", file_bytes,
                                   " bytes, or too many");
  }
  part->height = height;
  part->width = width;
  if (!options.crop) return OkStatus();
  const auto outside = [](int64_t begin, int64_t size, int64_t all) {
    return begin < 0 || size <= 0 || size > all || begin > all - size;
  };
  if (outside(options.crop_top, options.crop_height, height) ||
      outside(options.crop_left, options.crop_width, width)) {
    return errors::InvalidArgument(
        "JPEG: the window at [", options.crop_top, ", ", options.crop_left,
        "] of size [", options.crop_height, ", ", options.crop_width,
        "] must not be empty and be inside an image of [", height, ", ", width,
        "]");
  }
  part->top = options.crop_top;
  part->left = options.crop_left;
  part->height = options.crop_height;
  part->width = options.crop_width;
  return OkStatus();
}

// Skips the rows above the part and, roughly, the columns beside it.
Status SkipToPart(Decoder* d, Part* part) {
  // Two of the largest blocks: one for the neighbours, one for the rounding.
  constexpr int64_t kMargin = 64;
  const int64_t width = d->codec.output_width;
  const int64_t begin = std::max<int64_t>(part->left - kMargin, 0);
  const int64_t end = std::min(part->left + part->width + kMargin, width);
  JDIMENSION left = static_cast<JDIMENSION>(begin);
  JDIMENSION columns = static_cast<JDIMENSION>(end - begin);
  if (!TryToCrop(d, &left, &columns, static_cast<JDIMENSION>(part->top))) {
    return Malformed(*d, "a part");
  }
  part->before = part->left - left;
  return OkStatus();
}

// Sets *rows to the number of rows that were read.
Status ReadRows(Decoder* d, const Part& part, uint8_t* to, int64_t* rows) {
  const int64_t row_bytes = part.width * part.channels;
  const int read_channels = part.is_ink ? 4 : part.channels;
  const bool direct = !part.is_ink && d->codec.output_width == part.width;
  std::vector<uint8_t> row;
  if (!direct) row.resize(int64_t{d->codec.output_width} * read_channels);
  for (*rows = 0; *rows < part.height; ++*rows, to += row_bytes) {
    d->row = direct ? to : row.data();
    const int n = TryToReadRow(d);
    if (n < 0) return Malformed(*d, "a row");
    if (n == 0) break;
    const uint8_t* from = row.data() + part.before * read_channels;
    if (part.is_ink) {
      InkToRgb(from, part.width, d->codec.saw_Adobe_marker, to);
    } else if (!direct) {
      std::memcpy(to, from, row_bytes);
    }
  }
  return OkStatus();
}

}  // namespace

Status Decode(absl::string_view file, const DecodeOptions& options,
              const Allocate& allocate) {
  const auto d = std::make_unique<Decoder>(file);
  d->recover = options.try_recover_truncated;
  if (!TryToReadHeader(d.get())) return Malformed(*d, "the header");
  Part part;
  TF_RETURN_IF_ERROR(ChooseColors(d.get(), options, &part));
  if (!TryToComputeSize(d.get())) return Malformed(*d, "the size");
  TF_RETURN_IF_ERROR(ChoosePart(*d, options, file.size(), &part));
  if (!TryToStart(d.get())) return Malformed(*d, "the image");
  if (options.crop) TF_RETURN_IF_ERROR(SkipToPart(d.get(), &part));
  uint8_t* to = allocate(part.height, part.width, part.channels);
  if (to == nullptr) return OkStatus();
  int64_t rows = 0;
  TF_RETURN_IF_ERROR(ReadRows(d.get(), part, to, &rows));
  if (rows == part.height) return OkStatus();
  const float fraction =
      static_cast<float>(rows) / static_cast<float>(part.height);
  if (fraction < std::min(1.0f, options.acceptable_fraction)) {
    return errors::InvalidArgument("JPEG: the file breaks off after ", rows,
                                   " of ", part.height, " rows");
  }
  const int64_t row_bytes = part.width * part.channels;
  std::memset(to + rows * row_bytes, 0, (part.height - rows) * row_bytes);
  return OkStatus();
}

Status ReadInfo(absl::string_view file, Info* info) {
  const auto d = std::make_unique<Decoder>(file);
  if (!TryToReadHeader(d.get())) return Malformed(*d, "the header");
  if (!TryToComputeSize(d.get())) return Malformed(*d, "the size");
  info->height = d->codec.output_height;
  info->width = d->codec.output_width;
  info->channels = d->codec.num_components;
  return OkStatus();
}

}  // namespace jpeg
}  // namespace tensorwright
