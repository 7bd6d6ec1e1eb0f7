// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's cpu_info.h that our own code does not need.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_CPU_INFO_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_CPU_INFO_H_

#include "core/platform/cpu_info.h"

namespace tensorwright {
namespace port {

enum CPUFeature {
  SSE,
  SSE2,
  SSE3,
  SSSE3,
  SSE4_1,
  SSE4_2,
  POPCNT,
  AVX,
  AVX2,
  FMA,
  F16C,
  BMI1,
  BMI2,
  AVX512F,
  AVX512BW,
  AVX512CD,
  AVX512DQ,
  AVX512VL,
};

// Do the CPU and the system have the feature?
inline bool TestCPUFeature(CPUFeature feature) {
  switch (feature) {
    case SSE:
      return __builtin_cpu_supports("sse");
    case SSE2:
      return __builtin_cpu_supports("sse2");
    case SSE3:
      return __builtin_cpu_supports("sse3");
    case SSSE3:
      return __builtin_cpu_supports("ssse3");
    case SSE4_1:
      return __builtin_cpu_supports("sse4.1");
    case SSE4_2:
      return __builtin_cpu_supports("sse4.2");
    case POPCNT:
      return __builtin_cpu_supports("popcnt");
    case AVX:
      return __builtin_cpu_supports("avx");
    case AVX2:
      return __builtin_cpu_supports("avx2");
    case FMA:
      return __builtin_cpu_supports("fma");
    case F16C:
      return __builtin_cpu_supports("f16c");
    case BMI1:
      return __builtin_cpu_supports("bmi");
    case BMI2:
      return __builtin_cpu_supports("bmi2");
    case AVX512F:
      return __builtin_cpu_supports("avx512f");
    case AVX512BW:
      return __builtin_cpu_supports("avx512bw");
    case AVX512CD:
      return __builtin_cpu_supports("avx512cd");
    case AVX512DQ:
      return __builtin_cpu_supports("avx512dq");
    case AVX512VL:
      return __builtin_cpu_supports("avx512vl");
  }
  return false;
}

// The number of hardware threads that share a core, at least 1; not known here.
inline int CPUIDNumSMT() { return 1; }

}  // namespace port
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_CPU_INFO_H_
