// SPDX-License-Identifier: Apache-2.0
// function.h, with the protos of functions.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FUNCTION_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FUNCTION_H_

#include "core/framework/function.h"
#include "core/framework/function.pb.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FUNCTION_H_
