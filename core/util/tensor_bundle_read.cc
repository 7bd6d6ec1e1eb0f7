// SPDX-License-Identifier: Apache-2.0
// Reads bundles: the bytes of tensors.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/threadpool.h"
#include "core/lib/hash/crc32c.h"
#include "core/util/box_runs.h"
#include "core/util/tensor_bundle.h"

namespace tensorwright {
namespace {

// A piece is read, then summed while it is in the cache.
constexpr int64_t kPiece = 256 << 10;
// The least number of bytes that is worth another thread.
constexpr int64_t kShare = 4 << 20;

// Copies bytes [offset, offset + n) to `to`, and sums them.
Status ReadAndSum(const RandomAccessFile& file, uint64_t offset, int64_t n,
                  char* to, uint32_t* sum) {
  *sum = 0;
  while (n > 0) {
    const size_t part = static_cast<size_t>(std::min(n, kPiece));
    absl::string_view read;
    TF_RETURN_IF_ERROR(file.Read(offset, part, &read, to));
    if (read.data() != to) std::memcpy(to, read.data(), part);
    *sum = crc32c::Extend(*sum, to, part);
    offset += part;
    to += part;
    n -= static_cast<int64_t>(part);
  }
  return OkStatus();
}

// The same, on the threads of `pool` if that is worth while.
Status ReadAndSum(const RandomAccessFile& file, uint64_t offset, int64_t n,
                  char* to, uint32_t* sum, thread::ThreadPool* pool) {
  const int64_t shares = (n + kShare - 1) / kShare;
  if (pool == nullptr || shares < 2) {
    return ReadAndSum(file, offset, n, to, sum);
  }
  std::vector<uint32_t> sums(static_cast<size_t>(shares));
  std::vector<Status> results(static_cast<size_t>(shares));
  const auto length = [&](int64_t i) {
    return std::min(kShare, n - i * kShare);
  };
  pool->ParallelFor(shares, kShare, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      results[i] = ReadAndSum(file, offset + i * kShare, length(i),
                              to + i * kShare, &sums[i]);
    }
  });
  *sum = 0;
  for (int64_t i = 0; i < shares; ++i) {
    TF_RETURN_IF_ERROR(results[i]);
    *sum = crc32c::Concat(*sum, sums[i], static_cast<uint64_t>(length(i)));
  }
  return OkStatus();
}

// Reads a stored box through a buffer and keeps the part of it that `runs`
// select, in elements of `width` bytes.
Status ReadRunsAndSum(const RandomAccessFile& file, uint64_t offset, int64_t n,
                      int64_t width, BoxRuns runs, char* to, uint32_t* sum) {
  *sum = 0;
  std::string buffer(static_cast<size_t>(std::min(n, kPiece)), '\0');
  int64_t in_run = 0;  // Bytes of the current run that were copied.
  for (int64_t at = 0; at < n;) {
    const int64_t part = std::min(n - at, kPiece);
    absl::string_view read;
    TF_RETURN_IF_ERROR(file.Read(offset + at, part, &read, buffer.data()));
    *sum = crc32c::Extend(*sum, read.data(), read.size());
    while (!runs.done()) {
      const int64_t begin = runs.from() * width + in_run;
      if (begin >= at + part) break;
      const int64_t left = runs.run() * width - in_run;
      const int64_t copied = std::min(left, at + part - begin);
      std::memcpy(to + runs.to() * width + in_run, read.data() + (begin - at),
                  static_cast<size_t>(copied));
      in_run += copied;
      if (copied < left) break;
      runs.Advance();
      in_run = 0;
    }
    at += part;
  }
  return OkStatus();
}

// Reads varints from a file, a buffer at a time.
class Buffered {
 public:
  Buffered(const RandomAccessFile& file, uint64_t offset, uint64_t size)
      : file_(file), offset_(offset), left_(size) {}

  Status ReadVarint(uint64_t* value, bool* ok) {
    if (rest_.size() < core::kMaxVarint64Bytes) TF_RETURN_IF_ERROR(Fill());
    *ok = core::GetVarint64(&rest_, value);
    return OkStatus();
  }
  // Reads `n` bytes, which must be there.
  Status ReadBytes(size_t n, char* to) {
    while (n > 0) {
      if (rest_.empty() && n >= buffer_.size()) {
        absl::string_view read;
        TF_RETURN_IF_ERROR(file_.Read(offset_, n, &read, to));
        if (read.data() != to) std::memcpy(to, read.data(), n);
        offset_ += n;
        left_ -= n;
        return OkStatus();
      }
      if (rest_.empty()) TF_RETURN_IF_ERROR(Fill());
      const size_t part = std::min(n, rest_.size());
      std::memcpy(to, rest_.data(), part);
      rest_.remove_prefix(part);
      to += part;
      n -= part;
    }
    return OkStatus();
  }
  uint64_t left() const { return left_ + rest_.size(); }

 private:
  // Adds more bytes after the rest of the buffer.
  Status Fill() {
    const size_t kept = rest_.size();
    std::string next(rest_);
    const size_t more = static_cast<size_t>(
        std::min<uint64_t>(left_, static_cast<uint64_t>(kPiece) - kept));
    next.resize(kept + more);
    absl::string_view read;
    TF_RETURN_IF_ERROR(file_.Read(offset_, more, &read, next.data() + kept));
    if (read.data() != next.data() + kept) {
      std::memcpy(next.data() + kept, read.data(), more);
    }
    buffer_ = std::move(next);
    rest_ = buffer_;
    offset_ += more;
    left_ -= more;
    return OkStatus();
  }

  const RandomAccessFile& file_;
  uint64_t offset_;
  uint64_t left_;  // The number of bytes after the buffer.
  std::string buffer_;
  absl::string_view rest_;
};

// Reads strings as tensor_bundle.h describes them; sets *ok to false if they
// are not so.  The sums were made of numbers in the writer's byte order.
Status ReadStrings(const RandomAccessFile& file, const BundleEntryProto& entry,
                   bool swap_bytes, absl::Span<std::string> strings,
                   uint32_t* sum, bool* ok) {
  Buffered in(file, entry.offset(), entry.size());
  *ok = false;
  uint32_t sum_of_lengths = 0;
  std::vector<uint64_t> lengths(strings.size());
  uint64_t total = 0;
  for (uint64_t& length : lengths) {
    bool varint;
    TF_RETURN_IF_ERROR(in.ReadVarint(&length, &varint));
    if (!varint || length > in.left() || total > in.left() - length) {
      return OkStatus();
    }
    total += length;
    char fixed[sizeof(uint64_t)];
    const size_t n = length <= UINT32_MAX ? sizeof(uint32_t) : sizeof fixed;
    core::EncodeFixed64(fixed, length);
    if (swap_bytes) std::reverse(fixed, fixed + n);
    sum_of_lengths = crc32c::Extend(sum_of_lengths, fixed, n);
  }
  char stored[sizeof(uint32_t)];
  if (in.left() != total + sizeof stored) return OkStatus();
  TF_RETURN_IF_ERROR(in.ReadBytes(sizeof stored, stored));
  *sum = crc32c::Extend(sum_of_lengths, stored, sizeof stored);
  if (swap_bytes) std::reverse(stored, stored + sizeof stored);
  if (crc32c::Unmask(core::DecodeFixed32(stored)) != sum_of_lengths) {
    return OkStatus();
  }
  for (size_t i = 0; i < strings.size(); ++i) {
    strings[i].resize(lengths[i]);
    TF_RETURN_IF_ERROR(in.ReadBytes(lengths[i], strings[i].data()));
    *sum = crc32c::Extend(*sum, strings[i].data(), lengths[i]);
  }
  *ok = true;
  return OkStatus();
}

// Turns elements into the other byte order; complex numbers count as two each.
void SwapBytes(Tensor* tensor) {
  const DataType dtype = tensor->dtype();
  if (dtype == DT_STRING) return;
  const size_t width =
      static_cast<size_t>(DataTypeSize(dtype)) / (DataTypeIsComplex(dtype) + 1);
  if (width < 2) return;
  char* p = tensor->base<char>();
  char* const end = p + tensor->tensor_data().size();
  for (; p != end; p += width) std::reverse(p, p + width);
}

}  // namespace

Status BundleReader::ReadPiece(const TensorRead& read,
                               const TensorRead::Piece& piece, Tensor* tensor,
                               thread::ThreadPool* pool) {
  const BundleEntryProto& entry = piece.entry;
  const DataFile* data;
  TF_RETURN_IF_ERROR(Open(read.name, entry, &data));
  BoxRuns runs(read.full_shape, piece.slice, read.slice);
  const int64_t n = piece.shape.num_elements();
  const bool all_in_one_run = runs.run() == n && runs.num_elements() == n;
  uint32_t sum = 0;
  bool ok = true;
  if (read.dtype == DT_STRING) {
    const auto to = Flat<std::string>(tensor);
    std::vector<std::string> apart(all_in_one_run ? 0 : n);
    TF_RETURN_IF_ERROR(ReadStrings(
        *data->file, entry, swap_bytes_,
        all_in_one_run ? to.subspan(runs.to(), n) : absl::MakeSpan(apart), &sum,
        &ok));
    for (; !all_in_one_run && !runs.done(); runs.Advance()) {
      const auto from = apart.begin() + runs.from();
      std::move(from, from + runs.run(), to.begin() + runs.to());
    }
  } else {
    const int64_t width = DataTypeSize(read.dtype);
    char* const to = tensor->base<char>();
    TF_RETURN_IF_ERROR(
        all_in_one_run ? ReadAndSum(*data->file, entry.offset(), entry.size(),
                                    to + runs.to() * width, &sum, pool)
                       : ReadRunsAndSum(*data->file, entry.offset(),
                                        entry.size(), width, runs, to, &sum));
  }
  if (!ok) return Broken(read.name, entry, "these are not the strings written");
  if (crc32c::Unmask(entry.crc32c()) != sum) {
    return Broken(read.name, entry,
                  absl::StrCat("the checksum of the bytes is ", sum, ", not ",
                               crc32c::Unmask(entry.crc32c()),
                               " as when they were written"));
  }
  return OkStatus();
}

Status BundleReader::Read(const TensorRead& read, Tensor* tensor,
                          thread::ThreadPool* pool) {
  if (tensor->dtype() != read.dtype || tensor->shape() != read.shape) {
    return errors::Internal("BundleReader: '", read.name, "' is read into ",
                            tensor->DeviceSafeDebugString());
  }
  for (const TensorRead::Piece& piece : read.pieces) {
    TF_RETURN_IF_ERROR(ReadPiece(read, piece, tensor, pool));
  }
  if (swap_bytes_) SwapBytes(tensor);
  if (read.dtype == DT_BOOL) {
    // A byte other than 0 and 1 is no bool.
    unsigned char* b = tensor->base<unsigned char>();
    for (int64_t i = 0; i < read.shape.num_elements(); ++i) b[i] = b[i] != 0;
  }
  return OkStatus();
}

}  // namespace tensorwright
