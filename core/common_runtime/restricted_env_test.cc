// SPDX-License-Identifier: Apache-2.0
#include "core/common_runtime/restricted_env.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/lib/core/errors.h"
#include "core/platform/file_system.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// A folder "open", which may be read and written, and a folder "shut", with a
// file each; links lead from one to the other.
class RestrictedEnvTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string made;
    ASSERT_TRUE(all_->LocalTempFilename(&made));
    TF_CHECK_OK(all_->CreateDir(made));
    // The temporary folder itself may be a link.
    TF_CHECK_OK(ResolvePath(made, &dir_));
    for (const char* name : {"open", "shut"}) {
      TF_CHECK_OK(all_->CreateDir(Path(name)));
      TF_CHECK_OK(WriteStringToFile(all_, Path(name, "file"), name));
    }
    ASSERT_EQ(symlink("../shut", Path("open", "out").c_str()), 0);
    ASSERT_EQ(symlink(Path("open").c_str(), Path("shut", "in").c_str()), 0);
    ASSERT_EQ(symlink("loop", Path("open", "loop").c_str()), 0);
    FileRules rules;
    rules.policy = "mine";
    rules.read = {false, {Path("open")}, "read: there"};
    rules.write = {false, {Path("open")}, "write: there"};
    TF_CHECK_OK(RestrictedEnv::For(rules, &env_));
  }
  void TearDown() override {
    for (const std::string& link :
         {Path("open", "out"), Path("shut", "in"), Path("open", "loop")}) {
      unlink(link.c_str());
    }
    int64_t files, dirs;
    TF_CHECK_OK(all_->DeleteRecursively(dir_, &files, &dirs));
  }

  std::string Path(const std::string& folder, const std::string& name = "") {
    return dir_ + "/" + folder + (name.empty() ? "" : "/" + name);
  }
  std::string Resolved(const std::string& path) {
    std::string resolved;
    const Status status = ResolvePath(path, &resolved);
    return status.ok() ? resolved : status.ToString();
  }

  Env* const all_ = Env::Default();
  Env* env_ = nullptr;
  std::string dir_;
};

TEST_F(RestrictedEnvTest, PathsAreResolvedAsTheMachineDoes) {
  EXPECT_EQ(Resolved("/"), "/");
  EXPECT_EQ(Resolved("//a/./b//"), "/a/b");
  EXPECT_EQ(Resolved("/a/../../b"), "/b");
  EXPECT_EQ(Resolved(Path("open", "out/file")), Path("shut", "file"));
  EXPECT_EQ(Resolved(Path("shut", "in/out/in/file")), Path("open", "file"));
  // Behind a link, ".." is the folder above its target.
  EXPECT_EQ(Resolved(Path("open", "out/../shut")), Path("shut"));
  EXPECT_EQ(Resolved("file://" + Path("open", "out/x")), Path("shut", "x"));
  EXPECT_EQ(Resolved("file://host" + Path("open")), Path("open"));
  EXPECT_EQ(Resolved("ram://a/./b/../c"), "ram://a/c");
  EXPECT_EQ(Resolved("ram://a/../../b"), "ram://b");
  EXPECT_TRUE(absl::StrContains(Resolved(Path("open", "loop/x")),
                                "more than 40 symbolic links"));
}

TEST_F(RestrictedEnvTest, FilesAreReadInTheFolderAlone) {
  std::string data;
  TF_CHECK_OK(ReadFileToString(env_, Path("open", "file"), &data));
  EXPECT_EQ(data, "open");
  TF_CHECK_OK(ReadFileToString(env_, Path("shut", "in/file"), &data));
  TF_CHECK_OK(env_->FileExists(Path("open")));
  for (const std::string& path :
       {Path("shut", "file"), Path("open", "out/file"), Path("opened"),
        Path("open", "../shut/file"), Path("open", "loop"), dir_,
        Path("shut", "none")}) {
    const Status status = ReadFileToString(env_, path, &data);
    EXPECT_TRUE(errors::IsPermissionDenied(status)) << path << ": " << status;
    EXPECT_TRUE(absl::StrContains(status.message(), path)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "the policy 'mine'"));
    EXPECT_TRUE(absl::StrContains(status.message(), "'read: there'"));
    std::unique_ptr<ReadOnlyMemoryRegion> region;
    FileStatistics stat;
    uint64_t size;
    std::vector<std::string> names;
    for (const Status& s :
         {env_->NewReadOnlyMemoryRegionFromFile(path, &region),
          env_->FileExists(path), env_->Stat(path, &stat),
          env_->IsDirectory(path), env_->GetFileSize(path, &size),
          env_->GetChildren(path, &names)}) {
      EXPECT_TRUE(errors::IsPermissionDenied(s)) << path << ": " << s;
    }
  }
  EXPECT_TRUE(errors::IsNotFound(env_->FileExists(Path("open", "none"))));
}

TEST_F(RestrictedEnvTest, FilesAreChangedInTheFolderAlone) {
  TF_CHECK_OK(WriteStringToFile(env_, Path("open", "new"), "x"));
  TF_CHECK_OK(env_->RenameFile(Path("open", "new"), Path("open", "newer")));
  TF_CHECK_OK(env_->DeleteFile(Path("open", "newer")));
  TF_CHECK_OK(env_->RecursivelyCreateDir(Path("open", "a/b")));
  TF_CHECK_OK(env_->DeleteDir(Path("open", "a/b")));
  const std::string good = Path("open", "file"), bad = Path("shut", "file");
  std::unique_ptr<WritableFile> file;
  int64_t files, dirs;
  for (const Status& s :
       {env_->NewWritableFile(bad, &file), env_->NewAppendableFile(bad, &file),
        env_->DeleteFile(bad), env_->CreateDir(Path("shut", "d")),
        env_->RecursivelyCreateDir(Path("shut", "d/e")),
        env_->DeleteDir(Path("shut")),
        env_->DeleteRecursively(Path("shut"), &files, &dirs),
        env_->RenameFile(good, bad), env_->RenameFile(bad, good),
        env_->CopyFile(good, bad), env_->CopyFile(bad, good),
        env_->DeleteFile(Path("open", "out/file"))}) {
    EXPECT_TRUE(errors::IsPermissionDenied(s)) << s;
  }
  std::vector<std::string> names;
  TF_CHECK_OK(all_->GetChildren(Path("shut"), &names));
  EXPECT_EQ(names.size(), 2u);
}

TEST_F(RestrictedEnvTest, PatternsStayInTheFolder) {
  std::vector<std::string> found;
  TF_CHECK_OK(env_->GetMatchingPaths(Path("open", "f*"), &found));
  EXPECT_EQ(found, std::vector<std::string>{Path("open", "file")});
  for (const std::string& pattern :
       {dir_ + "/*/file", Path("open", "*/file"), Path("open", "o*/../file"),
        Path("open", "out"), Path("shut", "*")}) {
    const Status status = env_->GetMatchingPaths(pattern, &found);
    EXPECT_TRUE(errors::IsPermissionDenied(status)) << pattern;
    EXPECT_TRUE(found.empty());
  }
}

TEST_F(RestrictedEnvTest, WithoutRulesItIsTheMachinesOwn) {
  Env* env = nullptr;
  TF_CHECK_OK(RestrictedEnv::For(FileRules(), &env));
  EXPECT_EQ(env, all_);
  FileRules rules;
  rules.write = {false, {}, "allow: nothing"};
  TF_CHECK_OK(RestrictedEnv::For(rules, &env));
  EXPECT_NE(env, all_);
  Env* same = nullptr;
  TF_CHECK_OK(RestrictedEnv::For(rules, &same));
  EXPECT_EQ(env, same);
  std::string data;
  TF_CHECK_OK(ReadFileToString(env, Path("shut", "file"), &data));
  EXPECT_TRUE(
      errors::IsPermissionDenied(env->DeleteFile(Path("shut", "file"))));
}

TEST_F(RestrictedEnvTest, TheRootIsAFolder) {
  FileRules rules;
  rules.write = {false, {"/"}, "write: /"};
  Env* env = nullptr;
  TF_CHECK_OK(RestrictedEnv::For(rules, &env));
  TF_CHECK_OK(WriteStringToFile(env, Path("shut", "file"), "x"));
  EXPECT_TRUE(errors::IsPermissionDenied(env->DeleteFile("ram://a")));
}

}  // namespace
}  // namespace tensorwright
