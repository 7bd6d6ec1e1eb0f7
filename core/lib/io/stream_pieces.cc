// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/stream_pieces.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/lib/core/errors.h"
#include "core/platform/memory_limit.h"

namespace tensorwright {
namespace io {
namespace {

constexpr size_t kMinPiece = size_t{64} << 10;
constexpr size_t kMaxPiece = size_t{128} << 20;
// A piece of this size or more goes back to the system at once, which the C
// library may not do.
constexpr size_t kMinReturned = size_t{1} << 20;

}  // namespace

StreamPieces::~StreamPieces() {
  for (Piece& piece : pieces_) Free(&piece);
}

size_t StreamPieces::MaxSize() {
  static const size_t size = static_cast<size_t>(port::MemoryLimit()) / 2;
  return size;
}

Status StreamPieces::CheckSize(size_t more) const {
  if (more <= MaxSize() && size_ <= MaxSize() - more) return OkStatus();
  return errors::ResourceExhausted("a string has more than ", MaxSize(),
                                   " bytes, half of the memory");
}

StreamPieces::Piece* StreamPieces::LastWithRoom() {
  if (pieces_.empty() || pieces_.back().size == pieces_.back().capacity) {
    Piece piece;
    piece.capacity = std::clamp(size_ / 8, kMinPiece, kMaxPiece);
    piece.data = std::make_unique_for_overwrite<char[]>(piece.capacity);
    pieces_.push_back(std::move(piece));
  }
  return &pieces_.back();
}

void StreamPieces::Free(Piece* piece) {
  constexpr uintptr_t kPage = 4096;
  if (piece->capacity >= kMinReturned) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(piece->data.get());
    const uintptr_t begin = (at + kPage - 1) / kPage * kPage;
    const uintptr_t end = (at + piece->capacity) / kPage * kPage;
    // This is advice: nothing is lost if the system ignores it.
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  piece->data.reset();
}

Status StreamPieces::Append(absl::string_view bytes) {
  if (pieces_.empty() && size_ + bytes.size() <= kDirect) {
    out_->append(bytes.data(), bytes.size());
    size_ += bytes.size();
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(CheckSize(bytes.size()));
  while (!bytes.empty()) {
    Piece* const piece = LastWithRoom();
    const size_t n = std::min(bytes.size(), piece->capacity - piece->size);
    std::memcpy(piece->data.get() + piece->size, bytes.data(), n);
    piece->size += n;
    size_ += n;
    bytes.remove_prefix(n);
  }
  return OkStatus();
}

Status StreamPieces::Room(size_t wanted, char** to, size_t* n) {
  if (pieces_.empty() && size_ < kDirect) {
    *n = std::min({wanted, kDirect - size_, std::max(size_, kMinPiece)});
    out_->resize(size_ + *n);
    *to = out_->data() + size_;
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(CheckSize(1));
  Piece* const piece = LastWithRoom();
  *n = std::min(wanted, piece->capacity - piece->size);
  *to = piece->data.get() + piece->size;
  return OkStatus();
}

void StreamPieces::Advance(size_t m) {
  size_ += m;
  if (pieces_.empty()) {
    out_->resize(size_);
  } else {
    pieces_.back().size += m;
  }
}

void StreamPieces::Finish() {
  if (pieces_.empty()) return;
  out_->reserve(size_);
  for (Piece& piece : pieces_) {
    out_->append(piece.data.get(), piece.size);
    Free(&piece);
  }
  pieces_.clear();
}

}  // namespace io
}  // namespace tensorwright
