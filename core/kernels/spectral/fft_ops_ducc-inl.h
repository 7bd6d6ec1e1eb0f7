// SPDX-License-Identifier: Apache-2.0
// DUCC's transforms in the namespace DUCC0_NAMESPACE, compiled for the vectors
// that are enabled where this is included.  Include the headers of the standard
// library that it uses first, so that they are compiled for any processor.

#define DUCC0_NO_LOWLEVEL_THREADING
#include "ducc0/fft/fftnd_impl.h"
#include "ducc0/infra/mav.cc"
#include "ducc0/infra/string_utils.cc"
#include "ducc0/infra/threading.cc"
// This comes after the sources above, because the code below needs them.
#include "core/kernels/spectral/fft_ops.h"

namespace tensorwright {
namespace spectral {
namespace TW_FFT_NAMESPACE {

namespace ducc = DUCC0_NAMESPACE;
using Shape = std::vector<size_t>;

inline Shape SizesOf(const Layout& layout, bool halved) {
  Shape sizes(layout.size, layout.size + layout.dims);
  if (halved) sizes.back() = sizes.back() / 2 + 1;
  return sizes;
}

inline std::vector<ptrdiff_t> StepsOf(const Layout& layout,
                                      const int64_t* steps) {
  return std::vector<ptrdiff_t>(steps, steps + layout.dims);
}

// Returns all dimensions but the first.
inline Shape AxesOf(const Layout& layout) {
  Shape axes;
  for (int d = 1; d < layout.dims; ++d) axes.push_back(d);
  return axes;
}

template <typename R>
void ComplexToComplex(const Layout& layout, Transform transform,
                      const std::complex<R>* in, std::complex<R>* out) {
  const ducc::cfmav<std::complex<R>> from(in, SizesOf(layout, false),
                                          StepsOf(layout, layout.in_step));
  const ducc::vfmav<std::complex<R>> to(out, SizesOf(layout, false),
                                        StepsOf(layout, layout.out_step));
  ducc::detail_fft::c2c(from, to, AxesOf(layout), transform.forward,
                        static_cast<R>(transform.scale), 1);
}

template <typename R>
void RealToComplex(const Layout& layout, double scale, const R* in,
                   std::complex<R>* out) {
  const ducc::cfmav<R> from(in, SizesOf(layout, false),
                            StepsOf(layout, layout.in_step));
  const ducc::vfmav<std::complex<R>> to(out, SizesOf(layout, true),
                                        StepsOf(layout, layout.out_step));
  ducc::detail_fft::r2c(from, to, AxesOf(layout), true, static_cast<R>(scale),
                        1);
}

template <typename R>
void ComplexToReal(const Layout& layout, double scale,
                   const std::complex<R>* in, R* out) {
  const ducc::cfmav<std::complex<R>> from(in, SizesOf(layout, true),
                                          StepsOf(layout, layout.in_step));
  const ducc::vfmav<R> to(out, SizesOf(layout, false),
                          StepsOf(layout, layout.out_step));
  ducc::detail_fft::c2r(from, to, AxesOf(layout), false, static_cast<R>(scale),
                        1);
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

}  // namespace TW_FFT_NAMESPACE
}  // namespace spectral
}  // namespace tensorwright
