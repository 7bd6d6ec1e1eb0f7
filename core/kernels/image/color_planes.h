// SPDX-License-Identifier: Apache-2.0
// Loops over the colours of pixels.
//
// Pixels of 3 channels are taken apart into planes of a few hundred, which the
// compiler's vectors work on, and put together again.  Halves are computed in
// float.
#ifndef TENSORWRIGHT_CORE_KERNELS_IMAGE_COLOR_PLANES_H_
#define TENSORWRIGHT_CORE_KERNELS_IMAGE_COLOR_PLANES_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

template <typename T>
using ColorReal = std::conditional_t<std::is_same_v<T, double>, double, float>;

inline constexpr int64_t kColorBlock = 256;

// A block of pixels in planes; the three numbers of a colour in any system.
template <typename Real>
struct ColorPlanes {
  alignas(64) Real a[kColorBlock], b[kColorBlock], c[kColorBlock];
};

// Formula::Apply(arguments, &a, &b, &c) changes one colour, without branches
// that would keep it from being vectorised.
template <typename Real, typename Formula, typename Arguments>
struct ColorLoop {
  TW_WIDE_LOOP static void Run(const Real* x, Real* y, int64_t n,
                               const Arguments* arguments) {
    ColorPlanes<Real> p;
    for (int64_t i = 0; i < n; ++i) {
      p.a[i] = x[3 * i];
      p.b[i] = x[3 * i + 1];
      p.c[i] = x[3 * i + 2];
    }
    const Arguments given = *arguments;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      Real a = p.a[i], b = p.b[i], c = p.c[i];
      Formula::Apply(given, &a, &b, &c);
      p.a[i] = a;
      p.b[i] = b;
      p.c[i] = c;
    }
    for (int64_t i = 0; i < n; ++i) {
      y[3 * i] = p.a[i];
      y[3 * i + 1] = p.b[i];
      y[3 * i + 2] = p.c[i];
    }
  }
};

// y = the formula applied to `pixels` pixels of x, of 3 channels; y may be x.
template <typename Formula, typename T, typename Arguments>
void MapColors(OpKernelContext* ctx, const T* x, int64_t pixels,
               const Arguments& arguments, T* y) {
  using Real = ColorReal<T>;
  constexpr int64_t kCost = 20;
  ParallelFor(ctx, pixels, kCost, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += kColorBlock) {
      const int64_t n = std::min(kColorBlock, end - at);
      if constexpr (kIsStorageOnly<T>) {
        float block[3 * kColorBlock];
        WidenFloats(x + 3 * at, block, 3 * n);
        RunWide<ColorLoop<float, Formula, Arguments>>(
            static_cast<const float*>(block), static_cast<float*>(block), n,
            &arguments);
        NarrowFloats(block, y + 3 * at, 3 * n);
      } else {
        RunWide<ColorLoop<Real, Formula, Arguments>>(x + 3 * at, y + 3 * at, n,
                                                     &arguments);
      }
    }
  });
}

// The hue of a colour, counted from red in units of which a third of a turn has
// `third`.  `norm` is a sixth of a turn divided by the range of the channels.
// The hue may be negative.
template <typename Real>
TW_WIDE_LOOP Real ScaledHue(Real r, Real g, Real b, Real max, Real norm,
                            Real third) {
  const Real from_red = norm * (g - b);
  const Real from_green = norm * (b - r) + third;
  const Real from_blue = norm * (r - g) + 2 * third;
  return r == max ? from_red : g == max ? from_green : from_blue;
}

template <typename Real>
TW_WIDE_LOOP Real AtMost(Real x, Real high) {
  return x > high ? high : x;
}
template <typename Real>
TW_WIDE_LOOP Real AtLeast(Real x, Real low) {
  return x < low ? low : x;
}
template <typename Real>
TW_WIDE_LOOP Real Magnitude(Real x) {
  return x < 0 ? -x : x;
}

// The part of each channel, in [0, 1], in a hue that is given in sixths of a
// turn.
template <typename Real>
struct HueParts {
  Real r, g, b;

  TW_WIDE_LOOP explicit HueParts(Real sixths) {
    r = AtMost(AtLeast(Magnitude(sixths - 3) - 1, Real(0)), Real(1));
    g = AtMost(AtLeast(2 - Magnitude(sixths - 2), Real(0)), Real(1));
    b = AtMost(AtLeast(2 - Magnitude(sixths - 4), Real(0)), Real(1));
  }
};

struct NoArguments {};

// Red, green, blue in [0, 1] -> hue, saturation, value in [0, 1].
struct RgbToHsv {
  template <typename Real>
  TW_WIDE_LOOP static void Apply(NoArguments, Real* a, Real* b, Real* c) {
    const Real red = *a, green = *b, blue = *c;
    const Real max = AtLeast(AtLeast(red, green), blue);
    const Real min = AtMost(AtMost(red, green), blue);
    const Real range = max - min;
    const Real norm = (Real(1) / range) * (Real(1) / Real(6));
    Real hue = ScaledHue(red, green, blue, max, norm, Real(2) / Real(6));
    hue = range > 0 ? hue : Real(0);
    hue = hue < 0 ? hue + 1 : hue;
    *a = hue;
    *b = max > 0 ? range / max : Real(0);
    *c = max;
  }
};

// Hue, saturation, value -> red, green, blue.
struct HsvToRgb {
  template <typename Real>
  TW_WIDE_LOOP static void Apply(NoArguments, Real* a, Real* b, Real* c) {
    const HueParts<Real> parts(*a * 6);
    const Real saturation = *b, value = *c, rest = 1 - saturation;
    *a = (rest + saturation * parts.r) * value;
    *b = (rest + saturation * parts.g) * value;
    *c = (rest + saturation * parts.b) * value;
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_IMAGE_COLOR_PLANES_H_
