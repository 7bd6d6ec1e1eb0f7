// SPDX-License-Identifier: Apache-2.0
// The list of targets, and the functions that mend checksums.
#include "tools/fuzz/fuzz_targets.h"

#include <cstdint>
#include <limits>

#include "core/lib/core/coding.h"
#include "core/lib/hash/crc32c.h"
#include "core/lib/io/table.h"

namespace tensorwright {
namespace fuzz {
namespace {

using table::BlockHandle;
using table::BlockIterator;

// Are the block and its trailer in front of the footer?
bool Fits(const BlockHandle& handle, size_t file_size) {
  const uint64_t end = file_size - table::kFooterBytes;
  return handle.offset <= end && handle.size <= end - handle.offset &&
         end - handle.offset - handle.size >= table::kTrailerBytes;
}

bool MendBlock(const BlockHandle& handle, std::string* file) {
  if (!Fits(handle, file->size())) return false;
  char* block = file->data() + handle.offset;
  core::EncodeFixed32(block + handle.size + 1,
                      crc32c::Mask(crc32c::Value(block, handle.size + 1)));
  return true;
}

}  // namespace

const std::vector<Target>& Targets() {
  // Three bytes of Snappy may stand for 64; zlib makes a thousand bytes from
  // one.  A message of protobuf of two bytes takes a hundred, and its place in
  // a list that doubles up to eight a byte.  If a message claims to be longer
  // than the one around it, libprotobuf reserves what its strings claim, but no
  // more than 50 MB, before it finds the end.
  constexpr int64_t kSmall = 1 << 20;
  constexpr int64_t kProtobuf = kSmall + 50'000'000;
  // A kernel's first call allocates memory that stays: threads, a store of
  // buffers.
  constexpr int64_t kParser = 4 * kSmall;
  // The largest image that a target takes (image_targets.cc), and the memory
  // that libraries need for one.
  constexpr int64_t kImage = 16 * kSmall;
  // For a JPEG that comes in scans libjpeg keeps all coefficients, two bytes
  // for each of three components, of as many pixels as jpeg_mem.cc allows for a
  // byte.
  constexpr int64_t kScans = 2 * 3 * (8 * 64 * 16);
  static const auto* const targets = new std::vector<Target>{
      {"table", ReadTable, 26, 24, kSmall},
      {"records", ReadRecords, 4, 4, kSmall},
      {"zipped_records", ReadZippedRecords, 2100, 2100, kSmall},
      {"event", ReadEvent, 256, 8, kProtobuf},
      {"bundle_index", ReadBundleIndex, 26, 24, kProtobuf},
      {"bundle_entries", ReadBundleEntries, 64, 8, kProtobuf},
      {"slice_table", ReadSliceTable, 64, 24, kProtobuf},
      {"meta_graph", ReadMetaGraph, 256, 8, kProtobuf},
      {"saved_model", ReadSavedModel, 256, 8, kProtobuf},
      {"example", ParseExample, 256, 64, kParser},
      {"csv", ParseCsv, 64, 16, kParser},
      {"json_example", ParseJsonExample, 256, 64, kProtobuf},
      {"jpeg", DecodeJpeg, kScans, kScans, kImage},
      {"png", DecodePng, 2100, 2100, kImage},
      {"gif", DecodeGif, 2100, 2100, kImage},
      {"bmp", DecodeBmp, 64, 64, kImage},
  };
  return *targets;
}

std::string WithTableSums(absl::string_view file) {
  std::string mended(file);
  if (file.size() < table::kFooterBytes) return mended;
  core::EncodeFixed64(mended.data() + mended.size() - sizeof(uint64_t),
                      table::kMagic);
  absl::string_view footer = file.substr(file.size() - table::kFooterBytes);
  BlockHandle meta_index, index;
  if (!meta_index.Take(&footer) || !index.Take(&footer)) return mended;
  MendBlock(meta_index, &mended);
  if (!MendBlock(index, &mended)) return mended;
  BlockIterator blocks;
  Status s = blocks.Reset(mended.substr(index.offset, index.size), 0);
  if (s.ok()) s = blocks.SeekToFirst();
  while (s.ok() && blocks.Valid()) {
    absl::string_view value = blocks.value();
    BlockHandle handle;
    if (handle.Take(&value)) MendBlock(handle, &mended);
    s = blocks.Next();
  }
  return mended;
}

std::string WithRecordSums(absl::string_view file) {
  std::string mended(file);
  constexpr size_t kHead = sizeof(uint64_t) + sizeof(uint32_t);
  size_t at = 0;
  while (mended.size() - at >= kHead) {
    char* head = mended.data() + at;
    const uint64_t n = core::DecodeFixed64(head);
    core::EncodeFixed32(head + sizeof(uint64_t),
                        crc32c::Mask(crc32c::Value(head, sizeof(uint64_t))));
    at += kHead;
    if (n > mended.size() - at || mended.size() - at - n < sizeof(uint32_t)) {
      break;
    }
    char* record = mended.data() + at;
    core::EncodeFixed32(record + n, crc32c::Mask(crc32c::Value(record, n)));
    at += n + sizeof(uint32_t);
  }
  return mended;
}

}  // namespace fuzz
}  // namespace tensorwright
