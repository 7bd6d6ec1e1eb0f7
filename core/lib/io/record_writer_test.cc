// SPDX-License-Identifier: Apache-2.0
// Records, written and read back.
#include "core/lib/io/record_writer.h"

#include <memory>
#include <string>
#include <vector>

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

  // What reading said in the end.
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
  // Inflating does not need the end of the stream for its bytes.
  EXPECT_FALSE(end.ok());
  ASSERT_GE(back.size(), 1);
  EXPECT_EQ(back[0], "first");
}

INSTANTIATE_TEST_SUITE_P(Compressions, RecordWriterTest,
                         testing::Values("", "ZLIB", "GZIP"));

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

}  // namespace
}  // namespace io
}  // namespace tensorwright
