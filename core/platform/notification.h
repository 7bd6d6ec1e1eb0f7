// SPDX-License-Identifier: Apache-2.0
// Notification: one thread tells others, once, that something has happened.
#ifndef TENSORWRIGHT_CORE_PLATFORM_NOTIFICATION_H_
#define TENSORWRIGHT_CORE_PLATFORM_NOTIFICATION_H_

#include <cstdint>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace tensorwright {

using absl::Notification;

// False if `timeout_us` microseconds pass first.
inline bool WaitForNotificationWithTimeout(Notification* n,
                                           int64_t timeout_us) {
  return n->WaitForNotificationWithTimeout(absl::Microseconds(timeout_us));
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_NOTIFICATION_H_
