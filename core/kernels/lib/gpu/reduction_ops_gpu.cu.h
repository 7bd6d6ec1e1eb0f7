// SPDX-License-Identifier: Apache-2.0
// Device code of reductions; included by reduction_ops_gpu_*.cu.cc.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_OPS_GPU_CU_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_OPS_GPU_CU_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/gpu/reduction_ops_gpu.h"
#include "core/lib/gpu/collectives.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {

// Reducers of values of type A: Initial(), which changes nothing; Load of an
// element; their combination; Finish with the number of elements.
namespace gpu_reducer {

template <typename A>
struct Plain {
  __device__ static A Load(A x) { return x; }
  __device__ static A Finish(A x, int64_t) { return x; }
};

template <typename A>
struct Sum : Plain<A> {
  __device__ static A Initial() { return A(0); }
  __device__ A operator()(A x, A y) const { return functor::Add<A>()(x, y); }
};

template <typename A>
struct Mean : Sum<A> {
  // The mean of no integers is 0, as on a CPU.
  __device__ static A Finish(A x, int64_t count) {
    if constexpr (std::is_integral_v<A>) {
      return count == 0 ? A(0) : static_cast<A>(x / count);
    } else {
      return x / static_cast<A>(count);
    }
  }
};

template <typename A>
struct Prod : Plain<A> {
  __device__ static A Initial() { return A(1); }
  __device__ A operator()(A x, A y) const { return functor::Mul<A>()(x, y); }
};

template <typename A>
struct Max : Plain<A> {
  __device__ static A Initial() {
    return std::numeric_limits<A>::has_infinity
               ? -std::numeric_limits<A>::infinity()
               : std::numeric_limits<A>::lowest();
  }
  __device__ A operator()(A x, A y) const {
    return functor::Maximum<A>()(x, y);
  }
};

template <typename A>
struct Min : Plain<A> {
  __device__ static A Initial() {
    return std::numeric_limits<A>::has_infinity
               ? std::numeric_limits<A>::infinity()
               : std::numeric_limits<A>::max();
  }
  __device__ A operator()(A x, A y) const {
    return functor::Minimum<A>()(x, y);
  }
};

template <typename A>
struct All : Plain<A> {
  __device__ static A Initial() { return true; }
  __device__ A operator()(A x, A y) const { return x && y; }
};

template <typename A>
struct Any : Plain<A> {
  __device__ static A Initial() { return false; }
  __device__ A operator()(A x, A y) const { return x || y; }
};

// Half the sum of squares.
template <typename A>
struct L2Loss : Sum<A> {
  __device__ static A Load(A x) { return x * x; }
  __device__ static A Finish(A x, int64_t) { return x * A(0.5); }
};

template <typename A>
struct EuclideanNorm : Sum<A> {
  __device__ static A Load(A x) { return x * x; }
  __device__ static A Finish(A x, int64_t) { return std::sqrt(x); }
};

}  // namespace gpu_reducer

namespace gpu {

template <template <typename> class R, typename T>
struct Reducing {
  using A = Compute<T>;

  __device__ static A Get(const void* x, int64_t i, bool from_sums) {
    if (from_sums) return static_cast<const A*>(x)[i];
    return R<A>::Load(Widen(static_cast<const T*>(x)[i]));
  }
  __device__ static void Put(const GpuReducePass& pass, A value, int64_t i,
                             void* out) {
    if (pass.to_result) {
      static_cast<T*>(out)[i] = Narrow<T>(R<A>::Finish(value, pass.count));
    } else {
      static_cast<A*>(out)[i] = value;
    }
  }
};

// The elements [begin, end) of a row, those of one thread of kTeam.  Elements
// that sixteen bytes hold are read at once where they are aligned.
template <template <typename> class R, typename T, int kTeam>
__device__ Compute<T> ReduceRun(const void* x, int64_t begin, int64_t end,
                                int member, bool from_sums) {
  using A = Compute<T>;
  using Self = Reducing<R, T>;
  constexpr int kN = kPack<T>;
  const R<A> combine;
  A sum = R<A>::Initial();
  const T* const elements = static_cast<const T*>(x);
  if (!from_sums && reinterpret_cast<uintptr_t>(elements) % 16 == 0) {
    const int64_t first = (begin + kN - 1) / kN, last = end / kN;
    if (first < last) {
      for (int64_t i = begin + member; i < first * kN; i += kTeam) {
        sum = combine(sum, Self::Get(x, i, false));
      }
      for (int64_t i = first + member; i < last; i += kTeam) {
        const auto pack = reinterpret_cast<const Pack<T, kN>*>(elements)[i];
        TW_UNROLL
        for (int j = 0; j < kN; ++j) {
          sum = combine(sum, R<A>::Load(Widen(pack.values[j])));
        }
      }
      begin = last * kN;
    }
  }
  for (int64_t i = begin + member; i < end; i += kTeam) {
    sum = combine(sum, Self::Get(x, i, from_sums));
  }
  return sum;
}

// inner is 1.  A team of kTeam threads, a warp or the block, reduces a piece of
// a row.
template <template <typename> class R, typename T, int kTeam>
__global__ void __launch_bounds__(kThreads)
    ReduceRowsKernel(GpuReducePass pass, const void* __restrict__ x,
                     void* __restrict__ out) {
  using A = Compute<T>;
  constexpr int kTeams = kThreads / kTeam;
  const int member = static_cast<int>(threadIdx.x % kTeam);
  const int64_t results = pass.outer * pass.pieces;
  const int64_t piece = (pass.reduce + pass.pieces - 1) / pass.pieces;
  for (int64_t r = int64_t{blockIdx.x} * kTeams + threadIdx.x / kTeam;
       r < results; r += int64_t{gridDim.x} * kTeams) {
    const int64_t o = r / pass.pieces, p = r - o * pass.pieces;
    int64_t begin = p * piece, end = begin + piece;
    if (begin > pass.reduce) begin = pass.reduce;
    if (end > pass.reduce) end = pass.reduce;
    const int64_t row = o * pass.reduce;
    A sum = ReduceRun<R, T, kTeam>(x, row + begin, row + end, member,
                                   pass.from_sums);
    if constexpr (kTeam == kWarp) {
      sum = WarpReduce(sum, R<A>());
    } else {
      sum = BlockReduce<kTeam>(sum, R<A>::Initial(), R<A>());
    }
    if (member == 0) Reducing<R, T>::Put(pass, sum, r, out);
  }
}

inline constexpr int kStrip = 32, kStripRows = 8;

// inner is more than 1.  A block reduces a piece of 32 columns, each by 8
// threads.
template <template <typename> class R, typename T>
__global__ void __launch_bounds__(kStrip* kStripRows)
    ReduceColumnsKernel(GpuReducePass pass, const void* __restrict__ x,
                        void* __restrict__ out) {
  using A = Compute<T>;
  GPU_SHARED(A, sums, kStrip * kStripRows);
  const R<A> combine;
  const int64_t strips = (pass.inner + kStrip - 1) / kStrip;
  const int64_t piece = (pass.reduce + pass.pieces - 1) / pass.pieces;
  const int64_t work = pass.outer * pass.pieces * strips;
  for (int64_t w = blockIdx.x; w < work; w += gridDim.x) {
    const int64_t op = w / strips;
    const int64_t column = (w - op * strips) * kStrip + threadIdx.x;
    const int64_t o = op / pass.pieces, p = op - o * pass.pieces;
    int64_t begin = p * piece, end = begin + piece;
    if (begin > pass.reduce) begin = pass.reduce;
    if (end > pass.reduce) end = pass.reduce;
    A sum = R<A>::Initial();
    if (column < pass.inner) {
      for (int64_t r = begin + threadIdx.y; r < end; r += kStripRows) {
        sum = combine(sum, Reducing<R, T>::Get(
                               x, (o * pass.reduce + r) * pass.inner + column,
                               pass.from_sums));
      }
    }
    sums[threadIdx.y * kStrip + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < pass.inner) {
      for (int y = 1; y < kStripRows; ++y) {
        sum = combine(sum, sums[y * kStrip + threadIdx.x]);
      }
      Reducing<R, T>::Put(pass, sum, op * pass.inner + column, out);
    }
    __syncthreads();
  }
}

}  // namespace gpu

template <template <typename> class R, typename T>
Status GpuReduce(CUstream_st* stream, const GpuReducePass& pass, const void* x,
                 void* out) {
  using gpu::kThreads;
  const int64_t results = pass.outer * pass.pieces;
  if (pass.inner > 1) {
    const int64_t strips = (pass.inner + gpu::kStrip - 1) / gpu::kStrip;
    return gpu::Launch(stream, gpu::Blocks(results * strips, 1),
                       dim3(gpu::kStrip, gpu::kStripRows), 0,
                       gpu::ReduceColumnsKernel<R, T>, pass, x, out);
  }
  if (pass.reduce / pass.pieces <= 1024) {
    return gpu::Launch(stream, gpu::Blocks(results * gpu::kWarp), kThreads, 0,
                       gpu::ReduceRowsKernel<R, T, gpu::kWarp>, pass, x, out);
  }
  return gpu::Launch(stream, gpu::Blocks(results, 1), kThreads, 0,
                     gpu::ReduceRowsKernel<R, T, kThreads>, pass, x, out);
}

#define TW_GPU_REDUCE(R, T)                                               \
  template Status GpuReduce<gpu_reducer::R, T>(CUstream_st * stream,      \
                                               const GpuReducePass& pass, \
                                               const void* x, void* out)
#define TW_GPU_REDUCE_FLOATS(R)    \
  TW_GPU_REDUCE(R, gpu::Half);     \
  TW_GPU_REDUCE(R, gpu::Bfloat16); \
  TW_GPU_REDUCE(R, float);         \
  TW_GPU_REDUCE(R, double)

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_REDUCTION_OPS_GPU_CU_H_
