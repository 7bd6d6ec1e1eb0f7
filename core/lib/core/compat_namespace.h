// SPDX-License-Identifier: Apache-2.0
// `namespace tensorflow`, for sources written against TensorFlow: they may say `using namespace
// tensorflow`, name things as tensorflow::X, and reopen the namespace to define classes of their own.
//
// Included by every "tensorflow/..." header.  A directive, not an alias, which could not be reopened,
// and not a macro, which would put users' classes among ours.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_COMPAT_NAMESPACE_H_
#define TENSORWRIGHT_CORE_LIB_CORE_COMPAT_NAMESPACE_H_

namespace tensorwright {}

namespace tensorflow {
using namespace tensorwright;  // NOLINT(google-build-using-namespace)
}  // namespace tensorflow

#endif  // TENSORWRIGHT_CORE_LIB_CORE_COMPAT_NAMESPACE_H_
