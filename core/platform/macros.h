// SPDX-License-Identifier: Apache-2.0
// The attribute macros that TensorFlow's sources use.
#ifndef TENSORWRIGHT_CORE_PLATFORM_MACROS_H_
#define TENSORWRIGHT_CORE_PLATFORM_MACROS_H_

#include <cstddef>

// Our own code uses C++20's attributes; these exist for users' sources.
#define TF_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define TF_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define TF_ATTRIBUTE_NOINLINE __attribute__((noinline))
#define TF_ATTRIBUTE_UNUSED __attribute__((unused))
#define TF_ATTRIBUTE_COLD __attribute__((cold))
#define TF_ATTRIBUTE_WEAK __attribute__((weak))
#define TF_PACKED __attribute__((packed))
#define TF_MUST_USE_RESULT __attribute__((warn_unused_result))
#define TF_PRINTF_ATTRIBUTE(string_index, first_to_check) \
  __attribute__((__format__(__printf__, string_index, first_to_check)))
#define TF_SCANF_ATTRIBUTE(string_index, first_to_check) \
  __attribute__((__format__(__scanf__, string_index, first_to_check)))
#define TF_EXPORT __attribute__((visibility("default")))
#define TF_HAS_CPP_ATTRIBUTE(n) __has_cpp_attribute(n)
#define TF_CONST_INIT
#define TF_FALLTHROUGH_INTENDED [[fallthrough]]

#define TF_PREDICT_FALSE(x) (__builtin_expect(x, 0))
#define TF_PREDICT_TRUE(x) (__builtin_expect(!!(x), 1))

#define TF_DISALLOW_COPY_AND_ASSIGN(TypeName) \
  TypeName(const TypeName&) = delete;         \
  void operator=(const TypeName&) = delete

#define TF_ARRAYSIZE(a) (sizeof(a) / sizeof(*(a)))

namespace tensorwright {
namespace internal {
template <typename T>
void remove_unused_variable_compiler_warning(const T&) {}
}  // namespace internal
}  // namespace tensorwright
#define TF_UNUSED_VARIABLE(x) \
  ::tensorwright::internal::remove_unused_variable_compiler_warning(x)

#endif  // TENSORWRIGHT_CORE_PLATFORM_MACROS_H_
