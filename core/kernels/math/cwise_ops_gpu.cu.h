// SPDX-License-Identifier: Apache-2.0
// Device code of elementwise loops; included by cwise_ops_*_gpu.cu.cc.
//
// Memory bounds the speed of such loops, so each thread moves sixteen bytes at
// a time where the pointers allow it, in a grid-stride loop over enough blocks
// to fill the device.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_GPU_CU_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_GPU_CU_H_

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/math/cwise_ops_gpu.h"

namespace tensorwright {
namespace gpu {

// The type that a functor computes in.
template <typename T>
struct ComputeTypeOf {
  using type = T;
};
template <>
struct ComputeTypeOf<GpuHalf> {
  using type = float;
};
template <>
struct ComputeTypeOf<GpuBfloat16> {
  using type = float;
};
template <typename T>
using ComputeType = typename ComputeTypeOf<T>::type;

template <typename T>
__device__ inline ComputeType<T> Widen(T x) {
  if constexpr (std::is_same_v<T, GpuHalf>) {
    return __half2float(__ushort_as_half(x.bits));
  } else if constexpr (std::is_same_v<T, GpuBfloat16>) {
    return __bfloat162float(__ushort_as_bfloat16(x.bits));
  } else {
    return x;
  }
}

template <typename T, typename C>
__device__ inline T Narrow(C x) {
  if constexpr (std::is_same_v<T, GpuHalf>) {
    return GpuHalf{__half_as_ushort(__float2half_rn(x))};
  } else if constexpr (std::is_same_v<T, GpuBfloat16>) {
    return GpuBfloat16{__bfloat16_as_ushort(__float2bfloat16_rn(x))};
  } else {
    return x;
  }
}

// The type in which a result is stored: T, or bool for a comparison.
template <typename T, typename Result>
using OutputType = std::conditional_t<std::is_same_v<Result, bool>, bool, T>;

// As many elements as make sixteen bytes.
template <typename T, int kN>
struct alignas(sizeof(T) * kN) Pack {
  T values[kN];
};
template <typename T>
inline constexpr int kPack = 16 / sizeof(T);

inline constexpr int kThreads = 256;

// Returns how many blocks to start for the work of `items` threads: at most as
// many as keep the device busy.
inline int Blocks(int64_t items) {
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int64_t wanted = (items + kThreads - 1) / kThreads;
  const int64_t enough = static_cast<int64_t>(processors) * 16;
  return static_cast<int>(wanted < enough ? wanted : enough);
}

template <typename T, int kN>
bool IsPackAligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % alignof(Pack<T, kN>) == 0;
}

template <template <typename> class F, typename T, typename Out>
__global__ void __launch_bounds__(kThreads)
    UnaryKernel(const T* __restrict__ x, Out* __restrict__ y, int64_t n,
                bool packed) {
  constexpr int kN = kPack<T>;
  const F<ComputeType<T>> f;
  const int64_t first = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  const int64_t packs = packed ? n / kN : 0;
  for (int64_t i = first; i < packs; i += step) {
    const auto in = reinterpret_cast<const Pack<T, kN>*>(x)[i];
    Pack<Out, kN> out;
#pragma unroll
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
  const F<ComputeType<T>> f;
  const int64_t first = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  const int64_t packs = packed ? n / kN : 0;
  for (int64_t i = first; i < packs; i += step) {
    const auto a = reinterpret_cast<const Pack<T, kN>*>(x)[i];
    const auto b = reinterpret_cast<const Pack<T, kN>*>(y)[i];
    Pack<Out, kN> out;
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      out.values[j] = Narrow<Out>(f(Widen(a.values[j]), Widen(b.values[j])));
    }
    reinterpret_cast<Pack<Out, kN>*>(z)[i] = out;
  }
  for (int64_t i = packs * kN + first; i < n; i += step) {
    z[i] = Narrow<Out>(f(Widen(x[i]), Widen(y[i])));
  }
}

// Index has 32 bits if that is enough, because divisions of indices take most
// of this loop's time.
template <template <typename> class F, typename T, typename Out, typename Index>
__global__ void __launch_bounds__(kThreads)
    BroadcastKernel(const T* x, const T* y, Out* z, int64_t n,
                    GpuBroadcast shape) {
  const F<ComputeType<T>> f;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x; i < n;
       i += step) {
    Index rest = static_cast<Index>(i);
    int64_t at_x = 0, at_y = 0;
    for (int d = shape.rank - 1; d >= 0; --d) {
      const Index size = static_cast<Index>(shape.sizes[d]);
      const Index next = rest / size;
      const int64_t index = rest - next * size;
      at_x += index * shape.x_strides[d];
      at_y += index * shape.y_strides[d];
      rest = next;
    }
    z[i] = Narrow<Out>(f(Widen(x[at_x]), Widen(y[at_y])));
  }
}

}  // namespace gpu

template <template <typename> class F, typename T>
int GpuUnary(CUstream_st* stream, const void* x, void* y, int64_t n) {
  using C = gpu::ComputeType<T>;
  using Out = gpu::OutputType<T, decltype(F<C>()(C()))>;
  constexpr int kN = gpu::kPack<T>;
  const bool packed =
      gpu::IsPackAligned<T, kN>(x) && gpu::IsPackAligned<Out, kN>(y);
  const int64_t items = packed ? (n + kN - 1) / kN : n;
  gpu::UnaryKernel<F, T, Out><<<gpu::Blocks(items), gpu::kThreads, 0, stream>>>(
      static_cast<const T*>(x), static_cast<Out*>(y), n, packed);
  return static_cast<int>(cudaGetLastError());
}

template <template <typename> class F, typename T>
int GpuBinary(CUstream_st* stream, const void* x, const void* y, void* z,
              int64_t n, const GpuBroadcast* broadcast) {
  using C = gpu::ComputeType<T>;
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
    gpu::BinaryKernel<F, T, Out>
        <<<gpu::Blocks(items), gpu::kThreads, 0, stream>>>(a, b, out, n,
                                                           packed);
  } else if (n <= INT32_MAX) {
    gpu::BroadcastKernel<F, T, Out, uint32_t>
        <<<gpu::Blocks(n), gpu::kThreads, 0, stream>>>(a, b, out, n,
                                                       *broadcast);
  } else {
    gpu::BroadcastKernel<F, T, Out, uint64_t>
        <<<gpu::Blocks(n), gpu::kThreads, 0, stream>>>(a, b, out, n,
                                                       *broadcast);
  }
  return static_cast<int>(cudaGetLastError());
}

// The types that a row of cwise_table.h names.
template <typename... T>
struct GpuTypes {};
namespace gpu_types {
using None = GpuTypes<>;
using Bools = GpuTypes<bool>;
using Floats = GpuTypes<GpuHalf, GpuBfloat16, float, double>;
using Numbers = GpuTypes<GpuHalf, GpuBfloat16, float, double, int64_t>;
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
