// SPDX-License-Identifier: Apache-2.0
// A file as a stream.
#ifndef TENSORWRIGHT_CORE_LIB_IO_RANDOM_INPUTSTREAM_H_
#define TENSORWRIGHT_CORE_LIB_IO_RANDOM_INPUTSTREAM_H_

#include <cstdint>

#include "core/lib/io/inputstream_interface.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace io {

class RandomAccessInputStream : public InputStreamInterface {
 public:
  // Deletes `file` at the end if `owns_file`.
  explicit RandomAccessInputStream(RandomAccessFile* file,
                                   bool owns_file = false)
      : file_(file), owns_file_(owns_file) {}
  ~RandomAccessInputStream() override {
    if (owns_file_) delete file_;
  }
  RandomAccessInputStream(const RandomAccessInputStream&) = delete;

  using InputStreamInterface::ReadNBytes;
  Status ReadNBytes(int64_t bytes_to_read, tstring* result) override;
  Status SkipNBytes(int64_t bytes_to_skip) override;
  int64_t Tell() const override { return position_; }
  Status Seek(int64_t position) {
    position_ = position;
    return Status();
  }
  Status Reset() override { return Seek(0); }

 private:
  Status ReadInPieces(size_t wanted, tstring* result);

  RandomAccessFile* const file_;
  const bool owns_file_;
  int64_t position_ = 0;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_RANDOM_INPUTSTREAM_H_
