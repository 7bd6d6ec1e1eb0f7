// SPDX-License-Identifier: Apache-2.0
// Limits of control groups, in folders as the kernel shows them.
#include "core/platform/memory_limit.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using port::ControlGroupLimit;

class ControlGroupLimitTest : public ::testing::Test {
 protected:
  ControlGroupLimitTest()
      : root_(::testing::TempDir() + "/" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(root_);
  }

  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = root_ + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }

  const std::string root_;
};

TEST_F(ControlGroupLimitTest, IsTheLeastOfTheGroupsAroundTheProcess) {
  Write("/a/b/memory.max", "max");
  Write("/a/memory.max", "3000");
  Write("/a/c/memory.max", "10");
  Write("/memory.max", "5000");
  EXPECT_EQ(ControlGroupLimit(root_, "0::/a/b\n"), 3000);
  EXPECT_EQ(ControlGroupLimit(root_, "0::/\n"), 5000);
  EXPECT_EQ(ControlGroupLimit(root_, "0::/a/c\n"), 10);
}

TEST_F(ControlGroupLimitTest, IsThatOfTheRootWhereTheGroupIsNotSeen) {
  Write("/memory/memory.limit_in_bytes", "700");
  EXPECT_EQ(
      ControlGroupLimit(root_, "5:cpu:/x\n4:hugetlb,memory:/docker/1f\n0::/\n"),
      700);
}

TEST_F(ControlGroupLimitTest, IsNoneWithoutFilesOrNumbers) {
  EXPECT_EQ(ControlGroupLimit(root_, "0::/a\n1:memory:/\n"), INT64_MAX);
  EXPECT_EQ(ControlGroupLimit(root_, ""), INT64_MAX);
  Write("/memory.max", "many");
  EXPECT_EQ(ControlGroupLimit(root_, "0::/a\nnonsense\n"), INT64_MAX);
}

TEST(MemoryLimit, IsSomeMemoryThatMachinesHave) {
  EXPECT_GT(port::MemoryLimit(), int64_t{64} << 20);
  EXPECT_LT(port::MemoryLimit(), int64_t{1} << 50);
}

}  // namespace
}  // namespace tensorwright
