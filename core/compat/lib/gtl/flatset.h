// SPDX-License-Identifier: Apache-2.0
// gtl::FlatSet.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_FLATSET_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_FLATSET_H_

#include "core/lib/gtl/flatmap.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_FLATSET_H_
