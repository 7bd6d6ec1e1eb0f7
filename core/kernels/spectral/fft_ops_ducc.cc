// SPDX-License-Identifier: Apache-2.0
// Fourier transforms for any processor, and the choice between them and those
// for AVX2.

#include <errno.h>
#include <immintrin.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

// Vectors of SSE would compile for half a minute and gain little; -O2 would
// take 16 s instead of 12 and gain 10 to 20 %.  Processors with AVX2 do not run
// this code.
#pragma GCC optimize("O1")
#define DUCC0_NO_SIMD
#define DUCC0_NAMESPACE ducc0_any
#define TW_FFT_NAMESPACE any
#include "core/kernels/spectral/fft_ops_ducc-inl.h"

namespace tensorwright {
namespace spectral {
namespace avx2 {

template <typename R>
void ComplexToComplex(const Layout&, Transform, const std::complex<R>*,
                      std::complex<R>*);
template <typename R>
void RealToComplex(const Layout&, double, const R*, std::complex<R>*);
template <typename R>
void ComplexToReal(const Layout&, double, const std::complex<R>*, R*);

}  // namespace avx2

namespace {

bool HasAvx2() {
  static const bool kHas =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return kHas;
}

}  // namespace

template <typename R>
void ComplexToComplex(const Layout& layout, Transform transform,
                      const std::complex<R>* in, std::complex<R>* out) {
  HasAvx2() ? avx2::ComplexToComplex(layout, transform, in, out)
            : any::ComplexToComplex(layout, transform, in, out);
}

template <typename R>
void RealToComplex(const Layout& layout, double scale, const R* in,
                   std::complex<R>* out) {
  HasAvx2() ? avx2::RealToComplex(layout, scale, in, out)
            : any::RealToComplex(layout, scale, in, out);
}

template <typename R>
void ComplexToReal(const Layout& layout, double scale,
                   const std::complex<R>* in, R* out) {
  HasAvx2() ? avx2::ComplexToReal(layout, scale, in, out)
            : any::ComplexToReal(layout, scale, in, out);
}

#define TW_INSTANTIATE(R)                                                      \
  template void ComplexToComplex<R>(const Layout&, Transform,                  \
                                    const std::complex<R>*, std::complex<R>*); \
  template void RealToComplex<R>(const Layout&, double, const R*,              \
                                 std::complex<R>*);                            \
  template void ComplexToReal<R>(const Layout&, double,                        \
                                 const std::complex<R>*, R*)
// A macro, because a template can not name its own instantiations.
TW_INSTANTIATE(float);
TW_INSTANTIATE(double);
#undef TW_INSTANTIATE

}  // namespace spectral
}  // namespace tensorwright
