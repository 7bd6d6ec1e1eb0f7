// SPDX-License-Identifier: Apache-2.0
// Options of deflating and inflating.
#ifndef TENSORWRIGHT_CORE_LIB_IO_ZLIB_COMPRESSION_OPTIONS_H_
#define TENSORWRIGHT_CORE_LIB_IO_ZLIB_COMPRESSION_OPTIONS_H_

#include <cstdint>

namespace tensorwright {
namespace io {

// The numbers are zlib's, by zlib's names; reading finds out the format by
// itself.
struct ZlibCompressionOptions {
  static ZlibCompressionOptions DEFAULT() { return {}; }
  static ZlibCompressionOptions RAW() { return {.window_bits = -15}; }
  static ZlibCompressionOptions GZIP() { return {.window_bits = 31}; }

  int64_t input_buffer_size = 256 << 10;
  int64_t output_buffer_size = 256 << 10;
  // Chooses the format: 9 to 15 is zlib's, 16 more gzip's, below 0 no header.
  int8_t window_bits = 15;
  int8_t compression_level = -1;
  int8_t flush_mode = 0;  // The mode of a flush; 0: Z_SYNC_FLUSH.
  int8_t compression_method = 8;
  int8_t mem_level = 9;
  int8_t compression_strategy = 0;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_ZLIB_COMPRESSION_OPTIONS_H_
