// SPDX-License-Identifier: Apache-2.0
// Later TensorFlow's path of StatusOr.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_STATUSOR_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_STATUSOR_H_

#include "core/lib/core/status.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_STATUSOR_H_
