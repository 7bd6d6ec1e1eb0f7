// SPDX-License-Identifier: Apache-2.0
// DeviceMgr.
#include "core/common_runtime/device_mgr.h"

#include <utility>

#include "core/lib/core/errors.h"

namespace tensorwright {

DeviceMgr::DeviceMgr(std::vector<std::unique_ptr<Device>> devices)
    : owned_(std::move(devices)) {
  for (const auto& device : owned_) {
    all_.push_back(device.get());
    set_.Add(&device->info());
    by_name_.emplace(device->name(), device.get());
  }
}

Status DeviceMgr::LookupDevice(const std::string& name, Device** device) const {
  auto it = by_name_.find(name);
  if (it == by_name_.end()) {
    const DeviceInfo* info = set_.Find(name);
    if (info == nullptr) {
      return errors::InvalidArgument("There is no device '", name,
                                     "'; this session has ",
                                     set_.DeviceNames());
    }
    it = by_name_.find(info->name());
  }
  *device = it->second;
  return OkStatus();
}

}  // namespace tensorwright
