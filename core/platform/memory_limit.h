// SPDX-License-Identifier: Apache-2.0
// The memory that this process can have at all.
#ifndef TENSORWRIGHT_CORE_PLATFORM_MEMORY_LIMIT_H_
#define TENSORWRIGHT_CORE_PLATFORM_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>

namespace tensorwright {
namespace port {

// In bytes: the machine's memory, or the part that the process's control group
// may use if that is less.  Swap does not count.  Reads a few files: ask once.
int64_t MemoryLimit();

// The least limit among the control groups that `membership`, the text of
// /proc/self/cgroup, names and those around them, read from the files below
// `root` (/sys/fs/cgroup), of either version; INT64_MAX if none sets one.  A
// group that has no folder there, as in a container that sees its own group as
// the root, counts as the root.
int64_t ControlGroupLimit(const std::string& root,
                          const std::string& membership);

}  // namespace port
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_MEMORY_LIMIT_H_
