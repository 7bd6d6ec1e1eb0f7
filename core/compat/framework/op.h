// SPDX-License-Identifier: Apache-2.0
// The contents of TensorFlow's op.h: registration, OpDefs, and enough of shape
// inference for the lambdas in registrations.  Custom-op sources get it as
// "tensorflow/core/framework/op.h"; code of this tree includes op.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_H_

#include "core/compat/lib/strings/str_util.h"
#include "core/compat/lib/strings/strcat.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_inference.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/platform/logging.h"
#include "core/platform/macros.h"
#include "core/platform/mutex.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_H_
