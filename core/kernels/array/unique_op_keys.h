// SPDX-License-Identifier: Apache-2.0
// Keys of a tensor's elements, by which sets find equal ones.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_UNIQUE_OP_KEYS_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_UNIQUE_OP_KEYS_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "core/framework/numeric_types.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// Equal elements of a tensor have equal keys, their bits; -0 counts as 0.  An
// element that is Alone() equals none, not even itself: NaN.
template <typename T>
class NumberKeys {
 public:
  using Key = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
  explicit NumberKeys(const Tensor& t) : x_(t.base<T>()) {}

  Key operator()(int64_t i) const {
    T value = x_[i];
    if (kFloat && value == T(0)) value = T(0);
    Key bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  bool Alone(int64_t i) const { return kFloat && x_[i] != x_[i]; }

 private:
  static constexpr bool kFloat = !std::is_integral_v<T>;
  const T* x_;
};

class StringKeys {
 public:
  using Key = absl::string_view;
  explicit StringKeys(const Tensor& t) : x_(t.base<std::string>()) {}

  Key operator()(int64_t i) const { return x_[i]; }
  bool Alone(int64_t) const { return false; }

 private:
  const std::string* x_;
};

// Calls fn(ElementTag<Keys>()) with one of the classes above, for a dtype in
// kKeyTypes.
template <typename Fn>
Status DispatchKeys(DataType dtype, Fn&& fn) {
  switch (dtype) {
    case DT_FLOAT:
      fn(ElementTag<NumberKeys<float>>());
      return OkStatus();
    case DT_DOUBLE:
      fn(ElementTag<NumberKeys<double>>());
      return OkStatus();
    case DT_HALF:
      fn(ElementTag<NumberKeys<half>>());
      return OkStatus();
    case DT_BFLOAT16:
      fn(ElementTag<NumberKeys<bfloat16>>());
      return OkStatus();
    case DT_BOOL:
    case DT_INT8:
    case DT_UINT8:
      fn(ElementTag<NumberKeys<uint8_t>>());
      return OkStatus();
    case DT_INT16:
    case DT_UINT16:
      fn(ElementTag<NumberKeys<uint16_t>>());
      return OkStatus();
    case DT_INT32:
    case DT_UINT32:
      fn(ElementTag<NumberKeys<uint32_t>>());
      return OkStatus();
    case DT_INT64:
    case DT_UINT64:
      fn(ElementTag<NumberKeys<uint64_t>>());
      return OkStatus();
    case DT_STRING:
      fn(ElementTag<StringKeys>());
      return OkStatus();
    default:
      return errors::Unimplemented("elements of type ", DataTypeString(dtype),
                                   " have no equality here");
  }
}

inline constexpr DataType kKeyTypes[] = {
    DT_FLOAT, DT_DOUBLE, DT_HALF,  DT_BFLOAT16, DT_BOOL,  DT_INT8,   DT_UINT8,
    DT_INT16, DT_UINT16, DT_INT32, DT_UINT32,   DT_INT64, DT_UINT64, DT_STRING};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_UNIQUE_OP_KEYS_H_
