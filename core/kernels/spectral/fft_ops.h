// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of arrays with strides, on the calling thread: DUCC's, for
// the vectors that this processor has.
//
// DUCC (PyPI: ducc0; these files of it are under the BSD licence) is what
// TensorFlow 2.21 has too.  Debian's kissfft, which is Eigen's FFT as well,
// takes time with the square of a prime length.
#ifndef TENSORWRIGHT_CORE_KERNELS_SPECTRAL_FFT_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_SPECTRAL_FFT_OPS_H_

#include <complex>
#include <cstdint>

namespace tensorwright {
namespace spectral {

// Up to this many dimensions, the batch's included.
inline constexpr int kMaxDims = 4;

// Sizes and, in elements, steps of an array of `dims` dimensions.  The last
// `dims` - 1 are transformed, the first is the batch; no size is zero.
struct Layout {
  int dims = 0;
  int64_t size[kMaxDims];
  int64_t in_step[kMaxDims];
  int64_t out_step[kMaxDims];
};

// What to transform along which of the dimensions.
struct Transform {
  bool forward = true;
  double scale = 1;
};

// out = the transform of in, along all dimensions but the first.  in may be out
// if the steps are the same.
template <typename R>
void ComplexToComplex(const Layout& layout, Transform transform,
                      const std::complex<R>* in, std::complex<R>* out);

// in has the sizes of the layout; out's last one is half of that, and one.
template <typename R>
void RealToComplex(const Layout& layout, double scale, const R* in,
                   std::complex<R>* out);

// The other way round: out has the sizes of the layout.
template <typename R>
void ComplexToReal(const Layout& layout, double scale,
                   const std::complex<R>* in, R* out);

}  // namespace spectral
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SPECTRAL_FFT_OPS_H_
