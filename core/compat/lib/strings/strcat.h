// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's strcat.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_STRCAT_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_STRCAT_H_

#include "core/lib/strings/strcat.h"

namespace tensorwright {
namespace strings {

// TensorFlow's first names of kZeroPad2...
inline constexpr PadSpec NO_PAD = absl::kNoPad;
inline constexpr PadSpec ZERO_PAD_2 = absl::kZeroPad2;
inline constexpr PadSpec ZERO_PAD_3 = absl::kZeroPad3;
inline constexpr PadSpec ZERO_PAD_4 = absl::kZeroPad4;
inline constexpr PadSpec ZERO_PAD_5 = absl::kZeroPad5;
inline constexpr PadSpec ZERO_PAD_6 = absl::kZeroPad6;
inline constexpr PadSpec ZERO_PAD_7 = absl::kZeroPad7;
inline constexpr PadSpec ZERO_PAD_8 = absl::kZeroPad8;
inline constexpr PadSpec ZERO_PAD_9 = absl::kZeroPad9;
inline constexpr PadSpec ZERO_PAD_10 = absl::kZeroPad10;
inline constexpr PadSpec ZERO_PAD_11 = absl::kZeroPad11;
inline constexpr PadSpec ZERO_PAD_12 = absl::kZeroPad12;
inline constexpr PadSpec ZERO_PAD_13 = absl::kZeroPad13;
inline constexpr PadSpec ZERO_PAD_14 = absl::kZeroPad14;
inline constexpr PadSpec ZERO_PAD_15 = absl::kZeroPad15;
inline constexpr PadSpec ZERO_PAD_16 = absl::kZeroPad16;
inline constexpr PadSpec kNoPad = absl::kNoPad;

}  // namespace strings
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_STRCAT_H_
