// SPDX-License-Identifier: Apache-2.0
#include "core/platform/file_system.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// The same tests for files of the machine and in memory.
class FileSystemTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "ram") {
      dir_ = "ram://host/folder";
    } else {
      ASSERT_TRUE(env_->LocalTempFilename(&dir_));
      if (GetParam() == "file") dir_ = absl::StrCat("file://", dir_);
    }
    TF_CHECK_OK(env_->RecursivelyCreateDir(dir_));
  }
  void TearDown() override {
    int64_t files, dirs;
    TF_CHECK_OK(env_->DeleteRecursively(dir_, &files, &dirs));
    EXPECT_TRUE(errors::IsNotFound(env_->FileExists(dir_)));
  }

  Env* const env_ = Env::Default();
  std::string dir_;
};

TEST_P(FileSystemTest, WhatIsWrittenIsRead) {
  const std::string name = dir_ + "/a";
  TF_CHECK_OK(WriteStringToFile(env_, name, "one"));
  std::unique_ptr<WritableFile> file;
  TF_CHECK_OK(env_->NewAppendableFile(name, &file));
  TF_CHECK_OK(file->Append("two"));
  TF_CHECK_OK(file->Flush());
  TF_CHECK_OK(file->Close());
  EXPECT_TRUE(errors::IsFailedPrecondition(file->Close()));
  std::string data;
  TF_CHECK_OK(ReadFileToString(env_, name, &data));
  EXPECT_EQ(data, "onetwo");
  std::unique_ptr<ReadOnlyMemoryRegion> region;
  TF_CHECK_OK(env_->NewReadOnlyMemoryRegionFromFile(name, &region));
  EXPECT_EQ(
      std::string(static_cast<const char*>(region->data()), region->length()),
      "onetwo");
  FileStatistics stat;
  TF_CHECK_OK(env_->Stat(name, &stat));
  EXPECT_EQ(stat.length, 6);
  EXPECT_FALSE(stat.is_directory);
  EXPECT_GT(stat.mtime_nsec, int64_t{1500000000} * 1000000000);
  TF_CHECK_OK(WriteStringToFile(env_, name, "new"));
  TF_CHECK_OK(ReadFileToString(env_, name, &data));
  EXPECT_EQ(data, "new");
}

TEST_P(FileSystemTest, APathWithAZeroByteIsRefused) {
  const std::string name = dir_ + "/kept";
  TF_CHECK_OK(WriteStringToFile(env_, name, "old"));
  const std::string longer = name + std::string("\0x", 2);
  EXPECT_TRUE(
      errors::IsInvalidArgument(WriteStringToFile(env_, longer, "new")));
  EXPECT_TRUE(errors::IsInvalidArgument(env_->DeleteFile(longer)));
  EXPECT_TRUE(errors::IsInvalidArgument(env_->RenameFile(name, longer)));
  EXPECT_TRUE(errors::IsInvalidArgument(env_->CopyFile(name, longer)));
  const Status exists = env_->FileExists(longer);
  EXPECT_TRUE(errors::IsInvalidArgument(exists));
  EXPECT_NE(exists.error_message().find("kept\\x00x"), std::string::npos)
      << exists;
  std::string data;
  TF_CHECK_OK(ReadFileToString(env_, name, &data));
  EXPECT_EQ(data, "old");
}

TEST_P(FileSystemTest, FoldersAreListedAndMatched) {
  TF_CHECK_OK(env_->RecursivelyCreateDir(dir_ + "/a/b"));
  TF_CHECK_OK(env_->RecursivelyCreateDir(dir_ + "/a/b"));
  EXPECT_TRUE(errors::IsAlreadyExists(env_->CreateDir(dir_ + "/a")));
  TF_CHECK_OK(WriteStringToFile(env_, dir_ + "/a/x.txt", ""));
  TF_CHECK_OK(WriteStringToFile(env_, dir_ + "/a/b/y.txt", ""));
  std::vector<std::string> names;
  TF_CHECK_OK(env_->GetChildren(dir_ + "/a", &names));
  EXPECT_EQ(names.size(), 2u);
  TF_CHECK_OK(env_->GetMatchingPaths(dir_ + "/?/*.txt", &names));
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0].substr(names[0].size() - 8), "/a/x.txt");
  TF_CHECK_OK(env_->GetMatchingPaths(dir_ + "/a/*/[x-z].txt", &names));
  EXPECT_EQ(names.size(), 1u);
  TF_CHECK_OK(env_->GetMatchingPaths(dir_ + "/none*", &names));
  EXPECT_TRUE(names.empty());
  EXPECT_TRUE(errors::IsFailedPrecondition(env_->DeleteDir(dir_ + "/a")));
  TF_CHECK_OK(env_->IsDirectory(dir_ + "/a"));
  EXPECT_TRUE(
      errors::IsFailedPrecondition(env_->IsDirectory(dir_ + "/a/x.txt")));
}

TEST_P(FileSystemTest, RenamingReplacesAndCopyingCopies) {
  TF_CHECK_OK(WriteStringToFile(env_, dir_ + "/a", "a"));
  TF_CHECK_OK(WriteStringToFile(env_, dir_ + "/b", "b"));
  TF_CHECK_OK(env_->RenameFile(dir_ + "/a", dir_ + "/b"));
  EXPECT_TRUE(errors::IsNotFound(env_->FileExists(dir_ + "/a")));
  TF_CHECK_OK(env_->CopyFile(dir_ + "/b", dir_ + "/c"));
  std::string data;
  TF_CHECK_OK(ReadFileToString(env_, dir_ + "/c", &data));
  EXPECT_EQ(data, "a");
  TF_CHECK_OK(env_->RecursivelyCreateDir(dir_ + "/d/e"));
  TF_CHECK_OK(WriteStringToFile(env_, dir_ + "/d/e/f", "f"));
  TF_CHECK_OK(env_->RenameFile(dir_ + "/d", dir_ + "/g"));
  TF_CHECK_OK(ReadFileToString(env_, dir_ + "/g/e/f", &data));
  EXPECT_EQ(data, "f");
}

TEST_P(FileSystemTest, WhatIsNotThereIsNotFound) {
  const std::string none = dir_ + "/none";
  std::string data;
  EXPECT_TRUE(errors::IsNotFound(ReadFileToString(env_, none, &data)));
  EXPECT_TRUE(errors::IsNotFound(env_->DeleteFile(none)));
  EXPECT_TRUE(errors::IsNotFound(env_->RenameFile(none, dir_ + "/x")));
  FileStatistics stat;
  EXPECT_TRUE(errors::IsNotFound(env_->Stat(none, &stat)));
  int64_t files, dirs;
  EXPECT_TRUE(errors::IsNotFound(env_->DeleteRecursively(none, &files, &dirs)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, FileSystemTest,
                         testing::Values("local", "file", "ram"));

TEST(FileSystemRegistryTest, FilesAreCopiedFromOneKindToAnother) {
  Env* env = Env::Default();
  std::string local;
  ASSERT_TRUE(env->LocalTempFilename(&local));
  TF_CHECK_OK(WriteStringToFile(env, "ram://copied", "bytes"));
  TF_CHECK_OK(env->CopyFile("ram://copied", local));
  std::string data;
  TF_CHECK_OK(ReadFileToString(env, local, &data));
  EXPECT_EQ(data, "bytes");
  EXPECT_TRUE(errors::IsUnimplemented(env->RenameFile("ram://copied", local)));
  TF_CHECK_OK(env->DeleteFile(local));
}

TEST(FileSystemRegistryTest, UnknownSchemesAreNamed) {
  std::string data;
  const Status s = ReadFileToString(Env::Default(), "nowhere://x", &data);
  EXPECT_TRUE(errors::IsUnimplemented(s));
  EXPECT_NE(s.error_message().find("nowhere"), std::string::npos);
  EXPECT_TRUE(
      errors::IsAlreadyExists(RegisterFileSystem("ram", NewRamFileSystem())));
}

TEST(FileSystemRegistryTest, SchemesAreTakenOffPaths) {
  EXPECT_EQ(SchemeOfPath("ram://a/b"), "ram");
  EXPECT_EQ(SchemeOfPath("s3.v2://a"), "s3.v2");
  EXPECT_EQ(SchemeOfPath("/a://b"), "");
  EXPECT_EQ(SchemeOfPath("://b"), "");
  EXPECT_EQ(SchemeOfPath("a/b"), "");
}

}  // namespace
}  // namespace tensorwright
