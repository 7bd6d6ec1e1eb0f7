// SPDX-License-Identifier: Apache-2.0
// Starts kernels, on a card or on the stand-in, for kernels' device code:
//
//   template <typename T>
//   __global__ void Double(T* x, int64_t n) {
//     for (auto i = GridFirst<int64_t>(); i < n; i += GridStep<int64_t>()) {
//       x[i] *= 2;
//     }
//   }
//   Status status = Launch(stream, Blocks(n), kThreads, 0, Double<float>, x,
//   n);
#ifndef TENSORWRIGHT_CORE_LIB_GPU_LAUNCH_H_
#define TENSORWRIGHT_CORE_LIB_GPU_LAUNCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "core/lib/core/errors.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/language.h"

#if !defined(__CUDACC__)
#include "core/lib/gpu/stand_in.h"
#endif

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {
namespace gpu {

// The usual number of threads in a block.
inline constexpr int kThreads = 256;

// The number of blocks for the work of `items` threads that go over it in a
// grid-stride loop: at most as many as keep the device busy.  On the stand-in
// at most 3, so that threads stride.
inline unsigned Blocks(int64_t items, int threads = kThreads) {
  const int64_t wanted = (items + threads - 1) / threads;
#if defined(__CUDACC__)
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  return static_cast<unsigned>(
      std::min<int64_t>(wanted, int64_t{processors} * 16));
#else
  return static_cast<unsigned>(std::min<int64_t>(wanted, 3));
#endif
}

// A stream with the place in the source that starts a kernel there, which
// errors name.
struct LaunchStream {
  LaunchStream(CUstream_st* stream,  // NOLINT: converts.
               SourceLocation place = SourceLocation::Current())
      : stream(stream), place(place) {}
  CUstream_st* stream;
  SourceLocation place;

  std::string Name() const {
    std::string name = place.file;
    name += ":" + std::to_string(place.line);
    return name;
  }
};

// Enqueues kernel(arguments...) on the stream, in blocks of threads with
// `shared_bytes` of dynamic shared memory.  Arguments are converted to the
// kernel's parameters.  No blocks: does nothing.  Internal if the kernel does
// not start.  On the stand-in, a null stream runs the kernel at once and
// returns its errors too.
template <typename... P, typename... A>
Status Launch(LaunchStream stream, dim3 blocks, dim3 threads,
              size_t shared_bytes, void (*kernel)(P...), A... arguments) {
  static_assert(sizeof...(P) == sizeof...(A));
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return OkStatus();
#if defined(__CUDACC__)
  const auto* function = reinterpret_cast<const void*>(kernel);
  cudaError_t error = cudaSuccess;
  if (shared_bytes > (48 << 10)) {
    error = cudaFuncSetAttribute(function,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shared_bytes));
  }
  if (error == cudaSuccess) {
    error = [&](P... parameters) {
      void* pointers[] = {
          const_cast<void*>(static_cast<const void*>(&parameters))..., nullptr};
      return cudaLaunchKernel(function, blocks, threads, pointers, shared_bytes,
                              stream.stream);
    }(static_cast<P>(arguments)...);
  }
  if (error == cudaSuccess) return OkStatus();
  return errors::Internal("The kernel of ", stream.Name(),
                          " did not start: ", cudaGetErrorString(error));
#else
  auto run = [=, name = stream.Name()] {
    return emulation::RunBlocks(name, blocks, threads, shared_bytes,
                                [&] { kernel(static_cast<P>(arguments)...); });
  };
  if (stream.stream == nullptr) return run();
  stand_in::Enqueue(stream.stream, [run] {
    const Status status = run();
    if (!status.ok()) stand_in::ReportError(status);
  });
  return OkStatus();
#endif
}

template <typename Index, class F>
__global__ void __launch_bounds__(kThreads) ForEachKernel(int64_t n, F f) {
  const Index step = GridStep<Index>();
  const Index end = static_cast<Index>(n);
  for (Index i = GridFirst<Index>(); i < end; i += step) f(i);
}

// Enqueues f(i), 0 <= i < n, where f is a functor whose call is __device__ and
// takes any integer, or a __device__ lambda of Index.
template <typename Index, class F>
Status ForEachIndex(LaunchStream stream, int64_t n, const F& f) {
  return Launch(stream, Blocks(n), kThreads, 0, ForEachKernel<Index, F>, n, f);
}

// The same with indices of 32 bits if that is enough.  F's constructor must not
// depend on the type of the index.
template <class F>
Status ForEach(LaunchStream stream, int64_t n, const F& f) {
  if (FitsIndex32(n)) return ForEachIndex<uint32_t>(stream, n, f);
  return ForEachIndex<uint64_t>(stream, n, f);
}

}  // namespace gpu
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GPU_LAUNCH_H_
