// SPDX-License-Identifier: Apache-2.0
// Later TensorFlow's path of core/lib/core/errors.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_ERRORS_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_ERRORS_H_

#include "core/lib/core/errors.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_ERRORS_H_
