// SPDX-License-Identifier: Apache-2.0
// Tables and records.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/lib/core/errors.h"
#include "core/lib/io/record_reader.h"
#include "core/lib/io/table.h"
#include "core/platform/env.h"
#include "core/util/event.pb.h"
#include "tools/fuzz/fuzz_targets.h"

namespace tensorwright {
namespace fuzz {
namespace {

class BytesFile final : public RandomAccessFile {
 public:
  explicit BytesFile(absl::string_view bytes) : bytes_(bytes) {}
  Status Read(uint64_t offset, size_t n, absl::string_view* result,
              char* scratch) const override {
    const size_t begin = std::min<uint64_t>(offset, bytes_.size());
    const size_t got = std::min(n, bytes_.size() - begin);
    std::copy_n(bytes_.data() + begin, got, scratch);
    *result = absl::string_view(scratch, got);
    return got == n ? OkStatus() : errors::OutOfRange("end");
  }

 private:
  const absl::string_view bytes_;
};

void WalkTable(absl::string_view bytes) {
  BytesFile file(bytes);
  std::unique_ptr<table::Table> table;
  if (!table::Table::Open(&file, bytes.size(), &table).ok()) return;
  table::Table::Iterator it(table.get());
  constexpr size_t kSought = 16;
  std::vector<std::string> keys = {"", "m", "\xff\xff\xff"};
  for (Status s = it.SeekToFirst(); s.ok() && it.Valid(); s = it.Next()) {
    if (keys.size() < kSought) keys.emplace_back(it.key());
  }
  for (const std::string& key : keys) {
    if (it.Seek(key).ok() && it.Valid()) it.Next().IgnoreError();
  }
}

void WalkRecords(absl::string_view bytes,
                 const io::RecordReaderOptions& options) {
  BytesFile file(bytes);
  io::SequentialRecordReader reader(&file, options);
  absl::string_view record;
  while (reader.ReadRecordView(&record).ok()) {
  }
}

// A small buffer, so that short files fill it more than once.
io::RecordReaderOptions Options(const std::string& compression) {
  auto options =
      io::RecordReaderOptions::CreateRecordReaderOptions(compression);
  options.buffer_size = 256;
  return options;
}

}  // namespace

void ReadTable(absl::string_view bytes) {
  WalkTable(bytes);
  WalkTable(WithTableSums(bytes));
}

void ReadRecords(absl::string_view bytes) {
  WalkRecords(bytes, Options(""));
  WalkRecords(WithRecordSums(bytes), Options(""));
}

void ReadZippedRecords(absl::string_view bytes) {
  WalkRecords(bytes, Options("ZLIB"));
  WalkRecords(bytes, Options("GZIP"));
}

void ReadEvent(absl::string_view bytes) {
  Event event;
  event.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace fuzz
}  // namespace tensorwright
