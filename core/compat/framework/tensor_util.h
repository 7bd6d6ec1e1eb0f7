// SPDX-License-Identifier: Apache-2.0
// tensor_util.h, with the protos that hold tensors.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TENSOR_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TENSOR_UTIL_H_

#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/tensor_types.h"
#include "core/framework/tensor_util.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TENSOR_UTIL_H_
