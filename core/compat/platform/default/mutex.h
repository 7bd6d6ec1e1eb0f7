// SPDX-License-Identifier: Apache-2.0
// TensorFlow's older path of core/platform/mutex.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_DEFAULT_MUTEX_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_DEFAULT_MUTEX_H_

#include "core/platform/mutex.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_DEFAULT_MUTEX_H_
