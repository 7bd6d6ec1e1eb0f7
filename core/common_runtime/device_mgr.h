// SPDX-License-Identifier: Apache-2.0
// DeviceMgr: the devices of one session, by name.
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

  // By full name or by any name that ParseFullName understands and that names
  // one device.  InvalidArgument, listing what exists, if there is none.
  Status LookupDevice(const std::string& name, Device** device) const;

  // Device types of this session, best first (by the factories' priorities).
  const std::vector<DeviceType>& prioritized_types() const { return types_; }

  void ListDeviceAttributes(std::vector<DeviceAttributes>* attributes) const;
  // "name, name, ..." for messages.
  std::string DeviceNames() const;

 private:
  std::vector<std::unique_ptr<Device>> owned_;
  std::vector<Device*> all_;
  std::vector<DeviceType> types_;
  absl::flat_hash_map<std::string, Device*> by_name_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_MGR_H_
