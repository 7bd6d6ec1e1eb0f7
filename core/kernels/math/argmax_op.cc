// SPDX-License-Identifier: Apache-2.0
// Kernels of ArgMax and ArgMin.

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/math/argmax_op_shapes.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Sets index[o, i] to the first place at which x[o, :, i] is most extreme; a
// NaN never is.  x: [outer, n, inner].  A piece of the work is a strip of
// columns of one o; the function does pieces [begin, end).
using ArgLoopFn = void (*)(const void* x, int64_t* index, int64_t begin,
                           int64_t end, int64_t n, int64_t inner);

// So many columns side by side stay in the first-level cache.
constexpr int64_t kStrip = 256;

// Returns the index of one row, x[offset, offset + n), sharing the work out
// over threads.
using LongRowFn = int64_t (*)(OpKernelContext* ctx, const void* x,
                              int64_t offset, int64_t n);

// Each row is shared out over threads if there are fewer rows than kFewRows,
// and of more than kLongRow elements.
constexpr int64_t kFewRows = 8, kLongRow = 1 << 16;

int64_t StripsOf(int64_t inner) { return (inner + kStrip - 1) / kStrip; }

// A number as wide as T that counts places, so that vectors of both have as
// many lanes.
template <typename T>
using RowNumber = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

// A value that loses to everything but NaN and the infinity beyond it.
template <typename C, bool kMax>
constexpr C kWorst = kMax ? std::numeric_limits<C>::lowest()
                          : std::numeric_limits<C>::max();

// Finds the most extreme value of x[0, n), or kWorst, by chains that vectorise.
template <bool kMax>
struct ExtremeLoop {
  template <typename T>
  TW_WIDE_LOOP static ComputeType<T> Run(const T* x, int64_t n) {
    using C = ComputeType<T>;
    constexpr int kChains = 128 / sizeof(C);
    C chains[kChains];
    for (C& chain : chains) chain = kWorst<C, kMax>;
    int64_t i = 0;
    for (; i + kChains <= n; i += kChains) {
      TW_VECTORIZE
      for (int j = 0; j < kChains; ++j) {
        const C value = static_cast<C>(x[i + j]), old = chains[j];
        chains[j] = (kMax ? value > old : value < old) ? value : old;
      }
    }
    C best = kWorst<C, kMax>;
    for (; i < n; ++i) {
      const C value = static_cast<C>(x[i]);
      best = (kMax ? value > best : value < best) ? value : best;
    }
    for (const C value : chains) {
      best = (kMax ? value > best : value < best) ? value : best;
    }
    return best;
  }
};

// The first place in x[0, n) that has `wanted`; n if none has.
struct FindLoop {
  template <typename T, typename C>
  TW_WIDE_LOOP static int64_t Run(const T* x, int64_t n, C wanted) {
    constexpr int kStep = 128 / sizeof(C);
    int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
      RowNumber<C> hits = 0;
      TW_VECTORIZE
      for (int j = 0; j < kStep; ++j) {
        hits += static_cast<C>(x[i + j]) == wanted ? 1 : 0;
      }
      if (hits != 0) break;
    }
    while (i < n && !(static_cast<C>(x[i]) == wanted)) ++i;
    return i;
  }
};

// Finds the extreme value block by block, then the first place that has it in
// its block: x is read from memory once.
template <typename T, bool kMax>
int64_t ArgOfRow(const T* x, int64_t n) {
  using C = ComputeType<T>;
  constexpr int64_t kBlock = 8192 / sizeof(T);
  C best = kWorst<C, kMax>;
  // If no value beats kWorst, its first place may be anywhere in the row.
  int64_t begin = 0, end = n;
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t size = std::min(kBlock, n - i);
    const C value = RunWide<ExtremeLoop<kMax>>(x + i, size);
    if (kMax ? value > best : value < best) {
      best = value, begin = i, end = i + size;
    }
  }
  const int64_t at = begin + RunWide<FindLoop>(x + begin, end - begin, best);
  // The row has nothing but NaN, or infinities of the wrong sign.
  return at < n ? at : 0;
}

// Does the same for a row that is worth sharing out: finds the best of each
// piece, then the best of those.
template <typename T, bool kMax>
int64_t ArgOfLongRow(OpKernelContext* ctx, const void* x, int64_t offset,
                     int64_t n) {
  constexpr int64_t kMostPieces = 64, kLeastPiece = 16384;
  const T* const row = static_cast<const T*>(x) + offset;
  const int64_t piece =
      std::max(kLeastPiece, (n + kMostPieces - 1) / kMostPieces);
  const int64_t pieces = (n + piece - 1) / piece;
  int64_t places[kMostPieces];
  T values[kMostPieces];
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t from = p * piece;
      places[p] =
          from + ArgOfRow<T, kMax>(row + from, std::min(piece, n - from));
      values[p] = row[places[p]];
    }
  };
  ParallelFor(ctx, pieces, piece, run);
  return places[ArgOfRow<T, kMax>(values, pieces)];
}

// Updates best[j] and at[j] for columns x[r * stride + j], 0 <= r < rows, 0 <=
// j < width; the caller sets them to kWorst and 0 first.
template <bool kMax>
struct ArgColumnsLoop {
  template <typename T, typename C, typename N>
  TW_WIDE_LOOP static void Run(const T* x, int64_t stride, int64_t rows,
                               int64_t width, C* best, N* at) {
    for (int64_t r = 0; r < rows; ++r, x += stride) {
      TW_VECTORIZE
      for (int64_t j = 0; j < width; ++j) {
        const C value = static_cast<C>(x[j]), old = best[j];
        const bool better = kMax ? value > old : value < old;
        best[j] = better ? value : old;
        at[j] = better ? static_cast<N>(r) : at[j];
      }
    }
  }
};

// Does one strip of `width` columns, as many rows at a time as a RowNumber
// counts.
template <typename T, bool kMax>
void ArgOfColumns(const T* x, int64_t n, int64_t inner, int64_t width,
                  int64_t* index) {
  using C = ComputeType<T>;
  using N = RowNumber<C>;
  constexpr int64_t kMostRows = int64_t{1}
                                << std::min<size_t>(8 * sizeof(N), 30);
  C best[kStrip], block[kStrip];
  N at[kStrip];
  std::fill_n(best, width, kWorst<C, kMax>);
  std::fill_n(index, width, 0);
  for (int64_t r = 0; r < n; r += kMostRows) {
    std::fill_n(block, width, kWorst<C, kMax>);
    std::fill_n(at, width, N(0));
    RunWide<ArgColumnsLoop<kMax>>(x + r * inner, inner,
                                  std::min(kMostRows, n - r), width, &block[0],
                                  &at[0]);
    for (int64_t j = 0; j < width; ++j) {
      if (kMax ? block[j] > best[j] : block[j] < best[j]) {
        best[j] = block[j];
        index[j] = r + static_cast<int64_t>(at[j]);
      }
    }
  }
}

template <typename T, bool kMax>
void ArgLoop(const void* x, int64_t* index, int64_t begin, int64_t end,
             int64_t n, int64_t inner) {
  const T* in = static_cast<const T*>(x);
  const int64_t strips = StripsOf(inner);
  for (int64_t k = begin; k < end; ++k) {
    if (inner == 1) {
      index[k] = ArgOfRow<T, kMax>(in + k * n, n);
      continue;
    }
    const int64_t o = k / strips, c = k % strips * kStrip;
    ArgOfColumns<T, kMax>(in + o * n * inner + c, n, inner,
                          std::min(kStrip, inner - c), index + o * inner + c);
  }
}

template <typename To>
void Narrow(const Tensor& from, Tensor* to) {
  const auto in = Flat<int64_t>(from);
  const auto out = Flat<To>(to);
  for (size_t i = 0; i < in.size(); ++i) out[i] = static_cast<To>(in[i]);
}

}  // namespace

class ArgOpBase : public OpKernel {
 public:
  ArgOpBase(OpKernelConstruction* ctx, ArgLoopFn loop, LongRowFn long_row)
      : OpKernel(ctx), loop_(loop), long_row_(long_row) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& dimension = ctx->input(1);
    ArgShape arg;
    OP_REQUIRES_OK(ctx, ResolveArg(x.shape(), dimension, &arg));
    const TensorShape& shape = arg.shape;
    const int64_t outer = arg.outer, inner = arg.inner, n = arg.n;
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    Tensor index = *output;
    if (output->dtype() != DT_INT64) {
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_INT64, shape, &index));
    }
    if (inner == 1 && outer < kFewRows && n > kLongRow) {
      for (int64_t i = 0; i < outer; ++i) {
        index.base<int64_t>()[i] = long_row_(ctx, x.base<char>(), i * n, n);
      }
    } else {
      const auto run = [&](int64_t begin, int64_t end) {
        loop_(x.base<char>(), index.base<int64_t>(), begin, end, n, inner);
      };
      ParallelFor(ctx, outer * StripsOf(inner), n * std::min(inner, kStrip),
                  run);
    }
    if (output->dtype() == DT_INT32) {
      Narrow<int32>(index, output);
    } else if (output->dtype() == DT_INT16) {
      Narrow<int16>(index, output);
    } else if (output->dtype() == DT_UINT16) {
      Narrow<uint16>(index, output);
    }
  }

 private:
  const ArgLoopFn loop_;
  const LongRowFn long_row_;
};

template <typename T>
class ArgMaxOp final : public ArgOpBase {
 public:
  explicit ArgMaxOp(OpKernelConstruction* ctx)
      : ArgOpBase(ctx, &ArgLoop<T, true>, &ArgOfLongRow<T, true>) {}
};

template <typename T>
class ArgMinOp final : public ArgOpBase {
 public:
  explicit ArgMinOp(OpKernelConstruction* ctx)
      : ArgOpBase(ctx, &ArgLoop<T, false>, &ArgOfLongRow<T, false>) {}
};

REGISTER_KERNEL_FOR_TYPES(
    Name("ArgMax").Device(DEVICE_CPU).HostMemory("dimension"), "T", ArgMaxOp,
    bool, int8, int16, int32, int64_t, uint8, uint16, uint32, uint64,
    Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(
    Name("ArgMin").Device(DEVICE_CPU).HostMemory("dimension"), "T", ArgMinOp,
    bool, int8, int16, int32, int64_t, uint8, uint16, uint32, uint64,
    Eigen::half, Eigen::bfloat16, float, double);

}  // namespace tensorwright
