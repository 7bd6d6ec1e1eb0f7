// SPDX-License-Identifier: Apache-2.0
// Streams, and the memory they take, which is that of the strings they give.
#include "core/lib/io/buffered_inputstream.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include "core/lib/io/random_inputstream.h"
#include "core/lib/io/record_reader.h"
#include "core/lib/io/record_writer.h"
#include "core/lib/io/stream_pieces.h"
#include "core/lib/io/zlib_inputstream.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace io {
namespace {

constexpr size_t kMega = size_t{1} << 20;

// A file of the length that it claims, which takes no memory: every byte is an
// 'x', except that those at multiples of `line` after the first are '\n'.
class EndlessFile final : public RandomAccessFile {
 public:
  explicit EndlessFile(size_t size, size_t line = SIZE_MAX)
      : size_(size), line_(line) {}

  Status Read(uint64_t offset, size_t n, absl::string_view* result,
              char* scratch) const override {
    const size_t got = offset >= size_ ? 0 : std::min(n, size_ - offset);
    std::fill_n(scratch, got, 'x');
    for (size_t at = (offset + line_ - 1) / line_ * line_; at < offset + got;
         at += line_) {
      if (at > 0) scratch[at - offset] = '\n';
      if (line_ == SIZE_MAX) break;
    }
    *result = absl::string_view(scratch, got);
    return got == n ? Status() : errors::OutOfRange("the end");
  }
  Status Name(absl::string_view* name) const override {
    *name = "endless";
    return Status();
  }

 private:
  const size_t size_;
  const size_t line_;
};

// The most bytes of memory that the process has had since Begin.
class Peak {
 public:
  Peak() {
    std::ofstream("/proc/self/clear_refs") << "5";
    before_ = Read("VmRSS:");
  }
#ifdef __SANITIZE_ADDRESS__  // AddressSanitizer keeps freed memory.
  size_t Grown() const { return 0; }
#else
  size_t Grown() const { return Read("VmHWM:") - before_; }
#endif

 private:
  static size_t Read(const std::string& name) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != name) {
    }
    size_t kib = 0;
    status >> kib;
    return kib << 10;
  }
  size_t before_;
};

TEST(StreamPiecesTest, WhatIsAppendedComesOut) {
  for (const size_t size : {size_t{0}, size_t{1}, StreamPieces::kDirect,
                            StreamPieces::kDirect + 1, 30 * kMega + 7}) {
    std::string expected, got = "something else";
    StreamPieces pieces(&got);
    size_t step = 1;
    while (pieces.size() < size) {
      std::string part(std::min(step, size - pieces.size()), 'a' + step % 26);
      step = step * 3 + 1;
      if (step > 3 * kMega) step = 5;
      if (step % 2 == 0) {
        ASSERT_TRUE(pieces.Append(part).ok());
        expected += part;
        continue;
      }
      char* to = nullptr;
      size_t n = 0;
      ASSERT_TRUE(pieces.Room(part.size(), &to, &n).ok());
      ASSERT_GT(n, 0u);
      ASSERT_LE(n, part.size());
      const size_t used = (n + 1) / 2;
      std::copy_n(part.data(), used, to);
      pieces.Advance(used);
      expected += part.substr(0, used);
    }
    EXPECT_EQ(pieces.size(), size);
    pieces.Finish();
    EXPECT_TRUE(got == expected) << size;
  }
}

TEST(StreamPiecesTest, MoreThanHalfOfMemoryIsRefused) {
  std::string got;
  StreamPieces pieces(&got);
  const absl::string_view all("x", StreamPieces::MaxSize() + 1);
  EXPECT_TRUE(errors::IsResourceExhausted(pieces.Append(all)));
  EXPECT_EQ(pieces.size(), 0u);
}

TEST(BufferedInputStreamTest, ABufferIsNoLargerThanItsFile) {
  const EndlessFile file(3 * kMega, 1000);
  const Peak peak;
  BufferedInputStream in(const_cast<EndlessFile*>(&file), size_t{1} << 33);
  std::string line;
  size_t lines = 0;
  while (in.ReadLine(&line).ok()) ++lines;
  EXPECT_EQ(lines, 3 * kMega / 1000 + 1);
  EXPECT_LT(peak.Grown(), 16 * kMega);
}

TEST(BufferedInputStreamTest, ALongLineTakesItsOwnMemory) {
  constexpr size_t kLine = 200 * kMega + 3;
  EndlessFile file(kLine + 100, kLine);
  const Peak peak;
  BufferedInputStream in(&file, 256 << 10);
  std::string line;
  ASSERT_TRUE(in.ReadLine(&line).ok());
  EXPECT_LT(peak.Grown(), kLine * 5 / 4);
  EXPECT_EQ(line.size(), kLine);
  EXPECT_EQ(line.find_first_not_of('x'), std::string::npos);
  ASSERT_TRUE(in.ReadLine(&line).ok());
  EXPECT_EQ(line, std::string(99, 'x'));
  EXPECT_TRUE(errors::IsOutOfRange(in.ReadLine(&line)));
}

TEST(BufferedInputStreamTest, BytesBeyondTheEndTakeNoMemory) {
  EndlessFile file(100 * kMega);
  const Peak peak;
  BufferedInputStream in(&file, 256 << 10);
  tstring bytes;
  EXPECT_TRUE(errors::IsOutOfRange(in.ReadNBytes(int64_t{1} << 60, &bytes)));
  EXPECT_EQ(bytes.size(), 100 * kMega);
  EXPECT_LT(peak.Grown(), 125 * kMega);
}

class LongRecordTest : public testing::TestWithParam<const char*> {};

TEST_P(LongRecordTest, TakesItsOwnMemory) {
  std::string path;
  ASSERT_TRUE(Env::Default()->LocalTempFilename(&path));
  const size_t length = 100 * kMega + 5;
  {
    std::unique_ptr<WritableFile> out;
    ASSERT_TRUE(Env::Default()->NewWritableFile(path, &out).ok());
    RecordWriter writer(
        out.get(), RecordWriterOptions::CreateRecordWriterOptions(GetParam()));
    ASSERT_TRUE(writer.WriteRecord("first").ok());
    ASSERT_TRUE(writer.WriteRecord(std::string(length, 'r')).ok());
    ASSERT_TRUE(writer.WriteRecord("last").ok());
    ASSERT_TRUE(writer.Close().ok());
    ASSERT_TRUE(out->Close().ok());
  }
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_TRUE(Env::Default()->NewRandomAccessFile(path, &file).ok());
  SequentialRecordReader reader(
      file.get(), RecordReaderOptions::CreateRecordReaderOptions(GetParam()));
  std::string record;
  ASSERT_TRUE(reader.ReadRecord(&record).ok());
  const uint64_t second = reader.TellOffset();
  const Peak peak;
  ASSERT_TRUE(reader.ReadRecord(&record).ok());
  EXPECT_LT(peak.Grown(), length * 5 / 4);
  EXPECT_TRUE(record == std::string(length, 'r'));
  ASSERT_TRUE(reader.ReadRecord(&record).ok());
  EXPECT_EQ(record, "last");
  EXPECT_TRUE(errors::IsOutOfRange(reader.ReadRecord(&record)));
  // Reads it again, as a view.
  ASSERT_TRUE(reader.SeekOffset(second).ok());
  absl::string_view view;
  ASSERT_TRUE(reader.ReadRecordView(&view).ok());
  EXPECT_EQ(view.size(), length);
  Env::Default()->DeleteFile(path).IgnoreError();
}
INSTANTIATE_TEST_SUITE_P(Compressions, LongRecordTest,
                         testing::Values("", "GZIP", "ZLIB"));

TEST(LongRecordFaultTest, ACutOrChangedOneIsLost) {
  std::string path, bytes;
  ASSERT_TRUE(Env::Default()->LocalTempFilename(&path));
  {
    std::unique_ptr<WritableFile> out;
    ASSERT_TRUE(Env::Default()->NewWritableFile(path, &out).ok());
    RecordWriter writer(out.get());
    ASSERT_TRUE(writer.WriteRecord(std::string(9 * kMega, 'r')).ok());
    ASSERT_TRUE(writer.Close().ok());
    ASSERT_TRUE(out->Close().ok());
  }
  ASSERT_TRUE(ReadFileToString(Env::Default(), path, &bytes).ok());
  std::string changed = bytes;
  changed[5 * kMega] = 's';
  for (const std::string& broken :
       {bytes.substr(0, 6 * kMega), bytes.substr(0, bytes.size() - 2),
        changed}) {
    ASSERT_TRUE(WriteStringToFile(Env::Default(), path, broken).ok());
    std::unique_ptr<RandomAccessFile> file;
    ASSERT_TRUE(Env::Default()->NewRandomAccessFile(path, &file).ok());
    RecordReader reader(file.get());
    for (int i = 0; i < 2; ++i) {  // The same twice, from the same place.
      uint64_t offset = 0;
      std::string record = "what was there before";
      EXPECT_TRUE(errors::IsDataLoss(reader.ReadRecord(&offset, &record)));
      EXPECT_EQ(offset, 0u);
      EXPECT_EQ(record, "");
    }
  }
  Env::Default()->DeleteFile(path).IgnoreError();
}

TEST(ReadFileToStringTest, TakesTheFilesMemory) {
  std::string path, bytes;
  ASSERT_TRUE(Env::Default()->LocalTempFilename(&path));
  {
    std::ofstream out(path);
    out.seekp(100 * kMega);
    out << "x";
  }
  const Peak peak;
  ASSERT_TRUE(ReadFileToString(Env::Default(), path, &bytes).ok());
  EXPECT_EQ(bytes.size(), 100 * kMega + 1);
  EXPECT_LT(peak.Grown(), 120 * kMega);
  Env::Default()->DeleteFile(path).IgnoreError();
}

}  // namespace
}  // namespace io
}  // namespace tensorwright
