// SPDX-License-Identifier: Apache-2.0
// Kernels that only move elements are written once per element size.
//
//   OP_REQUIRES_OK(ctx, DispatchElement(t.dtype(), [&]<typename
//   T>(ElementTag<T>) {
//     Reverse<T>(RawFlat<T>(in), RawFlat<T>(*out));
//   }));
//
// T is an unsigned integer or Bytes16 of the dtype's size, or the class itself
// for strings, handles and variants.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_ELEMENT_DISPATCH_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_ELEMENT_DISPATCH_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "core/framework/resource_handle.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/framework/variant.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// An element of 16 bytes: complex128.
struct Bytes16 {
  uint64_t low;
  uint64_t high;
};

template <typename T>
struct ElementTag {
  using Type = T;
};

// Calls fn(ElementTag<T>()); Unimplemented if there are no elements of dtype.
template <typename Fn>
Status DispatchElement(DataType dtype, Fn&& fn) {
  switch (dtype) {
    case DT_STRING:
      fn(ElementTag<std::string>());
      return OkStatus();
    case DT_RESOURCE:
      fn(ElementTag<ResourceHandle>());
      return OkStatus();
    case DT_VARIANT:
      fn(ElementTag<Variant>());
      return OkStatus();
    default:
      break;
  }
  switch (DataTypeSize(dtype)) {
    case 1:
      fn(ElementTag<uint8_t>());
      return OkStatus();
    case 2:
      fn(ElementTag<uint16_t>());
      return OkStatus();
    case 4:
      fn(ElementTag<uint32_t>());
      return OkStatus();
    case 8:
      fn(ElementTag<uint64_t>());
      return OkStatus();
    case 16:
      fn(ElementTag<Bytes16>());
      return OkStatus();
    default:
      return errors::Unimplemented("no tensors of type ",
                                   DataTypeString(dtype));
  }
}

// The elements of a tensor as T, which DispatchElement chose for its dtype.
template <typename T>
absl::Span<const T> RawFlat(const Tensor& t) {
  return absl::Span<const T>(t.base<T>(), t.NumElements());
}
template <typename T>
absl::Span<T> RawFlat(Tensor* t) {
  return absl::Span<T>(t->base<T>(), t->NumElements());
}

// dst[0, n) = src[0, n), which do not overlap.
template <typename T>
void CopyRun(const T* src, int64_t n, T* dst) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    if (n == 1) {
      *dst = *src;
    } else if (n > 0) {
      std::memcpy(dst, src, n * sizeof(T));
    }
  } else {
    std::copy_n(src, n, dst);
  }
}

// dst[0, n) = value.
template <typename T>
void FillRun(const T& value, int64_t n, T* dst) {
  constexpr int64_t kFew = 64;
  if constexpr (std::is_trivially_copyable_v<T>) {
    if (n > kFew) {
      // A loop stores one element a cycle, while memset and memcpy store as
      // much as the machine can: so a block is filled by the loop and copied
      // from then on.
      static constexpr T kZero{};
      if (std::memcmp(&value, &kZero, sizeof(T)) == 0) {
        std::memset(static_cast<void*>(dst), 0, n * sizeof(T));
        return;
      }
      constexpr int64_t kBlock = 2048 / sizeof(T);
      const int64_t first = std::min(n, kBlock);
      std::fill_n(dst, first, value);
      for (int64_t i = first; i < n; i += kBlock) {
        std::memcpy(dst + i, dst, std::min(kBlock, n - i) * sizeof(T));
      }
      return;
    }
  }
  std::fill_n(dst, n, value);
}

// About how many cycles moving one element takes, for ParallelFor.
template <typename T>
constexpr int64_t MoveCost() {
  return std::is_trivially_copyable_v<T> ? (sizeof(T) + 3) / 4 : 50;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_ELEMENT_DISPATCH_H_
