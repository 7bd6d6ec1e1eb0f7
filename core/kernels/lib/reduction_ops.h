// SPDX-License-Identifier: Apache-2.0
// Reductions on a CPU: Sum, Mean, Prod, Max, Min, All, Any, EuclideanNorm over
// any axes.
//
// Axes that lie next to each other are folded, and each group of reduced axes
// is one pass over [outer, reduce, inner].  Only a pair of loops depends on the
// type; the code that shares the work knows no types.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_REDUCTION_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_REDUCTION_OPS_H_

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/reduction_ops_simd.h"

namespace tensorwright {

// One pass: out[o, i] = reduction over r of x[o, r, i], where x[o, r, i] is
// x[(o * reduce + r) * row + i] and row >= inner.
using ReductionLoopFn = void (*)(const void* x, void* out, int64_t outer,
                                 int64_t reduce, int64_t inner, int64_t row);

// out[i] = the result of `count` elements whose reduction is sums[i].
using ReductionFinishFn = void (*)(const void* sums, void* out, int64_t n,
                                   int64_t count);

// The loops of one reduction of one type.  Sums of half and bfloat16 are kept
// as floats until `finish`.
struct ReductionLoops {
  ReductionLoopFn first;  // For elements.
  ReductionLoopFn next;   // For the results of `first`.
  ReductionFinishFn finish;
  DataType sum_dtype;
  // The reduction of one element is another one, as a norm is.
  bool changes_one = false;
};

// Reduces `x`, seen as [outer, reduce, inner], into `out` of outer * inner
// elements.  `first` is the loop to begin with: loops.first if `x` holds
// elements, loops.next if it holds sums.
Status ReduceOnePass(OpKernelContext* ctx, ReductionLoopFn first,
                     const ReductionLoops& loops, const void* x,
                     int64_t element_size, int64_t outer, int64_t reduce,
                     int64_t inner, void* out);

// Reduces `x`, seen as [outer, reduce, inner], into `out`, of x's dtype.
Status ReduceWith(OpKernelContext* ctx, const ReductionLoops& loops,
                  const Tensor& x, int64_t outer, int64_t reduce, int64_t inner,
                  Tensor* out);

// ---- Reducers: an initial value, a combination that is associative up to
// rounding, and the value for no elements at all.

template <typename A>
struct SumReducer {
  static constexpr A Initial() { return A(0); }
  static A Combine(A x, A y) { return functor::Add<A>()(x, y); }
};

template <typename A>
struct ProdReducer {
  static constexpr A Initial() { return A(1); }
  static A Combine(A x, A y) { return functor::Mul<A>()(x, y); }
};

template <typename A>
struct MaxReducer {
  static constexpr A Initial() {
    return std::numeric_limits<A>::has_infinity
               ? -std::numeric_limits<A>::infinity()
               : std::numeric_limits<A>::lowest();
  }
  static A Combine(A x, A y) { return functor::Maximum<A>()(x, y); }
};

template <typename A>
struct MinReducer {
  static constexpr A Initial() {
    return std::numeric_limits<A>::has_infinity
               ? std::numeric_limits<A>::infinity()
               : std::numeric_limits<A>::max();
  }
  static A Combine(A x, A y) { return functor::Minimum<A>()(x, y); }
};

template <typename A>
struct AllReducer {
  static constexpr A Initial() { return true; }
  static A Combine(A x, A y) { return x & y; }
};

template <typename A>
struct AnyReducer {
  static constexpr A Initial() { return false; }
  static A Combine(A x, A y) { return x | y; }
};

// log(exp(x) + exp(y)).
template <typename A>
struct LogSumExpReducer {
  static constexpr A Initial() { return -std::numeric_limits<A>::infinity(); }
  static A Combine(A x, A y) {
    const A most = functor::Maximum<A>()(x, y);
    const A rest = functor::Minimum<A>()(x, y) - most;
    // The difference of two equal infinities is no number.
    return std::isinf(most) ? most : most + std::log1p(std::exp(rest));
  }
};

// ---- Loops -----------------------------------------------------------------

// Does SimdReduce do what R does for A?
template <template <typename> class R, typename A>
constexpr bool HasSimdReduction() {
  return (std::is_same_v<A, float> ||
          std::is_same_v<A, double>)&&(std::is_same_v<R<A>, SumReducer<A>> ||
                                       std::is_same_v<R<A>, ProdReducer<A>> ||
                                       std::is_same_v<R<A>, MaxReducer<A>> ||
                                       std::is_same_v<R<A>, MinReducer<A>>);
}

template <template <typename> class R, typename A>
constexpr SimdReduction SimdReductionOf() {
  if (std::is_same_v<R<A>, SumReducer<A>>) return SimdReduction::kSum;
  if (std::is_same_v<R<A>, ProdReducer<A>>) return SimdReduction::kProd;
  return std::is_same_v<R<A>, MaxReducer<A>> ? SimdReduction::kMax
                                             : SimdReduction::kMin;
}

// Thirty-two independent accumulators, which the compiler vectorises.
template <class Reducer>
struct ReduceChainsLoop {
  template <typename A, typename In>
  TW_WIDE_LOOP static A Run(const In* x, int64_t n, A initial) {
    constexpr int kChains = 32;
    A chains[kChains];
    for (int j = 0; j < kChains; ++j) chains[j] = initial;
    int64_t i = 0;
    for (; i + kChains <= n; i += kChains) {
      for (int j = 0; j < kChains; ++j) {
        chains[j] = Reducer::Combine(chains[j], static_cast<A>(x[i + j]));
      }
    }
    for (int j = 0; i < n; ++i, ++j) {
      chains[j] = Reducer::Combine(chains[j], static_cast<A>(x[i]));
    }
    for (int width = kChains / 2; width > 0; width /= 2) {
      for (int j = 0; j < width; ++j) {
        chains[j] = Reducer::Combine(chains[j], chains[j + width]);
      }
    }
    return chains[0];
  }
};

// Reduces n consecutive elements.  A block is reduced with many independent
// accumulators.  More than a block is split in halves, again and again, so that
// the rounding error of sums grows with log n only.
template <template <typename> class R, typename A, typename In>
A ReduceRun(const In* x, int64_t n) {
  constexpr bool kNarrow = kIsNarrowFloat<In>;
  constexpr int64_t kBlock = kNarrow ? kWidenBlock : 4096;
  if (n > kBlock) {
    const int64_t half = n / 2 / kBlock * kBlock + (n < 2 * kBlock) * kBlock;
    return R<A>::Combine(ReduceRun<R, A>(x, half),
                         ReduceRun<R, A>(x + half, n - half));
  }
  if constexpr (kNarrow) {
    float block[kBlock];
    WidenFloats(x, block, n);
    return ReduceRun<R, float>(block, n);
  } else if constexpr (std::is_same_v<A, In> && HasSimdReduction<R, A>()) {
    return n == 0 ? R<A>::Initial() : SimdReduce(SimdReductionOf<R, A>(), x, n);
  } else {
    return RunWide<ReduceChainsLoop<R<A>>>(x, n, R<A>::Initial());
  }
}

// Reduces each of many rows of a few elements, with one accumulator for each
// row; the processor works on several rows at once.
template <template <typename> class R, typename A, typename In>
void ReduceShortRuns(const In* x, int64_t rows, int64_t n, A* out) {
  if constexpr (kIsNarrowFloat<In>) {
    float block[kWidenBlock];
    const int64_t at_once = kWidenBlock / n;
    for (int64_t r = 0; r < rows; r += at_once) {
      const int64_t count = std::min(at_once, rows - r);
      WidenFloats(x + r * n, block, count * n);
      ReduceShortRuns<R, A>(block, count, n, out + r);
    }
  } else {
    // One accumulator: with two that are combined at the end, GCC 12 vectorises
    // wrongly and loses one of them.
    for (int64_t r = 0; r < rows; ++r, x += n) {
      A total = R<A>::Initial();
      for (int64_t i = 0; i < n; ++i) {
        total = R<A>::Combine(total, static_cast<A>(x[i]));
      }
      out[r] = total;
    }
  }
}

// Rows are reduced into a strip of columns that stays in the first-level cache.
// Long columns are reduced in two levels, so that rounding errors stay small,
// as above.
inline constexpr int64_t kReduceStrip = 64;
inline constexpr int64_t kReduceLevel = 256;

// Combines part[j] with rows [0, rows) of column j, for each j < width.
template <class Reducer>
struct ReduceStripLoop {
  template <typename A, typename In>
  TW_WIDE_LOOP static void Run(const In* x, A* part, int64_t rows,
                               int64_t width, int64_t row) {
    if (width == kReduceStrip) {
      for (int64_t r = 0; r < rows; ++r) {
        const In* in = x + r * row;
        TW_VECTORIZE
        for (int64_t j = 0; j < kReduceStrip; ++j) {
          part[j] = Reducer::Combine(part[j], static_cast<A>(in[j]));
        }
      }
      return;
    }
    for (int64_t r = 0; r < rows; ++r) {
      const In* in = x + r * row;
      TW_VECTORIZE
      for (int64_t j = 0; j < width; ++j) {
        part[j] = Reducer::Combine(part[j], static_cast<A>(in[j]));
      }
    }
  }
};

template <template <typename> class R, typename A, typename In>
void ReduceColumns(const In* x, A* out, int64_t rows, int64_t cols,
                   int64_t row) {
  for (int64_t c = 0; c < cols; c += kReduceStrip) {
    const int64_t width = std::min(kReduceStrip, cols - c);
    A total[kReduceStrip], part[kReduceStrip];
    std::fill_n(total, kReduceStrip, R<A>::Initial());
    for (int64_t r0 = 0; r0 < rows; r0 += kReduceLevel) {
      std::fill_n(part, kReduceStrip, R<A>::Initial());
      const int64_t count = std::min(kReduceLevel, rows - r0);
      const In* in = x + r0 * row + c;
      if constexpr (kIsNarrowFloat<In>) {
        float widened[kReduceStrip];
        for (int64_t r = 0; r < count; ++r) {
          WidenFloats(in + r * row, widened, width);
          RunWide<ReduceStripLoop<R<A>>>(&widened[0], &part[0], 1, width, 0);
        }
      } else {
        RunWide<ReduceStripLoop<R<A>>>(in, &part[0], count, width, row);
      }
      for (int64_t j = 0; j < kReduceStrip; ++j) {
        total[j] = R<A>::Combine(total[j], part[j]);
      }
    }
    std::copy_n(total, width, out + c);
  }
}

template <template <typename> class R, typename A, typename In>
void ReductionLoop(const void* x, void* out, int64_t outer, int64_t reduce,
                   int64_t inner, int64_t row) {
  constexpr int64_t kShortRun = 24;
  const In* in = static_cast<const In*>(x);
  A* to = static_cast<A*>(out);
  if (inner == 1 && row == 1 && reduce > 0 && reduce <= kShortRun) {
    return ReduceShortRuns<R, A>(in, outer, reduce, to);
  }
  for (int64_t o = 0; o < outer; ++o) {
    if (inner == 1 && row == 1) {
      to[o] = ReduceRun<R, A>(in + o * reduce, reduce);
    } else {
      ReduceColumns<R, A>(in + o * reduce * row, to + o * inner, reduce, inner,
                          row);
    }
  }
}

template <typename A, typename T>
void FinishByRounding(const void* sums, void* out, int64_t n, int64_t) {
  const A* in = static_cast<const A*>(sums);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(in[i]);
}

// Integers are divided as in C; the mean of no integers is 0.
template <typename A, typename T>
void FinishMean(const void* sums, void* out, int64_t n, int64_t count) {
  const A* in = static_cast<const A*>(sums);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<A>) {
      using Wide = std::conditional_t<std::is_signed_v<A>, int64_t, uint64_t>;
      to[i] = count == 0 ? T(0)
                         : static_cast<T>(static_cast<Wide>(in[i]) /
                                          static_cast<Wide>(count));
    } else if constexpr (functor::kIsComplex<A>) {
      to[i] = in[i] / static_cast<typename A::value_type>(count);
    } else {
      to[i] = static_cast<T>(in[i] / static_cast<A>(count));
    }
  }
}

template <template <typename> class R, typename T>
ReductionLoops LoopsOf() {
  using A = ComputeType<T>;
  return {&ReductionLoop<R, A, T>, &ReductionLoop<R, A, A>,
          &FinishByRounding<A, T>, DataTypeToEnum<A>::value};
}

// Integers are summed in 64 bits: a mean fits where its sum may not.
template <typename T>
struct MeanSumType {
  using type = ComputeType<T>;
};
template <std::signed_integral T>
struct MeanSumType<T> {
  using type = int64_t;
};
template <std::unsigned_integral T>
struct MeanSumType<T> {
  using type = uint64_t;
};

template <typename T>
ReductionLoops MeanLoopsOf() {
  using A = typename MeanSumType<T>::type;
  return {&ReductionLoop<SumReducer, A, T>, &ReductionLoop<SumReducer, A, A>,
          &FinishMean<A, T>, DataTypeToEnum<A>::value};
}

// ---- Kernels ---------------------------------------------------------------

// input, reduction_indices -> output; attr keep_dims.
class ReductionOpBase : public OpKernel {
 public:
  ReductionOpBase(OpKernelConstruction* ctx, const ReductionLoops& loops,
                  bool always_finishes);

  void Compute(OpKernelContext* ctx) override;

 private:
  const ReductionLoops loops_;
  // A mean divides at the end, even if its sums need no rounding to T.
  const bool always_finishes_;
  bool keep_dims_ = false;
};

template <template <typename> class R>
struct Reduction {
  template <typename T>
  class Op final : public ReductionOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : ReductionOpBase(ctx, LoopsOf<R, T>(), /*always_finishes=*/false) {}
  };
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_REDUCTION_OPS_H_
