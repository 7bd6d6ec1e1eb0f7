// SPDX-License-Identifier: Apache-2.0
// Env, and the file systems that sources for TensorFlow find with it.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_ENV_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_ENV_H_

#include "core/platform/env.h"
#include "core/platform/file_system.h"
#include "core/platform/types.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_ENV_H_
