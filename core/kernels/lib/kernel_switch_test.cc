// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/lib/kernel_switch.h"

#include <cstdlib>

#include "core/kernels/lib/stream_copy.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

TEST(KernelSwitch, TheEnvironmentNamesWhatIsOff) {
  setenv("TENSORWRIGHT_KERNELS_OFF", "nothing_real,streamed_copies", 1);
  EXPECT_TRUE(KernelIsOff("streamed_copies"));
  EXPECT_FALSE(KernelIsOff("apart_windows"));
  EXPECT_FALSE(IsStreamed(int64_t{1} << 30));
  // The environment is read once: a kernel that has been chosen stays.
  setenv("TENSORWRIGHT_KERNELS_OFF", "apart_windows", 1);
  EXPECT_FALSE(KernelIsOff("apart_windows"));
}

}  // namespace
}  // namespace tensorwright
