// SPDX-License-Identifier: Apache-2.0
// Device code of moves shares this: elements by their size.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_GPU_CU_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_GPU_CU_H_

#include <cstdint>

#include "core/lib/core/errors.h"
#include "core/lib/gpu/convert.h"
#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace gpu {

// An element of 16 bytes, which one access moves.
struct alignas(16) Sixteen {
  uint64_t low, high;
};

// Returns fn(T()) for the T of that size.
template <typename Fn>
Status DispatchSize(int64_t size, const Fn& fn) {
  switch (size) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    case 8:
      return fn(uint64_t{});
    case 16:
      return fn(Sixteen{});
    default:
      return errors::Internal("A GPU moves no elements of ", size, " bytes");
  }
}

// Returns fn(Index()) for a type that holds the numbers of n elements.
template <typename Fn>
Status DispatchIndex(int64_t n, const Fn& fn) {
  return FitsIndex32(n) ? fn(uint32_t{}) : fn(uint64_t{});
}

}  // namespace gpu
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_GPU_CU_H_
