// SPDX-License-Identifier: Apache-2.0
// Reads tables.
#include "core/lib/io/table.h"

#include <snappy.h>

#include <utility>

#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/crc32c.h"

namespace tensorwright {
namespace table {

void BlockHandle::AppendTo(std::string* out) const {
  core::PutVarint64(out, offset);
  core::PutVarint64(out, size);
}

bool BlockHandle::Take(absl::string_view* in) {
  return core::GetVarint64(in, &offset) && core::GetVarint64(in, &size);
}

Status BlockIterator::Broken(absl::string_view what) const {
  return errors::DataLoss("the block at offset ", offset_,
                          " is broken: ", what);
}

Status BlockIterator::Reset(std::string contents, uint64_t offset) {
  contents_ = std::move(contents);
  offset_ = offset;
  valid_ = false;
  restarts_ = num_restarts_ = 0;
  const size_t n = contents_.size();
  if (n < sizeof(uint32_t)) return Broken("it is too short");
  num_restarts_ = core::DecodeFixed32(contents_.data() + n - sizeof(uint32_t));
  if (num_restarts_ > n / sizeof(uint32_t) - 1) {
    num_restarts_ = 0;
    return Broken("it has more restarts than bytes");
  }
  restarts_ = n - (size_t{num_restarts_} + 1) * sizeof(uint32_t);
  return OkStatus();
}

Status BlockIterator::SeekToRestart(uint32_t i) {
  const uint32_t at = core::DecodeFixed32(contents_.data() + restarts_ +
                                          size_t{i} * sizeof(uint32_t));
  if (at > restarts_) return Broken("a restart is outside");
  next_ = at;
  key_.clear();
  return Next();
}

Status BlockIterator::SeekToFirst() {
  if (num_restarts_ > 0) return SeekToRestart(0);
  valid_ = false;
  return OkStatus();
}

Status BlockIterator::Next() {
  valid_ = false;
  absl::string_view rest = entries().substr(next_);
  if (rest.empty()) return OkStatus();
  uint32_t shared, own, length;
  if (!core::GetVarint32(&rest, &shared) || !core::GetVarint32(&rest, &own) ||
      !core::GetVarint32(&rest, &length) || shared > key_.size() ||
      own > rest.size() || length > rest.size() - own) {
    return Broken("what should be an entry is none");
  }
  key_.resize(shared);
  key_.append(rest.data(), own);
  value_ = rest.substr(own, length);
  next_ = static_cast<size_t>(value_.data() + length - contents_.data());
  valid_ = true;
  return OkStatus();
}

// Searches for the last restart whose key is less than `target`.
Status BlockIterator::Seek(absl::string_view target) {
  if (num_restarts_ == 0) return SeekToFirst();
  uint32_t low = 0, high = num_restarts_ - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    TF_RETURN_IF_ERROR(SeekToRestart(middle));
    if (!Valid()) return Broken("a restart is at its end");
    if (key() < target) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  TF_RETURN_IF_ERROR(SeekToRestart(low));
  while (Valid() && key() < target) TF_RETURN_IF_ERROR(Next());
  return OkStatus();
}

Status Table::Open(const RandomAccessFile* file, uint64_t file_size,
                   std::unique_ptr<Table>* table) {
  if (file_size < kFooterBytes) {
    return errors::DataLoss("it has ", file_size,
                            " bytes, too few to be a table");
  }
  char scratch[kFooterBytes];
  absl::string_view footer;
  TF_RETURN_IF_ERROR(
      file->Read(file_size - kFooterBytes, kFooterBytes, &footer, scratch));
  const uint64_t magic =
      core::DecodeFixed64(footer.data() + kFooterBytes - sizeof(uint64_t));
  if (magic != kMagic) {
    return errors::DataLoss("its last bytes are not those of a table");
  }
  BlockHandle meta_index, index;
  if (!meta_index.Take(&footer) || !index.Take(&footer)) {
    return errors::DataLoss("its footer is broken");
  }
  table->reset(new Table(file, file_size));
  (*table)->index_offset_ = index.offset;
  // The meta index has nothing that is needed, but a whole file has a whole
  // one.
  std::string nothing;
  Status s = (*table)->ReadBlock(meta_index, &nothing);
  if (s.ok()) s = (*table)->ReadBlock(index, &(*table)->index_);
  if (!s.ok()) table->reset();
  return s;
}

Status Table::ReadBlock(BlockHandle handle, std::string* contents) const {
  const uint64_t offset = handle.offset, n = handle.size;
  // No block may overlap the footer.
  const uint64_t end = size_ - kFooterBytes;
  if (offset > end || n > end - offset || end - offset - n < kTrailerBytes) {
    return errors::DataLoss("a block of ", n, " bytes at offset ", offset,
                            " does not fit into its ", size_, " bytes");
  }
  std::string scratch(n + kTrailerBytes, '\0');
  absl::string_view read;
  TF_RETURN_IF_ERROR(
      file_->Read(offset, scratch.size(), &read, scratch.data()));
  const uint32_t sum = core::DecodeFixed32(read.data() + n + 1);
  if (crc32c::Unmask(sum) != crc32c::Value(read.data(), n + 1)) {
    return errors::DataLoss("the block at offset ", offset, " of ", n,
                            " bytes does not have its checksum");
  }
  switch (static_cast<Compression>(read[n])) {
    case Compression::kNone:
      if (read.data() != scratch.data()) scratch.assign(read.data(), n);
      scratch.resize(n);
      *contents = std::move(scratch);
      return OkStatus();
    case Compression::kSnappy: {
      // Three bytes of Snappy give at most 64.
      constexpr size_t kMostPerByte = 22;
      size_t inflated;
      if (!snappy::GetUncompressedLength(read.data(), n, &inflated) ||
          inflated / kMostPerByte > n) {
        break;
      }
      contents->resize(inflated);
      if (!snappy::RawUncompress(read.data(), n, contents->data())) break;
      return OkStatus();
    }
  }
  return errors::DataLoss("the block at offset ", offset,
                          " is of an unknown kind or wrongly compressed");
}

Status Table::Iterator::LoadBlock() {
  absl::string_view value = index_.value();
  BlockHandle handle;
  if (!handle.Take(&value)) {
    return errors::DataLoss("the block at offset ", table_->index_offset_,
                            " is broken: it should say where blocks are");
  }
  if (loaded_ == handle.offset) return OkStatus();
  loaded_ = UINT64_MAX;
  std::string contents;
  TF_RETURN_IF_ERROR(table_->ReadBlock(handle, &contents));
  TF_RETURN_IF_ERROR(block_.Reset(std::move(contents), handle.offset));
  loaded_ = handle.offset;
  return OkStatus();
}

Status Table::Iterator::SkipEmpty() {
  while (!block_.Valid()) {
    const uint64_t before = loaded_;
    TF_RETURN_IF_ERROR(index_.Next());
    if (!index_.Valid()) return OkStatus();
    TF_RETURN_IF_ERROR(LoadBlock());
    // An index that names one block again and again would make a short file a
    // long table.
    if (loaded_ <= before) {
      return errors::DataLoss("the block at offset ", table_->index_offset_,
                              " is broken: it names blocks out of order");
    }
    TF_RETURN_IF_ERROR(block_.SeekToFirst());
  }
  return OkStatus();
}

Status Table::Iterator::SeekToFirst() { return Seek(absl::string_view()); }

Status Table::Iterator::Seek(absl::string_view target) {
  if (!has_index_) {
    TF_RETURN_IF_ERROR(index_.Reset(table_->index_, table_->index_offset_));
    has_index_ = true;
  }
  TF_RETURN_IF_ERROR(index_.Seek(target));
  if (!index_.Valid()) {
    block_ = BlockIterator();
    loaded_ = UINT64_MAX;
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(LoadBlock());
  TF_RETURN_IF_ERROR(block_.Seek(target));
  return SkipEmpty();
}

Status Table::Iterator::Next() {
  TF_RETURN_IF_ERROR(block_.Next());
  return SkipEmpty();
}

}  // namespace table
}  // namespace tensorwright
