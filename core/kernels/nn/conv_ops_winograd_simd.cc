// SPDX-License-Identifier: Apache-2.0
// Highway's loops of Winograd's convolution: compiled once per instruction set
// below.  Loads and stores bound them.
//
// The transforms evaluate polynomials at 0, a, -a, b, -b and infinity, in rows
// and in columns.  a = 3/4, b = 3/2 lose a quarter of the precision that the
// usual 1 and 2 lose to rounding, and are exact in binary with their products.

#include "core/kernels/nn/conv_ops_winograd_simd.h"

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace winograd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most kChannelStep lanes.
using D = hn::CappedTag<float, kChannelStep>;
using V = hn::Vec<D>;

constexpr float kA = 0.75f, kB = 1.5f;
constexpr float kA2 = kA * kA, kB2 = kB * kB;
constexpr float kA3 = kA2 * kA, kB3 = kB2 * kB;

HWY_INLINE V Times(float x, V v) { return hn::Mul(hn::Set(D(), x), v); }
// x * v + sum.
HWY_INLINE V Plus(float x, V v, V sum) {
  return hn::MulAdd(hn::Set(D(), x), v, sum);
}

// The six transforms of a row; elements of `in` and `out` are `step` vectors
// apart.

struct InputRow {
  static constexpr int kIn = kTile, kOut = kTile;
  static HWY_INLINE void Run(const V* in, V* out, int step) {
    const V d0 = in[0], d1 = in[1], d2 = in[2], d3 = in[3], d4 = in[4],
            d5 = in[5];
    const V even_a = Plus(-kB2, d2, d4);
    const V odd_a = Times(kA, Plus(-kB2, d1, d3));
    const V even_b = Plus(-kA2, d2, d4);
    const V odd_b = Times(kB, Plus(-kA2, d1, d3));
    out[0] = Plus(kA2 * kB2, d0, Plus(-(kA2 + kB2), d2, d4));
    out[step] = hn::Add(even_a, odd_a);
    out[2 * step] = hn::Sub(even_a, odd_a);
    out[3 * step] = hn::Add(even_b, odd_b);
    out[4 * step] = hn::Sub(even_b, odd_b);
    out[5 * step] = Plus(kA2 * kB2, d1, Plus(-(kA2 + kB2), d3, d5));
  }
};

template <int kTaps>
struct OutputRow {
  static constexpr int kIn = kTile, kOut = OutputTile(kTaps);
  static HWY_INLINE void Run(const V* in, V* out, int step) {
    const V sum_a = hn::Add(in[1], in[2]), difference_a = hn::Sub(in[1], in[2]);
    const V sum_b = hn::Add(in[3], in[4]), difference_b = hn::Sub(in[3], in[4]);
    out[0] = hn::Add(in[0], hn::Add(sum_a, sum_b));
    const V first = Plus(kB, difference_b, Times(kA, difference_a));
    if constexpr (kOut == 2) {
      out[step] = hn::Add(first, in[5]);
    } else {
      out[step] = first;
      out[2 * step] = Plus(kB2, sum_b, Times(kA2, sum_a));
      out[3 * step] = Plus(kB3, difference_b, Plus(kA3, difference_a, in[5]));
    }
  }
};

template <int kTaps>
struct OutputGradRow {
  static constexpr int kIn = OutputTile(kTaps), kOut = kTile;
  static HWY_INLINE void Run(const V* in, V* out, int step) {
    V even_a = in[0], even_b = in[0];
    V odd_a = Times(kA, in[1]), odd_b = Times(kB, in[1]);
    if constexpr (kIn == 4) {
      even_a = Plus(kA2, in[2], even_a);
      even_b = Plus(kB2, in[2], even_b);
      odd_a = Plus(kA3, in[3], odd_a);
      odd_b = Plus(kB3, in[3], odd_b);
    }
    out[0] = in[0];
    out[step] = hn::Add(even_a, odd_a);
    out[2 * step] = hn::Sub(even_a, odd_a);
    out[3 * step] = hn::Add(even_b, odd_b);
    out[4 * step] = hn::Sub(even_b, odd_b);
    out[5 * step] = in[kIn - 1];
  }
};

// The reciprocals of Lagrange's divisors.
constexpr float kAtZero = 1 / (kA2 * kB2);
constexpr float kAtA = 1 / (2 * kA2 * (kA2 - kB2));
constexpr float kAtB = 1 / (2 * kB2 * (kB2 - kA2));

template <int kTaps>
struct FilterRow {
  static constexpr int kIn = kTaps, kOut = kTile;
  static HWY_INLINE void Run(const V* in, V* out, int step) {
    V even_a = Plus(kA2, in[2], in[0]), even_b = Plus(kB2, in[2], in[0]);
    V odd_a = Times(kA, in[1]), odd_b = Times(kB, in[1]);
    if constexpr (kTaps == 5) {
      even_a = Plus(kA2 * kA2, in[4], even_a);
      even_b = Plus(kB2 * kB2, in[4], even_b);
      odd_a = Plus(kA3, in[3], odd_a);
      odd_b = Plus(kB3, in[3], odd_b);
    }
    out[0] = Times(kAtZero, in[0]);
    out[step] = Times(kAtA, hn::Add(even_a, odd_a));
    out[2 * step] = Times(kAtA, hn::Sub(even_a, odd_a));
    out[3 * step] = Times(kAtB, hn::Add(even_b, odd_b));
    out[4 * step] = Times(kAtB, hn::Sub(even_b, odd_b));
    out[5 * step] = in[kTaps - 1];
  }
};

template <int kTaps>
struct FilterGradRow {
  static constexpr int kIn = kTile, kOut = kTaps;
  static HWY_INLINE void Run(const V* in, V* out, int step) {
    const V sum_a = Times(kAtA, hn::Add(in[1], in[2]));
    const V sum_b = Times(kAtB, hn::Add(in[3], in[4]));
    const V difference_a = Times(kAtA, hn::Sub(in[1], in[2]));
    const V difference_b = Times(kAtB, hn::Sub(in[3], in[4]));
    out[0] = Plus(kAtZero, in[0], hn::Add(sum_a, sum_b));
    out[step] = Plus(kA, difference_a, Times(kB, difference_b));
    const V second = Plus(kA2, sum_a, Times(kB2, sum_b));
    if constexpr (kTaps == 3) {
      out[2 * step] = hn::Add(second, in[5]);
    } else {
      out[2 * step] = second;
      out[3 * step] = Plus(kA3, difference_a, Times(kB3, difference_b));
      out[4 * step] = Plus(kA2 * kA2, sum_a, Plus(kB2 * kB2, sum_b, in[5]));
    }
  }
};

// Transforms rows and columns: in[kIn][kIn] -> out[kOut][kOut].
template <class Row>
HWY_INLINE void Square(const V* in, V* out) {
  constexpr int kIn = Row::kIn, kOut = Row::kOut;
  V half[kOut * kIn];  // [row of in, column of out], transposed.
#pragma GCC unroll 6
  for (int r = 0; r < kIn; ++r) Row::Run(in + r * kIn, half + r, kIn);
#pragma GCC unroll 6
  for (int c = 0; c < kOut; ++c) Row::Run(half + c * kIn, out + c, kOut);
}

// Calls load(k, j) for the kIn^2 points and store(k, j, v) for the kOut^2 ones,
// for every vector of channels; j is its first channel.
template <class Row, class Load, class Store>
HWY_INLINE void ForChannels(int64_t n, const Load& load, const Store& store) {
  constexpr int kIn = Row::kIn * Row::kIn, kOut = Row::kOut * Row::kOut;
  for (int64_t j = 0; j < n; j += static_cast<int64_t>(hn::Lanes(D()))) {
    V in[kIn], out[kOut];
#pragma GCC unroll 36
    for (int k = 0; k < kIn; ++k) in[k] = load(k, j);
    Square<Row>(in, out);
#pragma GCC unroll 36
    for (int k = 0; k < kOut; ++k) store(k, j, out[k]);
  }
}

template <class Row>
void Spread(const float* from, int64_t from_stride, int64_t n, float* to,
            int64_t to_stride) {
  ForChannels<Row>(
      n,
      [=](int k, int64_t j)
          HWY_ATTR { return hn::LoadU(D(), from + k * from_stride + j); },
      [=](int k, int64_t j, V v)
          HWY_ATTR { hn::StoreU(v, D(), to + k * to_stride + j); });
}

template <class Row>
void Gather(const float* const* pixels, int64_t n, float* to, int64_t stride) {
  ForChannels<Row>(
      n,
      [=](int k, int64_t j) HWY_ATTR { return hn::LoadU(D(), pixels[k] + j); },
      [=](int k, int64_t j, V v)
          HWY_ATTR { hn::StoreU(v, D(), to + k * stride + j); });
}

// Zero times a finite number is zero, and so is a sum of such products;
// infinities and NaN make it NaN.
HWY_INLINE bool IsZero(V sum) {
  return hn::AllTrue(D(), hn::Eq(sum, hn::Zero(D())));
}

template <class Row>
bool Finish(const float* from, int64_t stride, int64_t n, const float* bias,
            float* const* pixels) {
  V check = hn::Zero(D());
  V* const sum = &check;
  ForChannels<Row>(
      n,
      [=](int k, int64_t j)
          HWY_ATTR { return hn::LoadU(D(), from + k * stride + j); },
      [=](int k, int64_t j, V v) HWY_ATTR {
        *sum = Plus(0.0f, v, *sum);
        if (bias != nullptr) v = hn::Add(v, hn::LoadU(D(), bias + j));
        hn::StoreU(v, D(), pixels[k] + j);
      });
  return IsZero(check);
}

void FilterOf(int taps, const float* filter, int64_t tap_stride, int64_t n,
              float* to, int64_t stride) {
  return taps == 3 ? Spread<FilterRow<3>>(filter, tap_stride, n, to, stride)
                   : Spread<FilterRow<5>>(filter, tap_stride, n, to, stride);
}

bool FilterGradOf(int taps, const float* from, int64_t stride, int64_t n,
                  float* filter_grad, int64_t tap_stride) {
  float* pixels[25];
  for (int k = 0; k < taps * taps; ++k) {
    pixels[k] = filter_grad + k * tap_stride;
  }
  return taps == 3 ? Finish<FilterGradRow<3>>(from, stride, n, nullptr, pixels)
                   : Finish<FilterGradRow<5>>(from, stride, n, nullptr, pixels);
}

void InputOf(const float* const* pixels, int64_t n, float* to, int64_t stride) {
  Gather<InputRow>(pixels, n, to, stride);
}

bool OutputOf(int taps, const float* from, int64_t stride, int64_t n,
              const float* bias, float* const* pixels) {
  return taps == 3 ? Finish<OutputRow<3>>(from, stride, n, bias, pixels)
                   : Finish<OutputRow<5>>(from, stride, n, bias, pixels);
}

void OutputGradOf(int taps, const float* const* pixels, int64_t n, float* to,
                  int64_t stride) {
  return taps == 3 ? Gather<OutputGradRow<3>>(pixels, n, to, stride)
                   : Gather<OutputGradRow<5>>(pixels, n, to, stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace winograd
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace winograd {
namespace {
HWY_EXPORT(FilterOf);
HWY_EXPORT(FilterGradOf);
HWY_EXPORT(InputOf);
HWY_EXPORT(OutputOf);
HWY_EXPORT(OutputGradOf);
}  // namespace

void TransformFilter(int taps, const float* filter, int64_t tap_stride,
                     int64_t n, float* to, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(FilterOf)(taps, filter, tap_stride, n, to, stride);
}
bool TransformFilterGrad(int taps, const float* from, int64_t stride, int64_t n,
                         float* filter_grad, int64_t tap_stride) {
  return HWY_DYNAMIC_DISPATCH(FilterGradOf)(taps, from, stride, n, filter_grad,
                                            tap_stride);
}
void TransformInput(const float* const* pixels, int64_t n, float* to,
                    int64_t stride) {
  HWY_DYNAMIC_DISPATCH(InputOf)(pixels, n, to, stride);
}
bool TransformOutput(int taps, const float* from, int64_t stride, int64_t n,
                     const float* bias, float* const* pixels) {
  return HWY_DYNAMIC_DISPATCH(OutputOf)(taps, from, stride, n, bias, pixels);
}
void TransformOutputGrad(int taps, const float* const* pixels, int64_t n,
                         float* to, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(OutputGradOf)(taps, pixels, n, to, stride);
}

}  // namespace winograd
}  // namespace tensorwright
#endif  // HWY_ONCE
