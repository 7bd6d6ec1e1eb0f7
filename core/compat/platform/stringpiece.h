// SPDX-License-Identifier: Apache-2.0
// Later TensorFlow's path of core/lib/core/stringpiece.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_STRINGPIECE_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_STRINGPIECE_H_

#include "core/lib/core/stringpiece.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_STRINGPIECE_H_
