// SPDX-License-Identifier: Apache-2.0
// The contents of TensorFlow's op_kernel.h: kernels, tensors with their Eigen
// views, and other things that its users take for granted.  Custom-op sources
// get it as "tensorflow/core/framework/op_kernel.h"; code of this tree includes
// op_kernel.h, and tensor_types.h if it needs the views.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_KERNEL_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_KERNEL_H_

#include "absl/types/optional.h"
#include "core/compat/framework/node_def_util.h"
#include "core/compat/framework/op.h"
#include "core/compat/framework/shape_inference.h"
#include "core/compat/lib/gtl/array_slice.h"
#include "core/compat/lib/strings/str_util.h"
#include "core/compat/lib/strings/strcat.h"
#include "core/framework/bounds_check.h"
#include "core/framework/cancellation.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_types.h"
#include "core/framework/tensor_util.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/notification.h"
#include "core/lib/core/stringpiece.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/env.h"
#include "core/platform/logging.h"
#include "core/platform/macros.h"
#include "core/platform/mutex.h"
#include "core/platform/types.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_KERNEL_H_
