// SPDX-License-Identifier: Apache-2.0
// Device code of elementwise loops; included by cwise_ops_*_gpu.cu.cc.
//
// Memory bounds the speed of such loops, so each thread moves sixteen bytes at
// a time where the pointers allow it, in a grid-stride loop over enough blocks
// to fill the device.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_GPU_CU_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_GPU_CU_H_

#include <cstdint>
#include <type_traits>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/gpu/cwise_ops_gpu.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace gpu {

// The type in which a result is stored: T, or bool for a comparison.
template <typename T, typename Result>
using OutputType = std::conditional_t<std::is_same_v<Result, bool>, bool, T>;

template <template <typename> class F, typename T, typename Out>
__global__ void __launch_bounds__(kThreads)
    UnaryKernel(const T* __restrict__ x, Out* __restrict__ y, int64_t n,
                bool packed) {
  constexpr int kN = kPack<T>;
  const F<Compute<T>> f;
  const int64_t first = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  const int64_t packs = packed ? n / kN : 0;
  for (int64_t i = first; i < packs; i += step) {
    const auto in = reinterpret_cast<const Pack<T, kN>*>(x)[i];
    Pack<Out, kN> out;
    TW_UNROLL
    for (int j = 0; j < kN; ++j) {
      out.values[j] = Narrow<Out>(f(Widen(in.values[j])));
    }
    reinterpret_cast<Pack<Out, kN>*>(y)[i] = out;
  }
  for (int64_t i = packs * kN + first; i < n; i += step) {
    y[i] = Narrow<Out>(f(Widen(x[i])));
  }
}

template <template <typename> class F, typename T, typename Out>
__global__ void __launch_bounds__(kThreads)
    BinaryKernel(const T* x, const T* y, Out* z, int64_t n, bool packed) {
  constexpr int kN = kPack<T>;
  const F<Compute<T>> f;
  const int64_t first = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  const int64_t packs = packed ? n / kN : 0;
  for (int64_t i = first; i < packs; i += step) {
    const auto a = reinterpret_cast<const Pack<T, kN>*>(x)[i];
    const auto b = reinterpret_cast<const Pack<T, kN>*>(y)[i];
    Pack<Out, kN> out;
    TW_UNROLL
    for (int j = 0; j < kN; ++j) {
      out.values[j] = Narrow<Out>(f(Widen(a.values[j]), Widen(b.values[j])));
    }
    reinterpret_cast<Pack<Out, kN>*>(z)[i] = out;
  }
  for (int64_t i = packs * kN + first; i < n; i += step) {
    z[i] = Narrow<Out>(f(Widen(x[i]), Widen(y[i])));
  }
}

// GpuBroadcast as a kernel takes it.
template <typename Index>
struct FoldedBroadcast {
  explicit FoldedBroadcast(const GpuBroadcast& from) : rank(from.rank) {
    for (int d = 0; d < rank; ++d) {
      sizes[d] = Divider<Index>(from.sizes[d]);
      x_strides[d] = from.x_strides[d];
      y_strides[d] = from.y_strides[d];
    }
  }
  int rank;
  Divider<Index> sizes[GpuBroadcast::kMaxRank];
  int64_t x_strides[GpuBroadcast::kMaxRank];
  int64_t y_strides[GpuBroadcast::kMaxRank];
};

// Divisions of indices take most of this loop's time.
template <template <typename> class F, typename T, typename Out, typename Index>
__global__ void __launch_bounds__(kThreads)
    BroadcastKernel(const T* x, const T* y, Out* z, int64_t n,
                    FoldedBroadcast<Index> shape) {
  const F<Compute<T>> f;
  const Index step = GridStep<Index>(), end = static_cast<Index>(n);
  for (Index i = GridFirst<Index>(); i < end; i += step) {
    Index rest = i;
    int64_t at_x = 0, at_y = 0;
    for (int d = shape.rank - 1; d > 0; --d) {
      Index index;
      shape.sizes[d].Divide(rest, &rest, &index);
      at_x += index * shape.x_strides[d];
      at_y += index * shape.y_strides[d];
    }
    at_x += rest * shape.x_strides[0];
    at_y += rest * shape.y_strides[0];
    z[i] = Narrow<Out>(f(Widen(x[at_x]), Widen(y[at_y])));
  }
}

}  // namespace gpu

template <template <typename> class F, typename T>
Status GpuUnary(CUstream_st* stream, const void* x, void* y, int64_t n) {
  using C = gpu::Compute<T>;
  using Out = gpu::OutputType<T, decltype(F<C>()(C()))>;
  constexpr int kN = gpu::kPack<T>;
  const bool packed =
      gpu::IsPackAligned<T, kN>(x) && gpu::IsPackAligned<Out, kN>(y);
  const int64_t items = packed ? (n + kN - 1) / kN : n;
  return gpu::Launch(stream, gpu::Blocks(items), gpu::kThreads, 0,
                     gpu::UnaryKernel<F, T, Out>, static_cast<const T*>(x),
                     static_cast<Out*>(y), n, packed);
}

template <template <typename> class F, typename T>
Status GpuBinary(CUstream_st* stream, const void* x, const void* y, void* z,
                 int64_t n, const GpuBroadcast* broadcast) {
  using C = gpu::Compute<T>;
  using Out = gpu::OutputType<T, decltype(F<C>()(C(), C()))>;
  constexpr int kN = gpu::kPack<T>;
  const T* a = static_cast<const T*>(x);
  const T* b = static_cast<const T*>(y);
  Out* out = static_cast<Out*>(z);
  if (broadcast == nullptr) {
    const bool packed = gpu::IsPackAligned<T, kN>(x) &&
                        gpu::IsPackAligned<T, kN>(y) &&
                        gpu::IsPackAligned<Out, kN>(z);
    const int64_t items = packed ? (n + kN - 1) / kN : n;
    return gpu::Launch(stream, gpu::Blocks(items), gpu::kThreads, 0,
                       gpu::BinaryKernel<F, T, Out>, a, b, out, n, packed);
  }
  const auto launch = [=]<typename Index>(Index) {
    return gpu::Launch(stream, gpu::Blocks(n), gpu::kThreads, 0,
                       gpu::BroadcastKernel<F, T, Out, Index>, a, b, out, n,
                       gpu::FoldedBroadcast<Index>(*broadcast));
  };
  return gpu::FitsIndex32(n) ? launch(uint32_t{}) : launch(uint64_t{});
}

// The types that a row of cwise_table.h names.
template <typename... T>
struct GpuTypes {};
namespace gpu_types {
using None = GpuTypes<>;
using Bools = GpuTypes<bool>;
using Floats = GpuTypes<gpu::Half, gpu::Bfloat16, float, double>;
using Numbers = GpuTypes<gpu::Half, gpu::Bfloat16, float, double, int64_t>;
using NumbersAndHostInt32 = Numbers;
}  // namespace gpu_types

// Instantiates the loops of a functor for these types; used at file scope as
//   template struct InstantiateUnary<functor::Neg, gpu_types::Floats>;
// A function names the loops: nvcc makes no device code for those that only the
// initialiser of a static member names.
template <template <typename> class F, class Types>
struct InstantiateUnary;
template <template <typename> class F, typename... T>
struct InstantiateUnary<F, GpuTypes<T...>> {
  static void Name([[maybe_unused]] GpuUnaryFn* functions) {
    ((*functions++ = &GpuUnary<F, T>), ...);
  }
};
template <template <typename> class F, class Types>
struct InstantiateBinary;
template <template <typename> class F, typename... T>
struct InstantiateBinary<F, GpuTypes<T...>> {
  static void Name([[maybe_unused]] GpuBinaryFn* functions) {
    ((*functions++ = &GpuBinary<F, T>), ...);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_GPU_CU_H_
