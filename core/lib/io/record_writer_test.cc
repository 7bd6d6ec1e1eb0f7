// SPDX-License-Identifier: Apache-2.0
// Records, written and read back.
#include "core/lib/io/record_writer.h"

#include <memory>
#include <string>
#include <vector>

#include "core/lib/core/coding.h"
#include "core/lib/hash/crc32c.h"
#include "core/lib/io/record_reader.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace io {
namespace {

class RecordWriterTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Env::Default()->LocalTempFilename(&path_));
  }
  void TearDown() override { Env::Default()->DeleteFile(path_).IgnoreError(); }

  void Write(const std::vector<std::string>& records) {
    std::unique_ptr<WritableFile> file;
    ASSERT_TRUE(Env::Default()->NewWritableFile(path_, &file).ok());
    RecordWriter writer(
        file.get(), RecordWriterOptions::CreateRecordWriterOptions(GetParam()));
    for (const std::string& record : records) {
      ASSERT_TRUE(writer.WriteRecord(record).ok());
    }
    ASSERT_TRUE(writer.Close().ok());
    ASSERT_TRUE(file->Close().ok());
  }

  // Reads all records and returns the last status.
  Status Read(std::vector<std::string>* records) {
    std::unique_ptr<RandomAccessFile> file;
    TF_RETURN_IF_ERROR(Env::Default()->NewRandomAccessFile(path_, &file));
    SequentialRecordReader reader(
        file.get(), RecordReaderOptions::CreateRecordReaderOptions(GetParam()));
    for (;;) {
      std::string record;
      TF_RETURN_IF_ERROR(reader.ReadRecord(&record));
      records->push_back(record);
    }
  }

  std::string path_;
};

TEST_P(RecordWriterTest, RecordsReadBack) {
  std::vector<std::string> records = {"", "a", std::string(100000, 'x')};
  for (int i = 0; i < 1000; ++i) records.push_back(std::string(i % 70, 'r'));
  Write(records);
  std::vector<std::string> back;
  EXPECT_TRUE(errors::IsOutOfRange(Read(&back)));
  EXPECT_EQ(back, records);
}

TEST_P(RecordWriterTest, WhatIsCutOffIsLostAndTheRestIsNot) {
  Write({"first", "second"});
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(Env::Default(), path_, &bytes).ok());
  bytes.resize(bytes.size() - 3);
  ASSERT_TRUE(WriteStringToFile(Env::Default(), path_, bytes).ok());
  std::vector<std::string> back;
  const Status end = Read(&back);
  // Inflating may give all bytes before the end of the stream is seen.
  EXPECT_TRUE(errors::IsDataLoss(end) || back.size() == 2) << end.ToString();
  EXPECT_FALSE(end.ok());
  ASSERT_GE(back.size(), 1);
  EXPECT_EQ(back[0], "first");
}

// Changes every 97th bit, and tries every length: the result is an error, or
// records.
TEST_P(RecordWriterTest, ChangedBitsAreErrors) {
  Write({std::string(300, 'a'), "b", std::string(70, 'c')});
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(Env::Default(), path_, &bytes).ok());
  for (size_t bit = 0; bit < 8 * bytes.size(); bit += 97) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    ASSERT_TRUE(WriteStringToFile(Env::Default(), path_, changed).ok());
    std::vector<std::string> back;
    const Status end = Read(&back);
    EXPECT_TRUE(errors::IsDataLoss(end) || errors::IsOutOfRange(end))
        << end.ToString();
    EXPECT_LE(back.size(), 3u);
  }
  for (size_t length = 0; length < bytes.size(); length += 5) {
    ASSERT_TRUE(
        WriteStringToFile(Env::Default(), path_, bytes.substr(0, length)).ok());
    std::vector<std::string> back;
    EXPECT_FALSE(Read(&back).ok());
    EXPECT_LE(back.size(), 3u);
  }
}

// Goes back to the first record from behind the last.
TEST_P(RecordWriterTest, OffsetsLeadBack) {
  Write({"first", std::string(500000, 'x'), "third"});
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_TRUE(Env::Default()->NewRandomAccessFile(path_, &file).ok());
  RecordReaderOptions options =
      RecordReaderOptions::CreateRecordReaderOptions(GetParam());
  options.buffer_size = 1000;
  RecordReader reader(file.get(), options);
  uint64_t offset = 0;
  std::string record;
  ASSERT_TRUE(reader.ReadRecord(&offset, &record).ok());
  const uint64_t second = offset;
  ASSERT_TRUE(reader.ReadRecord(&offset, &record).ok());
  EXPECT_EQ(record.size(), 500000);
  ASSERT_TRUE(reader.ReadRecord(&offset, &record).ok());
  EXPECT_EQ(record, "third");
  const uint64_t end = offset;
  EXPECT_TRUE(errors::IsOutOfRange(reader.ReadRecord(&offset, &record)));
  EXPECT_EQ(offset, end);
  offset = second;
  ASSERT_TRUE(reader.ReadRecord(&offset, &record).ok());
  EXPECT_EQ(record.size(), 500000);
}

INSTANTIATE_TEST_SUITE_P(Compressions, RecordWriterTest,
                         testing::Values("", "ZLIB", "GZIP"));

TEST(RecordFormatTest, WhatIsLostIsNamed) {
  std::string path;
  ASSERT_TRUE(Env::Default()->LocalTempFilename(&path));
  // A length of 2^40, with its CRC, and nothing after it.
  std::string bytes("\0\0\0\0\0\1\0\0", 8);
  core::PutFixed32(&bytes, crc32c::Mask(crc32c::Value(bytes)));
  ASSERT_TRUE(WriteStringToFile(Env::Default(), path, bytes + "few").ok());
  std::unique_ptr<RandomAccessFile> in;
  ASSERT_TRUE(Env::Default()->NewRandomAccessFile(path, &in).ok());
  uint64_t offset = 0;
  std::string back;
  const Status read = RecordReader(in.get()).ReadRecord(&offset, &back);
  EXPECT_TRUE(errors::IsDataLoss(read));
  EXPECT_EQ(read.message(), "truncated record at 0 of " + path);
  Env::Default()->DeleteFile(path).IgnoreError();
}

TEST(RecordFormatTest, AChangedByteIsFound) {
  std::string path;
  ASSERT_TRUE(Env::Default()->LocalTempFilename(&path));
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(Env::Default()->NewWritableFile(path, &file).ok());
  RecordWriter writer(file.get());
  ASSERT_TRUE(writer.WriteRecord("abc").ok());
  ASSERT_TRUE(writer.Flush().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(Env::Default(), path, &bytes).ok());
  ASSERT_EQ(bytes.size(), 19);
  // The length, its masked CRC, the bytes, their masked CRC.
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x03\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.substr(12, 3), "abc");
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] ^= 4;
    ASSERT_TRUE(WriteStringToFile(Env::Default(), path, changed).ok());
    std::unique_ptr<RandomAccessFile> in;
    ASSERT_TRUE(Env::Default()->NewRandomAccessFile(path, &in).ok());
    uint64_t offset = 0;
    std::string back;
    EXPECT_TRUE(
        errors::IsDataLoss(RecordReader(in.get()).ReadRecord(&offset, &back)))
        << i;
  }
  Env::Default()->DeleteFile(path).IgnoreError();
}

// A disk that is full for one call.
class FullOnce final : public WritableFile {
 public:
  explicit FullOnce(int when) : left_(when) {}
  Status Append(absl::string_view data) override {
    const bool is_full = --left_ == 0;
    bytes.append(data.data(), is_full ? data.size() / 2 : data.size());
    return is_full ? errors::ResourceExhausted("disk is full") : OkStatus();
  }
  Status Close() override { return OkStatus(); }
  Status Flush() override { return OkStatus(); }
  Status Sync() override { return OkStatus(); }

  std::string bytes;

 private:
  int left_;
};

TEST(RecordWriterFailureTest, NothingFollowsHalfARecord) {
  // A record is written in three parts.
  for (int when = 4; when <= 6; ++when) {
    FullOnce file(when);
    RecordWriter writer(&file);
    ASSERT_TRUE(writer.WriteRecord("first").ok());
    const Status full = writer.WriteRecord("second");
    EXPECT_TRUE(errors::IsResourceExhausted(full)) << full.ToString();
    const std::string left = file.bytes;
    EXPECT_EQ(writer.WriteRecord("third").ToString(), full.ToString());
    EXPECT_EQ(writer.Flush().ToString(), full.ToString());
    EXPECT_EQ(file.bytes, left) << when;
  }
}

}  // namespace
}  // namespace io
}  // namespace tensorwright
