// SPDX-License-Identifier: Apache-2.0
#include "core/framework/op_library.h"

#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr char kOurs[] = "version=0.3.12;abi=2;cxx11_abi=1;";

TEST(StampFitsTest, LibrariesOfOlderVersionsWithTheInterfaceDo) {
  for (const char* stamp : {
           kOurs,
           "version=0.3.11;abi=2;cxx11_abi=1;",
           "version=0.3.2;abi=2;cxx11_abi=1;",
           "version=0.2.40;abi=2;cxx11_abi=1;",
       }) {
    EXPECT_TRUE(StampFits(stamp, kOurs)) << stamp;
  }
}

TEST(StampFitsTest, OthersDoNot) {
  for (const char* stamp : {
           "version=0.3.13;abi=2;cxx11_abi=1;",  // It may use features that are
                                                 // new in it.
           "version=0.10.0;abi=2;cxx11_abi=1;",
           "version=1.3.12;abi=2;cxx11_abi=1;",
           "version=0.3.11;abi=1;cxx11_abi=1;",
           "version=0.3.13;abi=3;cxx11_abi=1;",
           "version=0.3.11;abi=2;cxx11_abi=0;",
           "version=0.3.x;abi=2;cxx11_abi=1;",
           "version=0.3.-1;abi=2;cxx11_abi=1;",
           "version=0.3;abi=2;cxx11_abi=1;",
           "version=0.3.11;",
           "anything",
       }) {
    EXPECT_FALSE(StampFits(stamp, kOurs)) << stamp;
  }
}

}  // namespace
}  // namespace tensorwright
