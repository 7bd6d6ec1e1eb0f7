// SPDX-License-Identifier: Apache-2.0
// TensorFlow's hooks for leaving ops out of a build.  Every op linked into this
// library is registered, so each of them answers yes; sources written against
// TensorFlow may ask.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_SELECTIVE_REGISTRATION_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_SELECTIVE_REGISTRATION_H_

#define SHOULD_REGISTER_OP(op) true
#define SHOULD_REGISTER_OP_GRADIENT true
#define SHOULD_REGISTER_OP_KERNEL(clz) true

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_SELECTIVE_REGISTRATION_H_
