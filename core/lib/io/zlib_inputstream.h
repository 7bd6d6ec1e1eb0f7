// SPDX-License-Identifier: Apache-2.0
// Inflates a stream in zlib's or gzip's format.
#ifndef TENSORWRIGHT_CORE_LIB_IO_ZLIB_INPUTSTREAM_H_
#define TENSORWRIGHT_CORE_LIB_IO_ZLIB_INPUTSTREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/lib/io/compression.h"
#include "core/lib/io/inputstream_interface.h"
#include "core/lib/io/zlib_compression_options.h"

namespace tensorwright {
namespace io {

// The first bytes tell which of the two formats it is; data without a header is
// read only if the options ask for that (window_bits < 0).  Several gzip
// streams in a row, as `cat a.gz b.gz` makes them, count as one; other bytes
// after the end are not read.
class ZlibInputStream : public InputStreamInterface {
 public:
  // Deletes `input_stream` at the end if `owns_input_stream`.
  ZlibInputStream(InputStreamInterface* input_stream, size_t input_buffer_bytes,
                  size_t output_buffer_bytes,
                  const ZlibCompressionOptions& zlib_options,
                  bool owns_input_stream);
  ZlibInputStream(InputStreamInterface* input_stream, size_t input_buffer_bytes,
                  size_t output_buffer_bytes,
                  const ZlibCompressionOptions& zlib_options)
      : ZlibInputStream(input_stream, input_buffer_bytes, output_buffer_bytes,
                        zlib_options, false) {}
  ~ZlibInputStream() override;

  using InputStreamInterface::ReadNBytes;
  // DataLoss if the format is broken or the data ends too early.
  Status ReadNBytes(int64_t bytes_to_read, tstring* result) override;
  // Writes up to n > 0 bytes straight to `to`; *got may be less than n.
  // Returns an error, OutOfRange at the end, only if *got is 0.
  Status ReadInto(char* to, size_t n, size_t* got);
  int64_t Tell() const override { return bytes_read_; }
  Status Reset() override;

 private:
  class Inflater;
  void Begin();

  InputStreamInterface* const input_stream_;
  const bool owns_input_stream_;
  const size_t input_buffer_bytes_;
  const ZlibCompressionOptions options_;
  std::unique_ptr<Inflater> inflater_;
  int64_t bytes_read_ = 0;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_ZLIB_INPUTSTREAM_H_
