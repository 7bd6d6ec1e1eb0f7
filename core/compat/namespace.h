// SPDX-License-Identifier: Apache-2.0
// `namespace tensorflow`, for sources written against TensorFlow.  Included by
// every "tensorflow/..." header.
//
// Such a source has `using namespace tensorflow`, tensorflow::X, or `namespace
// tensorflow { ... }`.  Within the last it may forward-declare a class of the
// framework, specialise one of its templates, or put a shape function into
// tensorflow::shape_inference.  All of that means *our* namespace, so the name
// has to be the same namespace: an alias cannot be reopened, and a namespace
// with a using-directive takes neither forward declarations nor
// specialisations.  Only the preprocessor can do it.  #include lines are not
// touched.
//
// So users' classes are among ours.  If one has the name of a kernel here, each
// library still uses its own: op libraries are opened with RTLD_DEEPBIND.
#ifndef TENSORWRIGHT_CORE_COMPAT_NAMESPACE_H_
#define TENSORWRIGHT_CORE_COMPAT_NAMESPACE_H_

#include "core/compat/older_standards.h"
// Every header of TensorFlow includes its names of integers and strings.
#include "core/lib/core/absl_status.h"
#include "core/platform/types.h"

// TensorFlow 1.x's int64 was long long, so its sources write std::max(x, 0LL);
// ours is long, as in 2.x.  They also write std::max(1e-6, x) with a float x,
// which nvcc takes.  These overloads serve those pairs alone.
namespace tensorwright {
namespace compat {
template <typename A, typename B>
struct Larger {};
template <>
struct Larger<long, long long> {  // NOLINT
  using type = long;              // NOLINT
};
template <>
struct Larger<long long, long> {  // NOLINT
  using type = long;              // NOLINT
};
template <>
struct Larger<float, double> {
  using type = double;
};
template <>
struct Larger<double, float> {
  using type = double;
};
}  // namespace compat
}  // namespace tensorwright

namespace std {
template <typename A, typename B>
constexpr typename tensorwright::compat::Larger<A, B>::type max(A a, B b) {
  return a < b ? b : a;
}
template <typename A, typename B>
constexpr typename tensorwright::compat::Larger<A, B>::type min(A a, B b) {
  return b < a ? b : a;
}
}  // namespace std

namespace tensorwright {}
// Later sources have this name for the parts that TensorFlow shares with
// others.
namespace tsl = ::tensorwright;

// tf.sysconfig.get_compile_flags() gives the same definition, for headers of
// the user's that open the namespace before any of ours is included.
#define tensorflow tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_NAMESPACE_H_
