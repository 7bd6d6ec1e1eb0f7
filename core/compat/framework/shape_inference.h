// SPDX-License-Identifier: Apache-2.0
// The contents of TensorFlow's shape_inference.h and common_shape_fns.h: shape
// functions, and tensors with their Eigen views, for
// `c->input_tensor(0)->scalar<int32>()()`.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_SHAPE_INFERENCE_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_SHAPE_INFERENCE_H_

#include "core/compat/lib/strings/strcat.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/node_def_util.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor_types.h"
#include "core/lib/core/errors.h"
#include "core/platform/macros.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_SHAPE_INFERENCE_H_
