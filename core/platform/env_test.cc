// SPDX-License-Identifier: Apache-2.0
#include "core/platform/env.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>

#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

class EnvTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(env_->LocalTempFilename(&dir_));
    TF_CHECK_OK(env_->CreateDir(dir_));
  }
  void TearDown() override {
    int64_t files, dirs;
    TF_CHECK_OK(env_->DeleteRecursively(dir_, &files, &dirs));
  }

  Env* const env_ = Env::Default();
  std::string dir_;
};

TEST_F(EnvTest, WhatIsWrittenIsRead) {
  const std::string name = dir_ + "/file";
  // More than one buffer, with a zero byte.
  std::string data(200000, 'x');
  data[100000] = '\0';
  TF_CHECK_OK(WriteStringToFile(env_, name, data));
  std::string back;
  TF_CHECK_OK(ReadFileToString(env_, name, &back));
  EXPECT_EQ(back, data);
  uint64_t size;
  TF_CHECK_OK(env_->GetFileSize(name, &size));
  EXPECT_EQ(size, data.size());
  std::unique_ptr<ReadOnlyMemoryRegion> region;
  TF_CHECK_OK(env_->NewReadOnlyMemoryRegionFromFile(name, &region));
  EXPECT_EQ(region->length(), data.size());
  EXPECT_EQ(memcmp(region->data(), data.data(), data.size()), 0);
}

TEST_F(EnvTest, ReadBeyondTheEndSaysSo) {
  const std::string name = dir_ + "/file";
  TF_CHECK_OK(WriteStringToFile(env_, name, "abc"));
  std::unique_ptr<RandomAccessFile> file;
  TF_CHECK_OK(env_->NewRandomAccessFile(name, &file));
  char scratch[10];
  absl::string_view got;
  EXPECT_TRUE(errors::IsOutOfRange(file->Read(1, 10, &got, scratch)));
  EXPECT_EQ(got, "bc");
}

TEST_F(EnvTest, FoldersAreMadeListedAndMatched) {
  TF_CHECK_OK(env_->RecursivelyCreateDir(dir_ + "/a/b"));
  TF_CHECK_OK(env_->RecursivelyCreateDir(dir_ + "/a/b"));
  TF_CHECK_OK(WriteStringToFile(env_, dir_ + "/a/x.txt", ""));
  std::vector<std::string> names;
  TF_CHECK_OK(env_->GetChildren(dir_ + "/a", &names));
  EXPECT_EQ(names.size(), 2u);
  TF_CHECK_OK(env_->GetMatchingPaths(dir_ + "/a/*.txt", &names));
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0], dir_ + "/a/x.txt");
  TF_CHECK_OK(env_->GetMatchingPaths(dir_ + "/none*", &names));
  EXPECT_TRUE(names.empty());
}

TEST_F(EnvTest, ErrorsNameTheFile) {
  std::string data;
  const Status s = ReadFileToString(env_, dir_ + "/none", &data);
  EXPECT_TRUE(errors::IsNotFound(s));
  EXPECT_NE(s.error_message().find("/none"), std::string::npos);
  EXPECT_TRUE(errors::IsNotFound(env_->FileExists(dir_ + "/none")));
  TF_CHECK_OK(env_->FileExists(dir_));
}

TEST_F(EnvTest, DeletingDoesNotFollowLinks) {
  TF_CHECK_OK(env_->CreateDir(dir_ + "/kept"));
  TF_CHECK_OK(WriteStringToFile(env_, dir_ + "/kept/file", "x"));
  TF_CHECK_OK(env_->CreateDir(dir_ + "/gone"));
  ASSERT_EQ(symlink((dir_ + "/kept").c_str(), (dir_ + "/gone/link").c_str()),
            0);
  int64_t files, dirs;
  TF_CHECK_OK(env_->DeleteRecursively(dir_ + "/gone", &files, &dirs));
  TF_CHECK_OK(env_->FileExists(dir_ + "/kept/file"));
}

TEST_F(EnvTest, DeletingAThreadWaitsForIt) {
  std::atomic<bool> ran{false};
  std::unique_ptr<Thread> thread(env_->StartThread(
      ThreadOptions(), "a name longer than the kernel keeps", [&] {
        env_->SleepForMicroseconds(10000);
        ran = true;
      }));
  thread.reset();
  EXPECT_TRUE(ran);
}

TEST_F(EnvTest, MissingLibraryIsNotFound) {
  void* handle;
  EXPECT_TRUE(errors::IsNotFound(env_->LoadLibrary("/none.so", &handle)));
}

}  // namespace
}  // namespace tensorwright
