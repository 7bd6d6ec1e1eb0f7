// SPDX-License-Identifier: Apache-2.0
// attr_value_util.h, with the protos that it is about.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_ATTR_VALUE_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_ATTR_VALUE_UTIL_H_

#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_ATTR_VALUE_UTIL_H_
