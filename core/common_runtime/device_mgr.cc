// SPDX-License-Identifier: Apache-2.0
// DeviceMgr.
#include "core/common_runtime/device_mgr.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/common_runtime/device_factory.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

DeviceMgr::DeviceMgr(std::vector<std::unique_ptr<Device>> devices)
    : owned_(std::move(devices)) {
  std::vector<std::string> names;
  for (const auto& device : owned_) {
    all_.push_back(device.get());
    by_name_.emplace(device->name(), device.get());
    if (std::find(names.begin(), names.end(), device->device_type()) ==
        names.end()) {
      names.push_back(device->device_type());
    }
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) {
                     return DeviceFactory::Priority(a) >
                            DeviceFactory::Priority(b);
                   });
  for (const std::string& name : names) types_.emplace_back(name);
}

Status DeviceMgr::LookupDevice(const std::string& name, Device** device) const {
  auto it = by_name_.find(name);
  if (it != by_name_.end()) {
    *device = it->second;
    return OkStatus();
  }
  DeviceNameUtils::ParsedName parsed;
  if (DeviceNameUtils::ParseFullName(name, &parsed) && parsed.has_type &&
      parsed.has_id) {
    for (Device* d : all_) {
      if (DeviceNameUtils::IsSpecification(parsed, d->parsed_name())) {
        *device = d;
        return OkStatus();
      }
    }
  }
  return errors::InvalidArgument("There is no device '", name,
                                 "'; this session has ", DeviceNames());
}

void DeviceMgr::ListDeviceAttributes(
    std::vector<DeviceAttributes>* attributes) const {
  for (const Device* d : all_) attributes->push_back(d->attributes());
}

std::string DeviceMgr::DeviceNames() const {
  return absl::StrJoin(all_, ", ", [](std::string* out, const Device* d) {
    out->append(d->name());
  });
}

}  // namespace tensorwright
