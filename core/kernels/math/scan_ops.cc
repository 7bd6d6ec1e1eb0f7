// SPDX-License-Identifier: Apache-2.0
// Kernels of Cumsum, Cumprod and CumulativeLogsumexp.
//
// x is seen as [outer, n, inner], and out[o, i, j] combines x[o, 0..i, j]. Rows
// (inner = 1) are scanned as chains, several at once, and columns side by side,
// as vectors.  A long row is cut into blocks.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/kernels/math/scan_ops_shapes.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The kind of a scan: whether it leaves out the element itself, and from which
// end it goes.
struct ScanKind {
  bool exclusive = false;
  bool reverse = false;

  int64_t step() const { return reverse ? -1 : 1; }
  // Returns the place, among n elements, at which the scan begins.
  int64_t first(int64_t n) const { return reverse ? n - 1 : 0; }
};

// Does kChains scans at once, `apart` elements from one another, because a
// single one waits for each combination before the next.  x and out point to
// the places where the scans begin; `sums` holds the values they begin with,
// and then their results.
template <class Reducer, int kChains>
struct ScanChainsLoop {
  template <typename C>
  TW_WIDE_LOOP static void Run(const C* x, C* out, C* sums, int64_t n,
                               int64_t apart, int64_t step, bool exclusive) {
    C sum[kChains];
#pragma GCC unroll 4
    for (int c = 0; c < kChains; ++c) sum[c] = sums[c];
    for (int64_t k = 0; k < n; ++k, x += step, out += step) {
#pragma GCC unroll 4
      for (int c = 0; c < kChains; ++c) {
        const C next = Reducer::Combine(sum[c], x[c * apart]);
        out[c * apart] = exclusive ? sum[c] : next;
        sum[c] = next;
      }
    }
#pragma GCC unroll 4
    for (int c = 0; c < kChains; ++c) sums[c] = sum[c];
  }
};

constexpr int64_t kMostChains = 4;

template <class Reducer, typename C>
void ScanChains(const C* x, C* out, C* sums, int64_t chains, int64_t n,
                int64_t apart, int64_t step, bool exclusive) {
  int64_t c = 0;
  for (; c + kMostChains <= chains; c += kMostChains) {
    RunWide<ScanChainsLoop<Reducer, kMostChains>>(
        x + c * apart, out + c * apart, sums + c, n, apart, step, exclusive);
  }
  for (; c < chains; ++c) {
    RunWide<ScanChainsLoop<Reducer, 1>>(x + c * apart, out + c * apart,
                                        sums + c, n, apart, step, exclusive);
  }
}

// Scans rows of n elements, each from its value in `sums`, which becomes the
// row's result.  The rows are `apart` elements from one another; if that is
// negative, each lies before the last.
template <template <typename> class R, typename T>
void ScanRows(const T* x, T* out, ComputeType<T>* sums, int64_t rows, int64_t n,
              int64_t apart, ScanKind kind) {
  using C = ComputeType<T>;
  if constexpr (kIsNarrowFloat<T>) {
    float block[kMostChains][kWidenBlock];
    for (int64_t r = 0; r < rows; r += kMostChains) {
      const int64_t count = std::min(kMostChains, rows - r);
      for (int64_t done = 0; done < n; done += kWidenBlock) {
        const int64_t m = std::min(kWidenBlock, n - done);
        const int64_t at = r * apart + (kind.reverse ? n - done - m : done);
        for (int64_t i = 0; i < count; ++i) {
          WidenFloats(x + at + i * apart, block[i], m);
        }
        float* first = &block[0][kind.first(m)];
        ScanChains<R<C>>(first, first, sums + r, count, m, kWidenBlock,
                         kind.step(), kind.exclusive);
        for (int64_t i = 0; i < count; ++i) {
          NarrowFloats(block[i], out + at + i * apart, m);
        }
      }
    }
  } else {
    const int64_t first = kind.first(n);
    ScanChains<R<C>>(x + first, out + first, sums, rows, n, apart, kind.step(),
                     kind.exclusive);
  }
}

// Scans columns side by side: combines sums[j] with element j of row after row.
template <class Reducer>
struct ScanColumnsLoop {
  template <typename C>
  TW_WIDE_LOOP static void Run(const C* x, C* out, C* sums, int64_t rows,
                               int64_t width, int64_t row, bool exclusive) {
    for (int64_t r = 0; r < rows; ++r, x += row, out += row) {
      if (exclusive) {
        TW_VECTORIZE
        for (int64_t j = 0; j < width; ++j) {
          const C sum = sums[j];
          sums[j] = Reducer::Combine(sum, x[j]);
          out[j] = sum;
        }
      } else {
        TW_VECTORIZE
        for (int64_t j = 0; j < width; ++j) {
          sums[j] = Reducer::Combine(sums[j], x[j]);
          out[j] = sums[j];
        }
      }
    }
  }
};

// A strip of columns whose sums stay in the first-level cache.
constexpr int64_t kScanStrip = kWidenBlock;
// Fewer columns than these are scanned as chains, not as vectors.
constexpr int64_t kFewColumns = 8;

// Scans `width` columns of n rows of `row` elements.
template <template <typename> class R, typename T>
void ScanColumns(const T* x, T* out, int64_t n, int64_t row, int64_t width,
                 ScanKind kind) {
  using C = ComputeType<T>;
  C sums[kScanStrip];
  const int64_t step = kind.step() * row, first = kind.first(n) * row;
  x += first;
  out += first;
  for (int64_t j = 0; j < width; j += kScanStrip) {
    const int64_t m = std::min(kScanStrip, width - j);
    std::fill_n(sums, m, R<C>::Initial());
    if constexpr (kIsNarrowFloat<T>) {
      float block[kWidenBlock];
      for (int64_t k = 0; k < n; ++k) {
        WidenFloats(x + j + k * step, block, m);
        RunWide<ScanColumnsLoop<R<C>>>(&block[0], &block[0], &sums[0],
                                       int64_t{1}, m, int64_t{0},
                                       kind.exclusive);
        NarrowFloats(block, out + j + k * step, m);
      }
    } else if (m < kFewColumns) {
      ScanChains<R<C>>(x + j, out + j, sums, m, n, 1, step, kind.exclusive);
    } else {
      RunWide<ScanColumnsLoop<R<C>>>(x + j, out + j, &sums[0], n, m, step,
                                     kind.exclusive);
    }
  }
}

// ---- A row so long that it is shared out -----------------------------------

// Blocks have one size whatever the number of threads, so that the results do
// not depend on it.  The size is not a power of two, with which chains would
// share the sets of a cache.
constexpr int64_t kScanBlock = 16000;
// So many blocks are read twice, the second time from a cache.
constexpr int64_t kBlocksAtOnce = 64;
// A row of this many elements is long.
constexpr int64_t kLongRow = 4 * kScanBlock;
constexpr int64_t kFewRows = 16;  // More are enough for all threads.

// Totals of floats are taken in doubles, so that a block begins with no more
// error than a chain has there.
template <typename C>
using BlockTotal = std::conditional_t<std::is_same_v<C, float>, double, C>;

// Products of floats stay one chain, because the product of a block may leave
// the range of numbers where the chain does not.
template <template <typename> class R, typename T>
constexpr bool CanShareRow() {
  using C = ComputeType<T>;
  return std::is_integral_v<C> || std::is_same_v<R<C>, SumReducer<C>>;
}

template <typename C>
bool IsFinite(C sum) {
  if constexpr (functor::kIsComplex<C>) {
    return std::isfinite(sum.real()) && std::isfinite(sum.imag());
  } else if constexpr (std::is_floating_point_v<C>) {
    return std::isfinite(sum);
  } else {
    return true;
  }
}

// Finds the totals of blocks first, then scans each block from the total before
// it.
template <template <typename> class R, typename T>
void ScanLongRow(OpKernelContext* ctx, const T* x, T* out, int64_t n,
                 ScanKind kind) {
  using C = ComputeType<T>;
  using Total = BlockTotal<C>;
  const auto start = [n, kind](int64_t block) {
    const int64_t at = block * kScanBlock;
    return kind.reverse ? n - at - kScanBlock : at;
  };
  const int64_t blocks = n / kScanBlock;
  Total totals[kBlocksAtOnce];
  C sums[kBlocksAtOnce];
  Total sum = R<Total>::Initial();  // The blocks before.
  C last_sum = R<C>::Initial();     // The last element of those blocks' scan.
  int64_t done = 0;
  // A sum that is not finite may have left the range only within its block, so
  // the rest is done as one chain.
  for (bool finite = true; finite && done < blocks;) {
    int64_t count = std::min(kBlocksAtOnce, blocks - done);
    ParallelFor(ctx, count, kScanBlock, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        totals[b] = ReduceRun<R, Total>(x + start(done + b), kScanBlock);
      }
    });
    for (int64_t b = 0; b < count; ++b) {
      sums[b] = static_cast<C>(sum);
      finite = IsFinite(sums[b]);
      if (!finite) count = b;
      sum = R<Total>::Combine(sum, totals[b]);
    }
    if (count == 0) break;
    ParallelFor(ctx, count, 2 * kScanBlock, [&](int64_t begin, int64_t end) {
      const int64_t at = start(done + begin);
      ScanRows<R>(x + at, out + at, sums + begin, end - begin, kScanBlock,
                  kind.step() * kScanBlock, kind);
    });
    last_sum = sums[count - 1];
    done += count;
  }
  const int64_t rest = n - done * kScanBlock;
  const int64_t at = kind.reverse ? 0 : n - rest;
  ScanRows<R>(x + at, out + at, &last_sum, 1, rest, rest, kind);
}

// ---- Kernels ---------------------------------------------------------------

// The loops for one type.
struct ScanLoops {
  // Scans rows of n elements.
  void (*rows)(const void* x, void* out, int64_t rows, int64_t n,
               ScanKind kind);
  // Scans `width` columns of n rows of `row` elements.
  void (*columns)(const void* x, void* out, int64_t n, int64_t row,
                  int64_t width, ScanKind kind);
  // Scans one row on several threads; null if it must be one chain.
  void (*long_row)(OpKernelContext* ctx, const void* x, void* out, int64_t n,
                   ScanKind kind);
};

template <template <typename> class R, typename T>
ScanLoops ScanLoopsOf() {
  using C = ComputeType<T>;
  ScanLoops loops;
  loops.rows = [](const void* x, void* out, int64_t rows, int64_t n,
                  ScanKind kind) {
    C sums[kMostChains];
    for (int64_t r = 0; r < rows; r += kMostChains) {
      std::fill_n(sums, kMostChains, R<C>::Initial());
      ScanRows<R>(static_cast<const T*>(x) + r * n,
                  static_cast<T*>(out) + r * n, sums,
                  std::min(kMostChains, rows - r), n, n, kind);
    }
  };
  loops.columns = [](const void* x, void* out, int64_t n, int64_t row,
                     int64_t width, ScanKind kind) {
    ScanColumns<R>(static_cast<const T*>(x), static_cast<T*>(out), n, row,
                   width, kind);
  };
  loops.long_row = nullptr;
  if constexpr (CanShareRow<R, T>()) {
    loops.long_row = [](OpKernelContext* ctx, const void* x, void* out,
                        int64_t n, ScanKind kind) {
      ScanLongRow<R>(ctx, static_cast<const T*>(x), static_cast<T*>(out), n,
                     kind);
    };
  }
  return loops;
}

}  // namespace

class ScanOpBase : public OpKernel {
 public:
  ScanOpBase(OpKernelConstruction* ctx, const ScanLoops& loops)
      : OpKernel(ctx), loops_(loops) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("exclusive", &kind_.exclusive));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("reverse", &kind_.reverse));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    ScanShape scan;
    OP_REQUIRES_OK(ctx, ResolveScan(x.shape(), ctx->input(1), &scan));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &out));
    if (out->NumElements() == 0) return;
    const int64_t outer = scan.outer, n = scan.n, inner = scan.inner;
    if (inner > 1) {
      Columns(ctx, x, outer, n, inner, out);
    } else {
      Rows(ctx, x, outer, n, out);
    }
  }

 private:
  void Rows(OpKernelContext* ctx, const Tensor& x, int64_t outer, int64_t n,
            Tensor* out) const {
    const int64_t bytes = n * DataTypeSize(x.dtype());
    if (loops_.long_row != nullptr && outer < kFewRows && n >= kLongRow) {
      for (int64_t r = 0; r < outer; ++r) {
        loops_.long_row(ctx, x.base<char>() + r * bytes,
                        out->base<char>() + r * bytes, n, kind_);
      }
      return;
    }
    const int64_t groups = (outer + kMostChains - 1) / kMostChains;
    const auto run = [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kMostChains;
      loops_.rows(x.base<char>() + first * bytes,
                  out->base<char>() + first * bytes,
                  std::min(end * kMostChains, outer) - first, n, kind_);
    };
    ParallelFor(ctx, groups, 2 * kMostChains * n, run);
  }

  void Columns(OpKernelContext* ctx, const Tensor& x, int64_t outer, int64_t n,
               int64_t inner, Tensor* out) const {
    const int64_t size = DataTypeSize(x.dtype());
    const auto run = [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t column = begin % inner;
        const int64_t width = std::min(inner - column, end - begin);
        const int64_t at = (begin / inner * n * inner + column) * size;
        loops_.columns(x.base<char>() + at, out->base<char>() + at, n, inner,
                       width, kind_);
        begin += width;
      }
    };
    ParallelFor(ctx, outer * inner, n, run);
  }

  const ScanLoops loops_;
  ScanKind kind_;
};

template <template <typename> class R>
struct Scan {
  template <typename T>
  class Op final : public ScanOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : ScanOpBase(ctx, ScanLoopsOf<R, T>()) {}
  };
};

REGISTER_KERNEL_FOR_TYPES(Name("Cumsum").Device(DEVICE_CPU).HostMemory("axis"),
                          "T", Scan<SumReducer>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Cumprod").Device(DEVICE_CPU).HostMemory("axis"),
                          "T", Scan<ProdReducer>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("CumulativeLogsumexp").Device(DEVICE_CPU).HostMemory("axis"), "T",
    Scan<LogSumExpReducer>::Op, Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
