// SPDX-License-Identifier: Apache-2.0
// CUDA's words as the stand-in understands them; included by language.h alone.
//
// All threads of a block are fibers of one OS thread, and blocks run one after
// another, so an atomic operation is an ordinary one.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_LANGUAGE_EMULATED_H_
#define TENSORWRIGHT_CORE_LIB_GPU_LANGUAGE_EMULATED_H_

#include <cstdint>
#include <cstring>

#include "core/lib/gpu/blocks.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static thread_local
#define TW_UNROLL _Pragma("GCC unroll 8")

// The key is the address of a variable that each expansion has for itself.
#define GPU_SHARED(T, name, n)                                        \
  static const char name##_key = 0;                                   \
  T* const name =                                                     \
      static_cast<T*>(::tensorwright::gpu::emulation::SharedVariable( \
          &name##_key, sizeof(T) * (n)))

#define threadIdx (::tensorwright::gpu::emulation::Here().thread)
#define blockIdx (::tensorwright::gpu::emulation::Here().block)
#define blockDim (::tensorwright::gpu::emulation::Here().threads)
#define gridDim (::tensorwright::gpu::emulation::Here().blocks)

inline constexpr int warpSize = 32;

inline void __syncthreads() {
  ::tensorwright::gpu::emulation::MeetBlock(
      ::tensorwright::gpu::emulation::Meeting::kBarrier, 0);
}
inline int __syncthreads_count(int predicate) {
  return static_cast<int>(::tensorwright::gpu::emulation::MeetBlock(
      ::tensorwright::gpu::emulation::Meeting::kCount, predicate != 0));
}
inline int __syncthreads_and(int predicate) {
  return __syncthreads_count(!predicate) == 0;
}
inline int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate) != 0;
}
inline void __syncwarp(unsigned mask = 0xffffffff) {
  ::tensorwright::gpu::emulation::MeetWarp(
      ::tensorwright::gpu::emulation::Meeting::kBarrier, mask, 0, 0);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(::tensorwright::gpu::emulation::MeetWarp(
      ::tensorwright::gpu::emulation::Meeting::kBallot, mask, predicate != 0,
      0));
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
inline void __threadfence() {}
inline void __threadfence_block() {}

namespace tensorwright {
namespace gpu {

template <typename T>
T* SharedMemory() {
  return static_cast<T*>(emulation::DynamicSharedMemory());
}

namespace emulation {

// The value of lane `source` of the caller's warp, or the caller's own.
template <typename T>
T Shuffle(unsigned mask, T value, int source) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = MeetWarp(Meeting::kShuffle, mask, bits, source);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace emulation
}  // namespace gpu
}  // namespace tensorwright

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int own = ::tensorwright::gpu::emulation::Lane();
  return ::tensorwright::gpu::emulation::Shuffle(
      mask, value, (own & ~(width - 1)) | (lane & (width - 1)));
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int own = ::tensorwright::gpu::emulation::Lane();
  const int source = own ^ bits, end = (own & ~(width - 1)) + width;
  return ::tensorwright::gpu::emulation::Shuffle(mask, value,
                                                 source < end ? source : own);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int own = ::tensorwright::gpu::emulation::Lane();
  const int source = own + static_cast<int>(delta);
  const int end = (own & ~(width - 1)) + width;
  return ::tensorwright::gpu::emulation::Shuffle(mask, value,
                                                 source < end ? source : own);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int own = ::tensorwright::gpu::emulation::Lane();
  const int source = own - static_cast<int>(delta);
  const int begin = own & ~(width - 1);
  return ::tensorwright::gpu::emulation::Shuffle(
      mask, value, source >= begin ? source : own);
}

template <typename T>
T __ldg(const T* address) {
  return *address;
}

// Each returns the value before.
template <typename T>
T atomicExch(T* address, T value) {
  const T old = *address;
  *address = value;
  return old;
}
template <typename T>
T atomicAdd(T* address, T value) {
  return atomicExch(address, static_cast<T>(*address + value));
}
template <typename T>
T atomicSub(T* address, T value) {
  return atomicExch(address, static_cast<T>(*address - value));
}
template <typename T>
T atomicMax(T* address, T value) {
  return atomicExch(address, *address < value ? value : *address);
}
template <typename T>
T atomicMin(T* address, T value) {
  return atomicExch(address, value < *address ? value : *address);
}
template <typename T>
T atomicAnd(T* address, T value) {
  return atomicExch(address, static_cast<T>(*address & value));
}
template <typename T>
T atomicOr(T* address, T value) {
  return atomicExch(address, static_cast<T>(*address | value));
}
template <typename T>
T atomicCAS(T* address, T expected, T value) {
  return atomicExch(address, *address == expected ? value : *address);
}

inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>((uint64_t{x} * y) >> 32);
}

#endif  // TENSORWRIGHT_CORE_LIB_GPU_LANGUAGE_EMULATED_H_
