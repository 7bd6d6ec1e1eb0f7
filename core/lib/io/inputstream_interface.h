// SPDX-License-Identifier: Apache-2.0
// A stream of bytes to read from, in order.
#ifndef TENSORWRIGHT_CORE_LIB_IO_INPUTSTREAM_INTERFACE_H_
#define TENSORWRIGHT_CORE_LIB_IO_INPUTSTREAM_INTERFACE_H_

#include <cstdint>
#include <string>

#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"
#include "core/platform/tstring.h"

namespace tensorwright {
namespace io {

class InputStreamInterface {
 public:
  InputStreamInterface() = default;
  virtual ~InputStreamInterface() = default;

  // Reads the next n bytes, n >= 0.  OutOfRange, with the bytes there were, if
  // the stream ends before.
  virtual Status ReadNBytes(int64_t bytes_to_read, tstring* result) = 0;
  Status ReadNBytes(int64_t bytes_to_read, std::string* result) {
    tstring bytes;
    const Status read = ReadNBytes(bytes_to_read, &bytes);
    result->swap(bytes);
    return read;
  }
  virtual Status SkipNBytes(int64_t bytes_to_skip) {
    if (bytes_to_skip < 0) {
      return errors::InvalidArgument("bytes to skip must be >= 0, got ",
                                     bytes_to_skip);
    }
    // Skips in pieces, since the whole may be larger than memory.
    constexpr int64_t kPiece = 8 << 20;
    tstring unused;
    for (int64_t left = bytes_to_skip; left > 0; left -= kPiece) {
      TF_RETURN_IF_ERROR(ReadNBytes(left < kPiece ? left : kPiece, &unused));
    }
    return Status();
  }
  // The number of bytes read.
  virtual int64_t Tell() const = 0;
  // Starts again from the beginning.
  virtual Status Reset() = 0;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_INPUTSTREAM_INTERFACE_H_
