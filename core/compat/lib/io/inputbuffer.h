// SPDX-License-Identifier: Apache-2.0
// TensorFlow 1.x's buffered file.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_IO_INPUTBUFFER_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_IO_INPUTBUFFER_H_

#include <cstdint>
#include <string>

#include "core/lib/io/buffered_inputstream.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace io {

class InputBuffer {
 public:
  // The caller keeps the file.
  InputBuffer(RandomAccessFile* file, size_t buffer_bytes)
      : file_(file), stream_(file, buffer_bytes) {}

  template <typename T>
  Status ReadLine(T* result) {
    std::string line;
    const Status read = stream_.ReadLine(&line);
    result->assign(line.data(), line.size());
    return read;
  }
  template <typename T>
  Status ReadNBytes(int64_t bytes_to_read, T* result) {
    return stream_.ReadNBytes(bytes_to_read, result);
  }
  Status ReadNBytes(int64_t bytes_to_read, char* result, size_t* bytes_read) {
    tstring bytes;
    const Status read = stream_.ReadNBytes(bytes_to_read, &bytes);
    bytes.copy(result, bytes.size());
    *bytes_read = bytes.size();
    return read;
  }
  // OutOfRange for a number that is cut off, DataLoss for one that is too long.
  Status ReadVarint32(uint32_t* result) { return ReadVarint(result); }
  Status ReadVarint64(uint64_t* result) { return ReadVarint(result); }
  Status SkipNBytes(int64_t n) { return stream_.SkipNBytes(n); }
  Status Seek(int64_t position) { return stream_.Seek(position); }
  int64_t Tell() const { return stream_.Tell(); }
  RandomAccessFile* file() const { return file_; }

 private:
  template <typename T>
  Status ReadVarint(T* result) {
    *result = 0;
    tstring byte;
    for (size_t shift = 0; shift < 8 * sizeof(T); shift += 7) {
      TF_RETURN_IF_ERROR(stream_.ReadNBytes(1, &byte));
      const T bits = static_cast<T>(static_cast<uint8_t>(byte[0]));
      *result |= (bits & 0x7f) << shift;
      if (bits < 0x80) return Status();
    }
    return errors::DataLoss("a number longer than ", 8 * sizeof(T), " bits");
  }

  RandomAccessFile* const file_;
  BufferedInputStream stream_;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_IO_INPUTBUFFER_H_
