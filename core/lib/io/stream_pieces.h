// SPDX-License-Identifier: Apache-2.0
// StreamPieces: gathers a string whose length shows only at its end, such as a
// line of a file or the inflated form of compressed data.
//
// A string that grows is copied again and again, and is there twice while it is
// copied.  Here the bytes beyond kDirect wait in pieces, each an eighth of the
// string before it, and are put together once: this takes the memory of the
// string and of one piece meanwhile, and the length that a stream claims costs
// nothing.
//
//   StreamPieces line(&result);
//   TF_RETURN_IF_ERROR(line.Append(some));
//   line.Finish();
//
// Not thread-safe.
#ifndef TENSORWRIGHT_CORE_LIB_IO_STREAM_PIECES_H_
#define TENSORWRIGHT_CORE_LIB_IO_STREAM_PIECES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace io {

class StreamPieces {
 public:
  // Up to this many bytes are in the string itself.
  static constexpr size_t kDirect = size_t{4} << 20;

  // *out, which is cleared, has the string after Finish.  Before that it has
  // some beginning of it.
  explicit StreamPieces(std::string* out) : out_(out) { out_->clear(); }
  ~StreamPieces();
  StreamPieces(const StreamPieces&) = delete;
  StreamPieces& operator=(const StreamPieces&) = delete;

  size_t size() const { return size_; }

  // The longest string that is allowed: half of the memory that the process may
  // use, since its receiver may copy it.
  static size_t MaxSize();

  // ResourceExhausted, with nothing appended, if the string would be longer
  // than MaxSize().
  Status Append(absl::string_view bytes);

  // Gives room for some of `wanted` > 0 more bytes: *n at *to, which
  // Advance(m), m <= *n, makes a part of the string.  Allows no other call in
  // between.
  Status Room(size_t wanted, char** to, size_t* n);
  void Advance(size_t m);

  void Finish();

 private:
  struct Piece {
    std::unique_ptr<char[]> data;
    size_t size = 0;
    size_t capacity = 0;
  };

  Status CheckSize(size_t more) const;
  Piece* LastWithRoom();
  static void Free(Piece* piece);

  std::string* const out_;
  std::vector<Piece> pieces_;
  size_t size_ = 0;
};

}  // namespace io
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_IO_STREAM_PIECES_H_
