// SPDX-License-Identifier: Apache-2.0
// Loops over complex numbers in blocks.

#include "core/kernels/lib/cwise_ops_complex.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/cwise_ops_complex_tanh.h"
#include "core/kernels/lib/cwise_ops_simd.h"
#include "core/kernels/lib/wide_loops.h"

namespace tensorwright {
namespace {

constexpr int64_t kBlock = 256;

// re[i] + im[i] i = x[i], an interleaved array.
struct SplitLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(const R* x, R* re, R* im, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      re[i] = x[2 * i];
      im[i] = x[2 * i + 1];
    }
  }
};

struct JoinLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(const R* re, const R* im, R* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[2 * i] = re[i];
      y[2 * i + 1] = im[i];
    }
  }
};

// Are all numbers smaller in size than these?
struct AllBelowLoop {
  template <typename R>
  TW_WIDE_LOOP static bool Run(const R* re, const R* im, R re_limit, R im_limit,
                               int64_t n) {
    int bad = 0;
    for (int64_t i = 0; i < n; ++i) {
      bad |= !(std::fabs(re[i]) < re_limit) | !(std::fabs(im[i]) < im_limit);
    }
    return bad == 0;
  }
};

struct TimesLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(R* size, R* cos, R* sin, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      cos[i] *= size[i];
      sin[i] *= size[i];
    }
  }
};

// re, im = e^re (cos im, sin im).
template <typename R>
void ExpBlock(R* re, R* im, int64_t n) {
  R size[kBlock];
  SimdLoop<functor::Exp>::Run(re, size, n);
  SimdLoop<functor::Cos>::Run(im, re, n);
  SimdLoop<functor::Sin>::Run(im, im, n);
  RunWide<TimesLoop>(&size[0], re, im, n);
}

struct NegLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(R* re, R* im, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      re[i] = -re[i];
      im[i] = -im[i];
    }
  }
};

// re, im = 1 / (1 + (re, im)).
struct OnePlusReciprocalLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(R* re, R* im, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const R a = re[i] + R(1), b = im[i];
      const R scale = R(1) / (a * a + b * b);
      re[i] = a * scale;
      im[i] = -b * scale;
    }
  }
};

template <typename R>
void SigmoidBlock(R* re, R* im, int64_t n) {
  RunWide<NegLoop>(re, im, n);
  ExpBlock(re, im, n);
  RunWide<OnePlusReciprocalLoop>(re, im, n);
}

// larger = the size of the larger part, ratio = the other part's size divided
// by it.
struct RatioLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(const R* re, const R* im, R* larger, R* ratio,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const R a = std::fabs(re[i]), b = std::fabs(im[i]);
      const R high = a > b ? a : b, low = a > b ? b : a;
      larger[i] = high;
      ratio[i] = low / (high == R(0) ? R(1) : high);
    }
  }
};

struct SquareLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(const R* x, R* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i];
  }
};

// re, im = log |z|, the angle of z; log_larger and log1p_square make up the
// former, and angle is the arctangent of the ratio.
struct LogLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(R* re, R* im, const R* log_larger,
                               const R* log1p_square, const R* angle,
                               int64_t n) {
    constexpr R kPi = R(3.14159265358979323846);
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const R a = re[i], b = im[i];
      R t = std::fabs(b) > std::fabs(a) ? kPi / 2 - angle[i] : angle[i];
      t = std::copysign(R(1), a) < R(0) ? kPi - t : t;
      re[i] = log_larger[i] + log1p_square[i] / 2;
      im[i] = std::copysign(t, b);
    }
  }
};

template <typename R>
void LogBlock(R* re, R* im, int64_t n) {
  R larger[kBlock], ratio[kBlock], square[kBlock];
  RunWide<RatioLoop>(re, im, &larger[0], &ratio[0], n);
  RunWide<SquareLoop>(&ratio[0], &square[0], n);
  SimdLoop<functor::Log>::Run(larger, larger, n);
  SimdLoop<functor::Log1p>::Run(square, square, n);
  SimdLoop<functor::Atan>::Run(ratio, ratio, n);
  RunWide<LogLoop>(re, im, &larger[0], &square[0], &ratio[0], n);
}

// w = sqrt((|a| + |z|) / 2) is the larger part of the root, b / (2 w) the
// other.
struct SqrtLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(R* re, R* im, const R* larger, const R* ratio,
                               int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const R a = re[i], b = im[i];
      const R size = larger[i] * std::sqrt(R(1) + ratio[i] * ratio[i]);
      const R w = std::sqrt(std::fabs(a) / 2 + size / 2);
      const R other = std::fabs(b) / (w == R(0) ? R(1) : w + w);
      re[i] = a < R(0) ? other : w;
      im[i] = std::copysign(a < R(0) ? w : other, b);
    }
  }
};

template <typename R>
void SqrtBlock(R* re, R* im, int64_t n) {
  R larger[kBlock], ratio[kBlock];
  RunWide<RatioLoop>(re, im, &larger[0], &ratio[0], n);
  RunWide<SqrtLoop>(re, im, &larger[0], &ratio[0], n);
}

// With s = sinh re, t = tan im and b = 1 + t^2 (W. Kahan's formula):
// tanh(re, im) = (b s sqrt(1 + s^2), t) / (1 + b s^2).
struct TanhLoop {
  template <typename R>
  TW_WIDE_LOOP static void Run(R* re, R* im, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const R s = re[i], t = im[i];
      const R bs = (R(1) + t * t) * s;
      const R below = R(1) + bs * s;
      re[i] = bs * std::sqrt(R(1) + s * s) / below;
      im[i] = t / below;
    }
  }
};

template <typename R>
void TanhBlock(R* re, R* im, int64_t n) {
  SimdLoop<functor::Sinh>::Run(re, re, n);
  SimdLoop<functor::Tan>::Run(im, im, n);
  RunWide<TanhLoop>(re, im, n);
}

// Works on one block at a time, or element by element if one is out of a
// block's range.
template <typename R, class Block, class Scalar>
void InBlocks(const std::complex<R>* x, std::complex<R>* y, int64_t n,
              R re_limit, R im_limit, const Block& block,
              const Scalar& scalar) {
  R re[kBlock], im[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = std::min(kBlock, n - i);
    RunWide<SplitLoop>(reinterpret_cast<const R*>(x + i), &re[0], &im[0], m);
    if (RunWide<AllBelowLoop>(&re[0], &im[0], re_limit, im_limit, m)) {
      block(re, im, m);
      RunWide<JoinLoop>(&re[0], &im[0], reinterpret_cast<R*>(y + i), m);
    } else {
      for (int64_t j = i; j < i + m; ++j) y[j] = scalar(x[j]);
    }
  }
}

template <typename R>
void Unary(ComplexUnaryOp op, const std::complex<R>* x, std::complex<R>* y,
           int64_t n) {
  using C = std::complex<R>;
  // The exp of smaller numbers neither overflows nor underflows.
  constexpr R kExp = sizeof(R) == 4 ? R(80) : R(700);
  constexpr R kFinite = std::numeric_limits<R>::max();
  switch (op) {
    case ComplexUnaryOp::kExp:
      return InBlocks(x, y, n, kExp, kFinite, ExpBlock<R>, functor::Exp<C>());
    case ComplexUnaryOp::kSigmoid:
      // The square of exp must not overflow.
      return InBlocks(x, y, n, kExp / 2, kFinite, SigmoidBlock<R>,
                      functor::Sigmoid<C>());
    case ComplexUnaryOp::kLog:
      return InBlocks(x, y, n, kFinite, kFinite, LogBlock<R>,
                      functor::Log<C>());
    case ComplexUnaryOp::kSqrt:
      return InBlocks(x, y, n, kFinite / 4, kFinite / 4, SqrtBlock<R>,
                      functor::Sqrt<C>());
    case ComplexUnaryOp::kNone:
      return;
  }
}

}  // namespace

void ComplexUnary(ComplexUnaryOp op, const std::complex<float>* x,
                  std::complex<float>* y, int64_t n) {
  Unary(op, x, y, n);
}

void ComplexUnary(ComplexUnaryOp op, const std::complex<double>* x,
                  std::complex<double>* y, int64_t n) {
  Unary(op, x, y, n);
}

template <typename C>
void ComplexTanhLoop(const void* x, void* y, int64_t n) {
  using R = typename C::value_type;
  // The product of the squares of sinh and tan must not overflow.
  constexpr R kLimit = sizeof(R) == 4 ? R(20) : R(300);
  InBlocks(static_cast<const C*>(x), static_cast<C*>(y), n, kLimit,
           std::numeric_limits<R>::max(), TanhBlock<R>, functor::Tanh<C>());
}

template void ComplexTanhLoop<std::complex<float>>(const void*, void*, int64_t);
template void ComplexTanhLoop<std::complex<double>>(const void*, void*,
                                                    int64_t);

}  // namespace tensorwright
