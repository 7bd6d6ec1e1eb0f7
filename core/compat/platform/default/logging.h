// SPDX-License-Identifier: Apache-2.0
// TensorFlow's older path of core/platform/logging.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_DEFAULT_LOGGING_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_DEFAULT_LOGGING_H_

#include "core/platform/logging.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_DEFAULT_LOGGING_H_
