// SPDX-License-Identifier: Apache-2.0
// Later TensorFlow's path of core/lib/core/status.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_STATUS_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_STATUS_H_

#include "core/lib/core/status.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_STATUS_H_
