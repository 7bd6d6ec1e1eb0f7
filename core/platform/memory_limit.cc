// SPDX-License-Identifier: Apache-2.0
// MemoryLimit.
#include "core/platform/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tensorwright {
namespace port {
namespace {

std::string ReadAll(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// INT64_MAX if there is no file or no number: "max" is no limit.
int64_t ReadLimit(const std::string& file) {
  int64_t limit;
  return absl::SimpleAtoi(absl::StripAsciiWhitespace(ReadAll(file)), &limit) &&
                 limit > 0
             ? limit
             : INT64_MAX;
}

// The least of the limits in `folder` + `group` and the groups around it.
int64_t LeastLimit(const std::string& folder, absl::string_view group,
                   absl::string_view file) {
  int64_t least = INT64_MAX;
  for (;;) {
    group = absl::StripSuffix(group, "/");
    least = std::min(least, ReadLimit(absl::StrCat(folder, group, "/", file)));
    if (group.empty()) return least;
    group =
        group.substr(0, group.rfind('/') == group.npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

int64_t ControlGroupLimit(const std::string& root,
                          const std::string& membership) {
  int64_t least = INT64_MAX;
  for (absl::string_view line : absl::StrSplit(membership, '\n')) {
    // Hierarchy, controllers, group; the second version has no controllers.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      least = std::min(least, LeastLimit(root, parts[2], "memory.max"));
    } else {
      for (absl::string_view controller : absl::StrSplit(parts[1], ',')) {
        if (controller != "memory") continue;
        least = std::min(least, LeastLimit(absl::StrCat(root, "/memory"),
                                           parts[2], "memory.limit_in_bytes"));
      }
    }
  }
  return least;
}

int64_t MemoryLimit() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t machine = pages > 0 && page > 0 ? pages * page : INT64_MAX;
  return std::min(machine, ControlGroupLimit("/sys/fs/cgroup",
                                             ReadAll("/proc/self/cgroup")));
}

}  // namespace port
}  // namespace tensorwright
