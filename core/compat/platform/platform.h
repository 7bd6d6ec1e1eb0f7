// SPDX-License-Identifier: Apache-2.0
// Tells the preprocessor which platform this is.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_PLATFORM_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_PLATFORM_H_

#define PLATFORM_POSIX
#define IS_LINUX_GNU

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_PLATFORM_H_
