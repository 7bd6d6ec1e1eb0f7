// SPDX-License-Identifier: Apache-2.0
// Asks the operating system about the CPU.
#include "core/platform/cpu_info.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace tensorwright {
namespace port {

int NumSchedulableCPUs() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return NumTotalCPUs();
}

int MaxParallelism() { return NumSchedulableCPUs(); }

int NumTotalCPUs() { return std::max(1u, std::thread::hardware_concurrency()); }

int GetCurrentCPU() { return sched_getcpu(); }

std::string Hostname() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace port
}  // namespace tensorwright
