// SPDX-License-Identifier: Apache-2.0
// Defines the functors that are scalar forms in TW_CWISE_TABLE, which its
// includer defines.  Part of cwise_functors.h, which has the helpers that they
// call.  No include guard, on purpose.

#ifdef TW_ROWS
#error "All rows are needed here: include this before TW_ROWS is defined."
#endif

namespace tensorwright {
namespace functor {

#define TW_UNARY_FORM(op, x, ...)                                  \
  template <typename T>                                            \
  struct op {                                                      \
    TW_HOST_DEVICE T operator()(T x) const { return __VA_ARGS__; } \
  };
#define TW_BINARY_FORM(op, x, y, ...)                                   \
  template <typename T>                                                 \
  struct op {                                                           \
    TW_HOST_DEVICE T operator()(T x, T y) const { return __VA_ARGS__; } \
  };
#include TW_CWISE_TABLE

}  // namespace functor
}  // namespace tensorwright

#undef TW_CWISE_TABLE
