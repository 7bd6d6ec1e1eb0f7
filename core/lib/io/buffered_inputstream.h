// SPDX-License-Identifier: Apache-2.0
// A stream that reads ahead, and reads lines.
#ifndef TENSORWRIGHT_CORE_LIB_IO_BUFFERED_INPUTSTREAM_H_
#define TENSORWRIGHT_CORE_LIB_IO_BUFFERED_INPUTSTREAM_H_

#include <cstdint>
#include <string>

#include "core/lib/io/inputstream_interface.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace io {

class BufferedInputStream : public InputStreamInterface {
 public:
  // Deletes the stream at the end if `owns_input_stream`; the caller keeps the
  // file.  The buffer takes no more memory than the stream has bytes.
  BufferedInputStream(InputStreamInterface* input_stream, size_t buffer_bytes,
                      bool owns_input_stream = false);
  BufferedInputStream(RandomAccessFile* file, size_t buffer_bytes);
  ~BufferedInputStream() override;
  BufferedInputStream(const BufferedInputStream&) = delete;

  using InputStreamInterface::ReadNBytes;
  Status ReadNBytes(int64_t bytes_to_read, tstring* result) override;
  Status SkipNBytes(int64_t bytes_to_skip) override;
  int64_t Tell() const override;
  Status Reset() override;
  // Goes back as well as forward.
  Status Seek(int64_t position);

  // Reads a line without its end, "\n" or "\r\n".  OutOfRange at the end of the
  // stream; ResourceExhausted for a line longer than half of the memory.
  Status ReadLine(std::string* result) { return NextLine(result, false); }
  std::string ReadLineAsString();
  Status SkipLine();
  template <typename T>
  Status ReadAll(T* result) {
    std::string all;
    const Status read = ReadRest(&all);
    result->assign(all.data(), all.size());
    return read;
  }

 private:
  Status FillBuffer();
  Status NextLine(std::string* result, bool include_eol);
  Status ReadRest(std::string* result);

  InputStreamInterface* const input_stream_;
  const bool owns_input_stream_;
  const size_t size_;
  tstring buffer_;
  size_t at_ = 0;  // Next byte of the buffer.
  Status at_end_;  // The reason why there are no more bytes after the buffer.
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_BUFFERED_INPUTSTREAM_H_
