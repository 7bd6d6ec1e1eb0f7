// SPDX-License-Identifier: Apache-2.0
// Facts about the CPU.
#ifndef TENSORWRIGHT_CORE_PLATFORM_CPU_INFO_H_
#define TENSORWRIGHT_CORE_PLATFORM_CPU_INFO_H_

#include <string>

namespace tensorwright {
namespace port {

inline constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

// CPUs this process may run on: its affinity, at least 1.
int NumSchedulableCPUs();
int MaxParallelism();
// Hardware threads of the machine.
int NumTotalCPUs();
// -1 if unknown.
int GetCurrentCPU();
std::string Hostname();

}  // namespace port
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_CPU_INFO_H_
