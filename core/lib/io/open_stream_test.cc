// SPDX-License-Identifier: Apache-2.0
#include "core/lib/io/open_stream.h"

#include <string>

#include "core/lib/core/errors.h"
#include "core/lib/io/compression.h"
#include "core/lib/io/record_writer.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace io {
namespace {

constexpr char kRecord[] = "a record of some bytes";
constexpr size_t kHead = 12, kFoot = 4;  // Lengths and checksums around it.

// Writes a file of one record.
std::string WriteFile(const std::string& compression) {
  const std::string name =
      testing::TempDir() + "/open_stream_" + compression + ".records";
  std::unique_ptr<WritableFile> file;
  EXPECT_TRUE(Env::Default()->NewWritableFile(name, &file).ok());
  RecordWriter writer(
      file.get(), RecordWriterOptions::CreateRecordWriterOptions(compression));
  EXPECT_TRUE(writer.WriteRecord(kRecord).ok());
  EXPECT_TRUE(writer.Close().ok());
  EXPECT_TRUE(file->Close().ok());
  return name;
}

class OpenStreamTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Compressions, OpenStreamTest,
                         testing::Values(compression::kNone, compression::kZlib,
                                         compression::kGzip));

TEST_P(OpenStreamTest, GivesThePlainBytes) {
  std::unique_ptr<InputStreamInterface> stream;
  ASSERT_TRUE(OpenStream(Env::Default(), WriteFile(GetParam()), GetParam(),
                         /*buffer_size=*/64, &stream)
                  .ok());
  tstring bytes;
  ASSERT_TRUE(
      stream->ReadNBytes(kHead + sizeof(kRecord) - 1 + kFoot, &bytes).ok());
  EXPECT_EQ(std::string(bytes).substr(kHead, sizeof(kRecord) - 1), kRecord);
  EXPECT_TRUE(errors::IsOutOfRange(stream->ReadNBytes(1, &bytes)));
}

TEST(OpenStreamTest, NamesTheFileThatIsMissing) {
  std::unique_ptr<InputStreamInterface> stream;
  const Status opened = OpenStream(
      Env::Default(), testing::TempDir() + "/no_such_file", "", 64, &stream);
  EXPECT_TRUE(errors::IsNotFound(opened));
  EXPECT_NE(std::string(opened.message()).find("no_such_file"),
            std::string::npos);
}

TEST(CheckCompressionTest, TakesThreeNames) {
  for (const char* name : {"", "ZLIB", "GZIP"}) {
    EXPECT_TRUE(
        CheckCompression("TFRecordReader", "compression_type", name).ok());
  }
  const Status checked =
      CheckCompression("TFRecordReader", "compression_type", "gzip");
  EXPECT_TRUE(errors::IsInvalidArgument(checked));
  EXPECT_EQ(checked.message(),
            "TFRecordReader: compression_type must be '', 'ZLIB' or 'GZIP', "
            "got 'gzip'");
}

}  // namespace
}  // namespace io
}  // namespace tensorwright
