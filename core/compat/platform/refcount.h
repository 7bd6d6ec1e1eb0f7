// SPDX-License-Identifier: Apache-2.0
// Later TensorFlow's path of core/lib/core/refcount.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_REFCOUNT_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_REFCOUNT_H_

#include "core/lib/core/refcount.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_REFCOUNT_H_
