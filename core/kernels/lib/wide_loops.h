// SPDX-License-Identifier: Apache-2.0
// Plain loops for two kinds of processors: any x86-64 (SSE4.2), and those with
// AVX2.
//
//   struct ScaleLoop {
//     TW_WIDE_LOOP static void Run(const float* x, float* y, int64_t n) {
//       TW_VECTORIZE
//       for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
//     }
//   };
//   RunWide<ScaleLoop>(x, y, n);
//
// The compiler vectorises both copies, and the processor chooses when the loop
// runs.  No fused multiply-add is used: results are the same everywhere.  Loops
// that need more (exp, sums across a vector) are written in Highway; see
// cwise_ops_simd.h.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_WIDE_LOOPS_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_WIDE_LOOPS_H_

#include "core/framework/numeric_types.h"

namespace tensorwright {

// Macros, because an attribute and a pragma cannot come from a template. The
// body must be inlined into the copies below, which are the compiled code.
#define TW_WIDE_LOOP [[gnu::always_inline]] inline
// The output may be one of the inputs (then each element is read before its
// place is written), but overlaps none otherwise.
#define TW_VECTORIZE _Pragma("GCC ivdep")

namespace wide_loops_internal {

template <class Loop, typename... Args>
[[gnu::target("avx2")]] auto RunForAvx2(Args... args) {
  return Loop::Run(args...);
}

template <class Loop, typename... Args>
auto RunForAny(Args... args) {
  return Loop::Run(args...);
}

}  // namespace wide_loops_internal

template <class Loop, typename... Args>
auto RunWide(Args... args) {
  return __builtin_cpu_supports("avx2")
             ? wide_loops_internal::RunForAvx2<Loop>(args...)
             : wide_loops_internal::RunForAny<Loop>(args...);
}

// y[i] = x[i], 0 <= i < n, between floats and the types that only store them;
// rounded to the nearest, halves to even.  x and y do not overlap.
void WidenFloats(const Eigen::half* x, float* y, int64_t n);
void WidenFloats(const Eigen::bfloat16* x, float* y, int64_t n);
void NarrowFloats(const float* x, Eigen::half* y, int64_t n);
void NarrowFloats(const float* x, Eigen::bfloat16* y, int64_t n);

// The number of elements that a kernel widens at a time: the buffers stay in
// the first-level cache.
inline constexpr int64_t kWidenBlock = 512;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_WIDE_LOOPS_H_
