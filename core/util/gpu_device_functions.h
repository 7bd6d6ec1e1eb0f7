// SPDX-License-Identifier: Apache-2.0
// Loops and atomics of device code, by TensorFlow's names: Gpu... of 2.x and
// Cuda... of 1.x.  For custom ops' .cu.cc files, which nvcc compiles.
#ifndef TENSORWRIGHT_CORE_UTIL_GPU_DEVICE_FUNCTIONS_H_
#define TENSORWRIGHT_CORE_UTIL_GPU_DEVICE_FUNCTIONS_H_

#if GOOGLE_CUDA

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "Eigen/Core"

namespace tensorwright {

// for (int i : GpuGridRangeX(n)): goes over the indices in [0, n) of one
// thread, a grid apart.
template <typename T>
class GpuGridRange {
 public:
  struct Iterator {
    T index, delta;
    __device__ T operator*() const { return index; }
    __device__ Iterator& operator++() {
      index += delta;
      return *this;
    }
    // The comparison with the sentinel: an index may jump over the end, but
    // never back before it.
    __device__ bool operator!=(const Iterator& end) const {
      return index < end.index;
    }
  };

  __device__ GpuGridRange(T begin, T delta, T end)
      : begin_(begin), delta_(delta), end_(end) {}
  __device__ Iterator begin() const { return {begin_, delta_}; }
  __device__ Iterator end() const { return {end_, 0}; }

 private:
  T begin_, delta_, end_;
};

// A macro, because the three classes differ in a letter.
#define TENSORWRIGHT_GRID_RANGE(X, x)                                     \
  template <typename T>                                                   \
  __device__ GpuGridRange<T> GpuGridRange##X(T count) {                   \
    return GpuGridRange<T>(                                               \
        /*begin=*/static_cast<T>(blockIdx.x) * blockDim.x + threadIdx.x,  \
        /*delta=*/static_cast<T>(gridDim.x) * blockDim.x, /*end=*/count); \
  }                                                                       \
  template <typename T>                                                   \
  __device__ GpuGridRange<T> CudaGridRange##X(T count) {                  \
    return GpuGridRange##X(count);                                        \
  }
TENSORWRIGHT_GRID_RANGE(X, x)
TENSORWRIGHT_GRID_RANGE(Y, y)
TENSORWRIGHT_GRID_RANGE(Z, z)
#undef TENSORWRIGHT_GRID_RANGE

#define GPU_1D_KERNEL_LOOP(i, n) \
  for (int i : ::tensorwright::GpuGridRangeX<int>(n))
#define CUDA_1D_KERNEL_LOOP(i, n) GPU_1D_KERNEL_LOOP(i, n)
#define GPU_AXIS_KERNEL_LOOP(i, n, axis) \
  for (int i : ::tensorwright::GpuGridRange##axis<int>(n))
#define CUDA_AXIS_KERNEL_LOOP(i, n, axis) GPU_AXIS_KERNEL_LOOP(i, n, axis)

#define GPU_DYNAMIC_SHARED_MEM_DECL(ALIGN, TYPE, NAME) \
  extern __shared__ __align__(ALIGN)                   \
  TYPE NAME[]

// Every lane of a warp.
constexpr unsigned kGpuWarpAll = 0xffffffff;
constexpr unsigned kCudaWarpAll = 0xffffffff;

// A load through the read-only cache.
template <typename T>
__device__ inline T GpuLdg(const T* address) {
#if __CUDA_ARCH__ >= 350
  if constexpr (std::is_arithmetic<T>::value && !std::is_same<T, bool>::value) {
    return __ldg(address);
  }
#endif
  return *address;
}
template <typename T>
__device__ inline T CudaLdg(const T* address) {
  return GpuLdg(address);
}
template <typename T>
__device__ inline T ldg(const T* address) {
  return GpuLdg(address);
}

__device__ inline void GpuSyncThreads() { __syncthreads(); }
template <typename T>
__device__ T GpuShuffleDownSync(unsigned mask, T value, unsigned delta,
                                int width = 32) {
  return __shfl_down_sync(mask, value, delta, width);
}
template <typename T>
__device__ T GpuShuffleXorSync(unsigned mask, T value, int lane_mask,
                               int width = 32) {
  return __shfl_xor_sync(mask, value, lane_mask, width);
}
template <typename T>
__device__ T GpuShuffleSync(unsigned mask, T value, int lane, int width = 32) {
  return __shfl_sync(mask, value, lane, width);
}

// Fills [0, count) of memory, from a kernel started by GpuLaunchKernel.
template <typename T>
__global__ void SetZero(const int count, T* __restrict__ ptr) {
  GPU_1D_KERNEL_LOOP(i, count) { ptr[i] = T(0); }
}
template <typename T, typename Value>
__global__ void SetToValue(const int count, T* __restrict__ ptr, Value value) {
  GPU_1D_KERNEL_LOOP(i, count) { ptr[i] = static_cast<T>(value); }
}

namespace gpu_atomic {

// *ptr = change(*ptr), atomically; returns the value before.  For types of 2, 4
// or 8 bytes.
template <typename T, typename F>
__device__ T Update(T* ptr, F change) {
  if constexpr (sizeof(T) == 2) {
    // Changes it within the aligned word of 4 bytes around it.
    const auto address = reinterpret_cast<uintptr_t>(ptr);
    auto* word = reinterpret_cast<unsigned*>(address & ~uintptr_t{3});
    const unsigned shift = (address & 2) * 8;
    unsigned old = *word, seen;
    T before;
    do {
      seen = old;
      const auto bits = static_cast<uint16_t>(seen >> shift);
      memcpy(&before, &bits, 2);
      const T after = change(before);
      uint16_t after_bits;
      memcpy(&after_bits, &after, 2);
      old = atomicCAS(word, seen,
                      (seen & ~(0xffffu << shift)) |
                          (static_cast<unsigned>(after_bits) << shift));
    } while (old != seen);
    return before;
  } else {
    using Word =
        std::conditional_t<sizeof(T) == 4, unsigned,
                           unsigned long long>;  // NOLINT: atomicCAS's.
    static_assert(sizeof(T) == sizeof(Word));
    auto* word = reinterpret_cast<Word*>(ptr);
    Word old = *word, seen;
    T before;
    do {
      seen = old;
      memcpy(&before, &seen, sizeof(T));
      const T after = change(before);
      Word after_bits;
      memcpy(&after_bits, &after, sizeof(T));
      old = atomicCAS(word, seen, after_bits);
    } while (old != seen);
    return before;
  }
}

}  // namespace gpu_atomic

// *ptr op= value, atomically; returns the value before.
template <typename T, typename U>
__device__ inline T GpuAtomicAdd(T* ptr, U value) {
  if constexpr (std::is_same<T, float>::value ||
                std::is_same<T, double>::value || std::is_same<T, int>::value ||
                std::is_same<T, unsigned>::value) {
    return atomicAdd(ptr, static_cast<T>(value));
  } else {
    return gpu_atomic::Update(
        ptr, [value](T x) { return T(x + static_cast<T>(value)); });
  }
}
template <typename T, typename U>
__device__ inline T GpuAtomicSub(T* ptr, U value) {
  return gpu_atomic::Update(
      ptr, [value](T x) { return T(x - static_cast<T>(value)); });
}
template <typename T, typename U>
__device__ inline T GpuAtomicMul(T* ptr, U value) {
  return gpu_atomic::Update(
      ptr, [value](T x) { return T(x * static_cast<T>(value)); });
}
template <typename T, typename U>
__device__ inline T GpuAtomicDiv(T* ptr, U value) {
  return gpu_atomic::Update(
      ptr, [value](T x) { return T(x / static_cast<T>(value)); });
}
template <typename T, typename U>
__device__ inline T GpuAtomicMax(T* ptr, U value) {
  return gpu_atomic::Update(ptr, [value](T x) {
    return x < static_cast<T>(value) ? static_cast<T>(value) : x;
  });
}
template <typename T, typename U>
__device__ inline T GpuAtomicMin(T* ptr, U value) {
  return gpu_atomic::Update(ptr, [value](T x) {
    return static_cast<T>(value) < x ? static_cast<T>(value) : x;
  });
}
template <typename T>
__device__ inline T GpuAtomicCas(T* ptr, T expected, T desired) {
  return gpu_atomic::Update(ptr,
                            [=](T x) { return x == expected ? desired : x; });
}

// TensorFlow 1.x's names.
#define TENSORWRIGHT_CUDA_ATOMIC(Name)                    \
  template <typename T, typename U>                       \
  __device__ inline T CudaAtomic##Name(T* ptr, U value) { \
    return GpuAtomic##Name(ptr, value);                   \
  }
TENSORWRIGHT_CUDA_ATOMIC(Add)
TENSORWRIGHT_CUDA_ATOMIC(Sub)
TENSORWRIGHT_CUDA_ATOMIC(Mul)
TENSORWRIGHT_CUDA_ATOMIC(Div)
TENSORWRIGHT_CUDA_ATOMIC(Max)
TENSORWRIGHT_CUDA_ATOMIC(Min)
#undef TENSORWRIGHT_CUDA_ATOMIC

}  // namespace tensorwright

#endif  // GOOGLE_CUDA

#endif  // TENSORWRIGHT_CORE_UTIL_GPU_DEVICE_FUNCTIONS_H_
