// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/table.h"

#include <snappy.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/crc32c.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace table {
namespace {

class StringSink final : public WritableFile {
 public:
  explicit StringSink(std::string* out) : out_(out) {}
  Status Append(absl::string_view data) override {
    out_->append(data.data(), data.size());
    return OkStatus();
  }
  Status Close() override { return OkStatus(); }
  Status Flush() override { return OkStatus(); }
  Status Sync() override { return OkStatus(); }

 private:
  std::string* const out_;
};

class StringSource final : public RandomAccessFile {
 public:
  explicit StringSource(absl::string_view data) : data_(data) {}
  Status Read(uint64_t offset, size_t n, absl::string_view* result,
              char* /*scratch*/) const override {
    *result = data_.substr(std::min<uint64_t>(offset, data_.size()), n);
    return result->size() == n ? OkStatus() : errors::OutOfRange("end");
  }

 private:
  const absl::string_view data_;
};

using Entries = std::map<std::string, std::string>;

std::string Build(const Entries& entries) {
  std::string file;
  StringSink sink(&file);
  TableBuilder builder(&sink);
  for (const auto& [key, value] : entries) TF_CHECK_OK(builder.Add(key, value));
  TF_CHECK_OK(builder.Finish());
  return file;
}

Status ReadAll(absl::string_view file, Entries* entries) {
  StringSource source(file);
  std::unique_ptr<Table> table;
  TF_RETURN_IF_ERROR(Table::Open(&source, file.size(), &table));
  Table::Iterator it(table.get());
  for (Status s = it.SeekToFirst();; s = it.Next()) {
    TF_RETURN_IF_ERROR(s);
    if (!it.Valid()) return OkStatus();
    (*entries)[std::string(it.key())] = std::string(it.value());
  }
}

// Several blocks with keys that share much and little, and an empty one.
Entries Many() {
  Entries entries = {{"", "header"}};
  for (int i = 0; i < 3000; ++i) {
    entries[absl::StrCat("layer/", i * 7919 % 3000, "/weights")] =
        std::string(i % 400, static_cast<char>('a' + i % 26));
  }
  entries[std::string("\0\1slice", 7)] = "zero byte";
  return entries;
}

// Appends a block of entries that share nothing, with its trailer.
BlockHandle AppendBlock(
    const std::vector<std::pair<std::string, std::string>>& entries,
    std::string* file) {
  BlockHandle handle;
  handle.offset = file->size();
  std::string block;
  for (const auto& [key, value] : entries) {
    core::PutVarint32(&block, 0);
    core::PutVarint32(&block, static_cast<uint32_t>(key.size()));
    core::PutVarint32(&block, static_cast<uint32_t>(value.size()));
    block += key + value;
  }
  core::PutFixed32(&block, 0);
  core::PutFixed32(&block, 1);
  handle.size = block.size();
  block += '\0';
  core::PutFixed32(&block, crc32c::Mask(crc32c::Value(block)));
  *file += block;
  return handle;
}

TEST(TableTest, AnIndexThatRepeatsABlockIsRefused) {
  for (const int times : {1, 2}) {
    std::string file, to_block, footer;
    AppendBlock({{"a", "1"}, {"b", "2"}}, &file).AppendTo(&to_block);
    AppendBlock({}, &file).AppendTo(&footer);
    std::vector<std::pair<std::string, std::string>> index;
    for (int i = 0; i < times; ++i) index.emplace_back("b", to_block);
    AppendBlock(index, &file).AppendTo(&footer);
    footer.resize(kFooterBytes - sizeof(uint64_t));
    core::PutFixed64(&footer, kMagic);
    file += footer;
    Entries read;
    const Status s = ReadAll(file, &read);
    EXPECT_EQ(read.size(), 2u);
    EXPECT_EQ(errors::IsDataLoss(s), times == 2) << s;
    EXPECT_EQ(s.ok(), times == 1) << s;
  }
}

TEST(TableTest, WhatIsWrittenIsRead) {
  for (const Entries& entries : {Entries(), Entries{{"", "x"}},
                                 Entries{{"a", ""}, {"b", "2"}}, Many()}) {
    Entries read;
    TF_CHECK_OK(ReadAll(Build(entries), &read));
    EXPECT_EQ(read, entries);
  }
}

TEST(TableTest, SeekFindsTheFirstKeyNotLess) {
  const Entries entries = Many();
  const std::string file = Build(entries);
  StringSource source(file);
  std::unique_ptr<Table> table;
  TF_CHECK_OK(Table::Open(&source, file.size(), &table));
  Table::Iterator it(table.get());
  for (const auto& [key, value] : entries) {
    for (const std::string& target :
         {key, key + std::string(1, '\0'), key + "~"}) {
      TF_CHECK_OK(it.Seek(target));
      const auto want = entries.lower_bound(target);
      ASSERT_EQ(it.Valid(), want != entries.end());
      if (!it.Valid()) continue;
      EXPECT_EQ(it.key(), want->first);
      EXPECT_EQ(it.value(), want->second);
    }
  }
}

TEST(TableTest, KeysMustRise) {
  std::string file;
  StringSink sink(&file);
  TableBuilder builder(&sink);
  TF_CHECK_OK(builder.Add("b", ""));
  EXPECT_TRUE(errors::IsInvalidArgument(builder.Add("b", "")));
  EXPECT_TRUE(errors::IsInvalidArgument(builder.Add("a", "")));
}

TEST(TableTest, EveryByteThatIsBrokenIsNoticed) {
  const Entries entries = {{"", "header"}, {"w", "one"}, {"x", "two"}};
  const std::string file = Build(entries);
  for (size_t i = 0; i < file.size(); ++i) {
    std::string broken = file;
    broken[i] = static_cast<char>(broken[i] ^ 0x41);
    Entries read;
    const Status s = ReadAll(broken, &read);
    // The zeros before the magic number mean nothing.
    const bool unused = i >= file.size() - kFooterBytes && s.ok();
    if (unused) {
      EXPECT_EQ(read, entries) << i;
    } else {
      EXPECT_TRUE(errors::IsDataLoss(s)) << i << s;
    }
  }
}

TEST(TableTest, EveryShorterFileIsNoticed) {
  const std::string file = Build({{"", "header"}, {"w", "one"}});
  for (size_t n = 0; n < file.size(); ++n) {
    Entries read;
    EXPECT_TRUE(errors::IsDataLoss(ReadAll(file.substr(0, n), &read))) << n;
  }
}

std::string WithTrailer(std::string block, char kind) {
  block.push_back(kind);
  core::PutFixed32(&block, crc32c::Mask(crc32c::Value(block)));
  return block;
}

// Adds a footer, and an empty meta index.
std::string WithFooter(std::string file, BlockHandle index) {
  std::string nothing, footer;
  core::PutFixed32(&nothing, 0);
  core::PutFixed32(&nothing, 1);
  BlockHandle{file.size(), nothing.size()}.AppendTo(&footer);
  file += WithTrailer(nothing, 0);
  index.AppendTo(&footer);
  footer.resize(kFooterBytes - 8);
  core::PutFixed64(&footer, kMagic);
  return file + footer;
}

TEST(TableTest, HandlesOutsideTheFileTakeNoMemory) {
  for (BlockHandle index :
       {BlockHandle{0, uint64_t{1} << 62}, BlockHandle{UINT64_MAX, 1},
        BlockHandle{0, 100}, BlockHandle{uint64_t{1} << 40, 1}}) {
    const std::string file = WithFooter("", index);
    Entries read;
    EXPECT_TRUE(errors::IsDataLoss(ReadAll(file, &read)));
  }
}

TEST(TableTest, CompressedBlocksAreRead) {
  // One data block: an entry "k" -> 1,000 times x, compressed.
  std::string block("\0\1", 2);
  core::PutVarint32(&block, 1000);
  block += "k" + std::string(1000, 'x');
  core::PutFixed32(&block, 0);
  core::PutFixed32(&block, 1);
  std::string compressed;
  snappy::Compress(block.data(), block.size(), &compressed);
  std::string index("\0\1", 2), handle;
  BlockHandle{0, compressed.size()}.AppendTo(&handle);
  core::PutVarint32(&index, static_cast<uint32_t>(handle.size()));
  index += "l" + handle;
  core::PutFixed32(&index, 0);
  core::PutFixed32(&index, 1);
  std::string file = WithTrailer(compressed, 1);
  const BlockHandle at{file.size(), index.size()};
  file += WithTrailer(index, 0);
  Entries read;
  TF_CHECK_OK(ReadAll(WithFooter(file, at), &read));
  EXPECT_EQ(read, (Entries{{"k", std::string(1000, 'x')}}));
}

TEST(TableTest, ACompressedBlockThatClaimsTooMuchTakesNoMemory) {
  std::string claim;
  core::PutVarint32(&claim, 0xfffffff0u);
  const BlockHandle index{0, claim.size()};
  Entries read;
  EXPECT_TRUE(errors::IsDataLoss(
      ReadAll(WithFooter(WithTrailer(claim, 1), index), &read)));
}

}  // namespace
}  // namespace table
}  // namespace tensorwright
