// SPDX-License-Identifier: Apache-2.0
// Later TensorFlow's path of tstring, which here is std::string.
#ifndef TENSORWRIGHT_CORE_PLATFORM_TSTRING_H_
#define TENSORWRIGHT_CORE_PLATFORM_TSTRING_H_

#include "core/platform/types.h"

#endif  // TENSORWRIGHT_CORE_PLATFORM_TSTRING_H_
