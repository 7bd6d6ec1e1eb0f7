// SPDX-License-Identifier: Apache-2.0
// TensorFlow's older path of core/platform/notification.h.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_NOTIFICATION_H_
#define TENSORWRIGHT_CORE_LIB_CORE_NOTIFICATION_H_

#include "core/platform/notification.h"

#endif  // TENSORWRIGHT_CORE_LIB_CORE_NOTIFICATION_H_
