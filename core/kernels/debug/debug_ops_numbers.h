// SPDX-License-Identifier: Apache-2.0
// The loops of debug ops: they count the kinds of numbers in a tensor.
//
// Results are combined from blocks of a fixed size, in order, and from lanes
// within them, so they are the same for any number of threads.
#ifndef TENSORWRIGHT_CORE_KERNELS_DEBUG_DEBUG_OPS_NUMBERS_H_
#define TENSORWRIGHT_CORE_KERNELS_DEBUG_DEBUG_OPS_NUMBERS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/kernels/lib/wide_loops.h"

namespace tensorwright {

inline constexpr int64_t kTallyBlock = 1 << 14;
inline constexpr int kTallyLanes = 8;

// The number of elements of each kind, and the smallest, the largest and the
// sum of the finite elements, within the bounds or not.
struct Tally {
  int64_t nan = 0, below = 0, negative = 0, zero = 0, positive = 0, above = 0;
  int64_t finite = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0;

  void Add(const Tally& other) {
    nan += other.nan;
    below += other.below;
    negative += other.negative;
    zero += other.zero;
    positive += other.positive;
    above += other.above;
    finite += other.finite;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    sum += other.sum;
  }
};

template <typename T>
TW_WIDE_LOOP double TallyNumber(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(x);
  } else {
    return static_cast<double>(static_cast<float>(x));
  }
}

TW_WIDE_LOOP bool IsFiniteNumber(double x) {
  return __builtin_fabs(x) <= std::numeric_limits<double>::max();
}

template <typename T>
struct CountNansLoop {
  TW_WIDE_LOOP static int64_t Run(const T* x, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        count += x[i] != x[i] ? 1 : 0;
      } else {
        const float v = static_cast<float>(x[i]);
        count += v != v ? 1 : 0;
      }
    }
    return count;
  }
};

template <typename T>
struct TallyLoop {
  // An element up to `lower` counts as -inf, and one from `upper` on as inf.
  TW_WIDE_LOOP static Tally Run(const T* x, int64_t n, double lower,
                                double upper) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr int kLanes = kTallyLanes;
    int64_t nan[kLanes] = {}, below[kLanes] = {}, negative[kLanes] = {};
    int64_t zero[kLanes] = {}, positive[kLanes] = {}, above[kLanes] = {};
    int64_t finite[kLanes] = {};
    double min[kLanes], max[kLanes], sum[kLanes] = {};
    std::fill_n(min, kLanes, kInf);
    std::fill_n(max, kLanes, -kInf);
    const auto count = [&](int l, double v) __attribute__((always_inline)) {
      const bool is_finite = IsFiniteNumber(v);
      const bool low = (v <= lower) | (v == -kInf);
      const bool high = (!low) & ((v >= upper) | (v == kInf));
      const bool within = is_finite & (!low) & (!high);
      finite[l] += is_finite ? 1 : 0;
      nan[l] += v != v ? 1 : 0;
      below[l] += low ? 1 : 0;
      above[l] += high ? 1 : 0;
      negative[l] += within & (v < 0) ? 1 : 0;
      zero[l] += within & (v == 0) ? 1 : 0;
      positive[l] += within & (v > 0) ? 1 : 0;
      const double least = is_finite ? v : kInf, most = is_finite ? v : -kInf;
      min[l] = least < min[l] ? least : min[l];
      max[l] = most > max[l] ? most : max[l];
      sum[l] += is_finite ? v : 0.0;
    };
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int l = 0; l < kLanes; ++l) count(l, TallyNumber(x[i + l]));
    }
    for (int l = 0; i < n; ++i, ++l) count(l, TallyNumber(x[i]));
    Tally all;
    for (int l = 0; l < kLanes; ++l) {
      all.Add({nan[l], below[l], negative[l], zero[l], positive[l], above[l],
               finite[l], min[l], max[l], sum[l]});
    }
    return all;
  }
};

template <typename T>
struct SquaresLoop {
  TW_WIDE_LOOP static double Run(const T* x, int64_t n, double mean) {
    double sums[kTallyLanes] = {};
    int64_t i = 0;
    const auto add = [&](int l, double v) __attribute__((always_inline)) {
      const double from = v - mean;
      sums[l] += IsFiniteNumber(v) ? from * from : 0.0;
    };
    for (; i + kTallyLanes <= n; i += kTallyLanes) {
      for (int l = 0; l < kTallyLanes; ++l) add(l, TallyNumber(x[i + l]));
    }
    for (int l = 0; i < n; ++i, ++l) add(l, TallyNumber(x[i]));
    double sum = 0;
    for (const double s : sums) sum += s;
    return sum;
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DEBUG_DEBUG_OPS_NUMBERS_H_
