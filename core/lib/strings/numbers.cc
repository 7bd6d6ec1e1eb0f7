// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#include "core/lib/strings/numbers.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/lib/strings/stringprintf.h"

namespace tensorwright {
namespace strings {

std::string HumanReadableNumBytes(int64_t num_bytes) {
  if (num_bytes == std::numeric_limits<int64_t>::min()) return "-8E";
  const char* sign = num_bytes < 0 ? "-" : "";
  if (num_bytes < 0) num_bytes = -num_bytes;
  if (num_bytes < 1024) return Printf("%s%ldB", sign, num_bytes);
  static constexpr char kUnits[] = "KMGTPE";
  const char* unit = kUnits;
  while (num_bytes >= 1024 * 1024) {
    num_bytes /= 1024;
    ++unit;
  }
  return Printf(*unit == 'K' ? "%s%.1f%ciB" : "%s%.2f%ciB", sign,
                static_cast<double>(num_bytes) / 1024.0, *unit);
}

std::string HumanReadableNum(int64_t value) {
  const double v = static_cast<double>(value);
  const double size = std::abs(v);
  if (size < 1000) return absl::StrCat(value);
  if (size >= 1e15) return Printf("%.3G", v);
  static constexpr char kUnits[] = "kMBT";
  const char* unit = kUnits;
  double scaled = v / 1e3;
  while (std::abs(scaled) >= 1000) {
    scaled /= 1e3;
    ++unit;
  }
  return Printf("%.2f%c", scaled, *unit);
}

std::string HumanReadableElapsedTime(double seconds) {
  const char* sign = seconds < 0 ? "-" : "";
  seconds = std::abs(seconds);
  if (seconds < 1e-3) return Printf("%s%0.3g us", sign, seconds * 1e6);
  if (seconds < 1) return Printf("%s%0.3g ms", sign, seconds * 1e3);
  if (seconds < 60) return Printf("%s%0.3g s", sign, seconds);
  if (seconds < 3600) return Printf("%s%0.3g min", sign, seconds / 60);
  if (seconds < 86400) return Printf("%s%0.3g h", sign, seconds / 3600);
  const double days = seconds / 86400;
  // The mean year of the Gregorian calendar.
  constexpr double kDaysOfYear = 365.2425;
  if (days < 30) return Printf("%s%0.3g days", sign, days);
  if (days < kDaysOfYear) {
    return Printf("%s%0.3g months", sign, days * 12 / kDaysOfYear);
  }
  return Printf("%s%0.3g years", sign, days / kDaysOfYear);
}

std::string FpToString(uint64_t fingerprint) {
  return absl::StrCat(absl::Hex(fingerprint, absl::kZeroPad16));
}

}  // namespace strings
}  // namespace tensorwright
