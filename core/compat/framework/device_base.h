// SPDX-License-Identifier: Apache-2.0
// DeviceBase, with the protocol buffer that attributes() gives.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_DEVICE_BASE_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_DEVICE_BASE_H_

#include "core/framework/device_attributes.pb.h"
#include "core/framework/device_base.h"

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_DEVICE_BASE_H_
