// SPDX-License-Identifier: Apache-2.0
// Writes tables.
#include <algorithm>
#include <utility>

#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/crc32c.h"
#include "core/lib/io/table.h"

namespace tensorwright {
namespace table {
namespace {

constexpr size_t kBlockBytes = 256 << 10;
constexpr uint32_t kRestartInterval = 16;

size_t SharedLength(absl::string_view a, absl::string_view b) {
  const size_t n = std::min(a.size(), b.size());
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + n, b.begin()).first - a.begin());
}

// A short key in [low, high).
std::string Between(absl::string_view low, absl::string_view high) {
  std::string key(low);
  const size_t i = SharedLength(low, high);
  if (i == std::min(low.size(), high.size())) return key;
  const unsigned char c = key[i];
  if (c < 0xff && c + 1 < static_cast<unsigned char>(high[i])) {
    key[i] = static_cast<char>(c + 1);
    key.resize(i + 1);
  }
  return key;
}

// A short key that is not less than `low`.
std::string NotBelow(absl::string_view low) {
  std::string key(low);
  for (size_t i = 0; i < key.size(); ++i) {
    const unsigned char c = key[i];
    if (c == 0xff) continue;
    key[i] = static_cast<char>(c + 1);
    key.resize(i + 1);
    break;
  }
  return key;
}

}  // namespace

void TableBuilder::Block::Add(absl::string_view key, absl::string_view value,
                              uint32_t restart_interval) {
  size_t shared = 0;
  if (num_restarts == 0 || since_restart == restart_interval) {
    core::PutFixed32(&restarts, static_cast<uint32_t>(bytes.size()));
    ++num_restarts;
    since_restart = 0;
  } else {
    shared = SharedLength(last_key, key);
  }
  core::PutVarint32(&bytes, static_cast<uint32_t>(shared));
  core::PutVarint32(&bytes, static_cast<uint32_t>(key.size() - shared));
  core::PutVarint32(&bytes, static_cast<uint32_t>(value.size()));
  bytes.append(key.data() + shared, key.size() - shared);
  bytes.append(value.data(), value.size());
  last_key.assign(key.data(), key.size());
  ++since_restart;
}

std::string TableBuilder::Block::Take() {
  // There is always one restart, even if there is no entry.
  if (num_restarts == 0) core::PutFixed32(&restarts, 0);
  std::string out = std::move(bytes);
  out += restarts;
  core::PutFixed32(&out, std::max(num_restarts, 1u));
  *this = Block();
  return out;
}

Status TableBuilder::Write(const std::string& block, BlockHandle* handle) {
  handle->offset = offset_;
  handle->size = block.size();
  const char kind = static_cast<char>(Compression::kNone);
  const uint32_t sum = crc32c::Extend(crc32c::Value(block), &kind, 1);
  std::string trailer(1, kind);
  core::PutFixed32(&trailer, crc32c::Mask(sum));
  TF_RETURN_IF_ERROR(file_->Append(block));
  TF_RETURN_IF_ERROR(file_->Append(trailer));
  offset_ += block.size() + trailer.size();
  return OkStatus();
}

Status TableBuilder::EndBlock(absl::string_view next_key) {
  if (data_.bytes.empty()) return OkStatus();
  BlockHandle handle;
  TF_RETURN_IF_ERROR(Write(data_.Take(), &handle));
  std::string value;
  handle.AppendTo(&value);
  index_.Add(next_key.data() == nullptr ? NotBelow(last_key_)
                                        : Between(last_key_, next_key),
             value, /*restart_interval=*/1);
  return OkStatus();
}

Status TableBuilder::Add(absl::string_view key, absl::string_view value) {
  if (has_entries_ && key <= last_key_) {
    return errors::InvalidArgument("table: key '", key, "' follows '",
                                   last_key_, "'");
  }
  if (key.size() > UINT32_MAX / 4 || value.size() > UINT32_MAX / 2) {
    return errors::InvalidArgument("table: an entry of ", value.size(),
                                   " bytes is too large");
  }
  if (data_.bytes.size() + data_.restarts.size() + sizeof(uint32_t) >=
      kBlockBytes) {
    TF_RETURN_IF_ERROR(EndBlock(key));
  }
  data_.Add(key, value, kRestartInterval);
  last_key_.assign(key.data(), key.size());
  has_entries_ = true;
  return OkStatus();
}

Status TableBuilder::Finish() {
  TF_RETURN_IF_ERROR(EndBlock(absl::string_view()));
  BlockHandle meta_index, index;
  TF_RETURN_IF_ERROR(Write(Block().Take(), &meta_index));
  TF_RETURN_IF_ERROR(Write(index_.Take(), &index));
  std::string footer;
  meta_index.AppendTo(&footer);
  index.AppendTo(&footer);
  footer.resize(kFooterBytes - sizeof(uint64_t));
  core::PutFixed64(&footer, kMagic);
  return file_->Append(footer);
}

}  // namespace table
}  // namespace tensorwright
