// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of arrays with strides, on the calling thread, by DUCC
// with this processor's vectors.
//
// DUCC (PyPI: ducc0; these of its files are under the BSD licence) is in
// TensorFlow 2.21, too.  The time of Debian's kissfft, which is Eigen's FFT as
// well, grows with the square of a prime length.
#ifndef TENSORWRIGHT_CORE_KERNELS_SPECTRAL_FFT_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_SPECTRAL_FFT_OPS_H_

#include <complex>
#include <cstdint>

namespace tensorwright {
namespace spectral {

// The most dimensions, including the batch.
inline constexpr int kMaxDims = 4;

// The sizes and steps (in elements) of an array of `dims` dimensions.  The
// first is the batch, the other `dims` - 1 are transformed; no size is zero.
struct Layout {
  int dims = 0;
  int64_t size[kMaxDims];
  int64_t in_step[kMaxDims];
  int64_t out_step[kMaxDims];
};

// The direction and scale of a transform.
struct Transform {
  bool forward = true;
  double scale = 1;
};

// out = the transform of in, along all dimensions but the first.  in may be out
// if the steps are the same.
template <typename R>
void ComplexToComplex(const Layout& layout, Transform transform,
                      const std::complex<R>* in, std::complex<R>* out);

// `in` has the sizes of the layout; out's last size is half of that plus one.
template <typename R>
void RealToComplex(const Layout& layout, double scale, const R* in,
                   std::complex<R>* out);

// Goes the other way; `out` has the sizes of the layout.
template <typename R>
void ComplexToReal(const Layout& layout, double scale,
                   const std::complex<R>* in, R* out);

}  // namespace spectral
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SPECTRAL_FFT_OPS_H_
