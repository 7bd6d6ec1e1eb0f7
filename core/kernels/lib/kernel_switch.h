// SPDX-License-Identifier: Apache-2.0
// KernelIsOff: turns off special kernels, to measure their gain
// (benchmarks/passes.py) or to find out whether one is at fault.
//
//   TENSORWRIGHT_KERNELS_OFF=apart_windows,streamed_copies program
//
// A chooser asks before it takes the special way; the general one computes the
// same values.  The environment is read once, when the first kernel asks.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_KERNEL_SWITCH_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_KERNEL_SWITCH_H_

#include "absl/strings/string_view.h"

namespace tensorwright {

// Thread-safe.  The names in use: "streamed_copies", "apart_windows", and
// "onednn", without which other loops compute other last bits.
// (Winograd's convolutions have TensorFlow's switch,
// TF_ENABLE_WINOGRAD_NONFUSED=0.)
bool KernelIsOff(absl::string_view name);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_KERNEL_SWITCH_H_
