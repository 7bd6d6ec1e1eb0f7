// SPDX-License-Identifier: Apache-2.0
// EventsWriter and AsyncEventsWriter; python/summary/writer_test.py has more.
#include "core/util/events_writer.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/path.h"
#include "core/lib/io/record_reader.h"
#include "core/util/event.pb.h"
#include "core/util/events_writer_async.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

class EventsWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Env::Default()->LocalTempFilename(&folder_));
    ASSERT_TRUE(Env::Default()->CreateDir(folder_).ok());
    prefix_ = io::JoinPath(folder_, "events");
  }
  void TearDown() override {
    int64_t files, dirs;
    Env::Default()->DeleteRecursively(folder_, &files, &dirs).IgnoreError();
  }

  static std::string Step(int64_t step) {
    Event event;
    event.set_step(step);
    return event.SerializeAsString();
  }

  static std::vector<int64_t> StepsOf(const std::string& name) {
    std::unique_ptr<RandomAccessFile> file;
    EXPECT_TRUE(Env::Default()->NewRandomAccessFile(name, &file).ok());
    io::SequentialRecordReader reader(file.get());
    std::vector<int64_t> steps;
    std::string record;
    while (reader.ReadRecord(&record).ok()) {
      Event event;
      EXPECT_TRUE(event.ParseFromString(record));
      if (steps.empty()) {
        EXPECT_EQ(event.file_version(), "brain.Event:2");
      }
      steps.push_back(event.step());
    }
    return steps;
  }

  std::string folder_, prefix_;
};

TEST_F(EventsWriterTest, TheFirstEventNamesTheFormat) {
  EventsWriter writer(prefix_);
  ASSERT_TRUE(writer.InitWithSuffix(".mine").ok());
  const std::string name = writer.FileName();
  EXPECT_TRUE(absl::StartsWith(name, prefix_ + ".out.tfevents."));
  EXPECT_TRUE(absl::EndsWith(name, ".mine"));
  EXPECT_EQ(StepsOf(name), std::vector<int64_t>{0});  // Flushed already.
  ASSERT_TRUE(writer.WriteSerializedEvent(Step(3)).ok());
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_EQ(StepsOf(name), (std::vector<int64_t>{0, 3}));
}

TEST_F(EventsWriterTest, AFileThatWasDeletedIsBegunAnew) {
  EventsWriter writer(prefix_);
  const std::string name = writer.FileName();
  ASSERT_TRUE(writer.WriteSerializedEvent(Step(1)).ok());
  ASSERT_TRUE(Env::Default()->DeleteFile(name).ok());
  ASSERT_TRUE(writer.Flush().ok());
  ASSERT_TRUE(writer.WriteSerializedEvent(Step(2)).ok());
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_EQ(StepsOf(writer.FileName()), (std::vector<int64_t>{0, 2}));
}

TEST_F(EventsWriterTest, AFolderThatIsNotThereIsAnError) {
  EventsWriter writer(io::JoinPath(folder_, "none", "events"));
  EXPECT_TRUE(errors::IsNotFound(writer.Init()));
  EXPECT_EQ(writer.FileName(), "");
  AsyncEventsWriter async(io::JoinPath(folder_, "none", "events"), "", 10,
                          absl::Seconds(1));
  EXPECT_TRUE(errors::IsNotFound(async.Init()));
}

TEST_F(EventsWriterTest, TheThreadWritesInOrder) {
  AsyncEventsWriter writer(prefix_, "", 2, absl::Hours(1));
  ASSERT_TRUE(writer.Init().ok());
  std::vector<int64_t> expected = {0};
  for (int64_t i = 1; i < 500; ++i) {
    std::string event = Step(i);
    ASSERT_TRUE(writer.Add(&event, absl::Seconds(60)).ok());
    expected.push_back(i);
  }
  ASSERT_TRUE(writer.Flush(absl::Seconds(60)).ok());
  EXPECT_EQ(StepsOf(writer.filename()), expected);
  ASSERT_TRUE(writer.Close().ok());
  ASSERT_TRUE(writer.Close().ok());
  std::string late = Step(9);
  EXPECT_TRUE(
      errors::IsFailedPrecondition(writer.Add(&late, absl::ZeroDuration())));
  EXPECT_EQ(late, Step(9));
}

}  // namespace
}  // namespace tensorwright
