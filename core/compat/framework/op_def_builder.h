// SPDX-License-Identifier: Apache-2.0
// op_def_builder.h, with OpDef and OpRegistrationData.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_DEF_BUILDER_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_DEF_BUILDER_H_

#include "core/framework/op_def_builder.h"
#include "core/framework/op_registration.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OP_DEF_BUILDER_H_
