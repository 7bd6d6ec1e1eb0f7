// SPDX-License-Identifier: Apache-2.0
// DeviceMgr: the devices that execute in this process, by name.
//
// A session has one; the devices that its graphs may be placed on are a
// DeviceSet (device_info.h), which may know more.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_MGR_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_MGR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/common_runtime/device.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Owns its devices; immutable, so thread safe.
class DeviceMgr {
 public:
  // At least one device; the first one is the client's, where feeds come from
  // and fetches go to.
  explicit DeviceMgr(std::vector<std::unique_ptr<Device>> devices);

  const std::vector<Device*>& devices() const { return all_; }
  Device* client_device() const { return all_.front(); }

  // Finds a device by full name or by any name that ParseFullName understands
  // and that names one device.  InvalidArgument, listing the devices, if there
  // is none.
  Status LookupDevice(const std::string& name, Device** device) const;

  // These devices, and nothing else.
  const DeviceSet& device_set() const { return set_; }

 private:
  std::vector<std::unique_ptr<Device>> owned_;
  std::vector<Device*> all_;
  DeviceSet set_;
  absl::flat_hash_map<std::string, Device*> by_name_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_MGR_H_
