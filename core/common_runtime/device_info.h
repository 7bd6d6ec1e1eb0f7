// SPDX-License-Identifier: Apache-2.0
// DeviceInfo: a device as any process knows it: name, type, memory limit,
// locality, incarnation.  DeviceSet: the devices that a graph may be placed on.
//
// Placing a graph and listing devices need no more than this, so devices of
// other processes take part, although this process has nothing else of them. A
// device that executes in this process is a Device (device.h), which has a
// DeviceInfo.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_INFO_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_INFO_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/device_attributes.pb.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {

// Immutable, so thread safe.  May be copied.
class DeviceInfo {
 public:
  // InvalidArgument unless the name is a full one:
  // "/job:worker/replica:0/task:1/device:GPU:0".  Attributes that came from
  // another process become an info by this.
  static StatusOr<DeviceInfo> FromAttributes(DeviceAttributes attributes);

  const std::string& name() const { return attributes_.name(); }
  const std::string& type() const { return attributes_.device_type(); }
  const DeviceNameUtils::ParsedName& parsed_name() const {
    return parsed_name_;
  }
  // All of it: memory_limit in bytes, locality, incarnation, description.
  const DeviceAttributes& attributes() const { return attributes_; }

 private:
  DeviceInfo() = default;
  DeviceAttributes attributes_;
  DeviceNameUtils::ParsedName parsed_name_;
};

// Not thread safe while it grows; after that immutable, so thread safe.  Owns
// nothing: infos outlive the set.
class DeviceSet {
 public:
  // The first one added is the client's, where feeds come from and fetches go
  // to.
  void Add(const DeviceInfo* info);

  const std::vector<const DeviceInfo*>& devices() const { return devices_; }
  const DeviceInfo* client_device() const { return devices_.front(); }

  // Device types of the set, best first (by the factories' priorities).
  const std::vector<DeviceType>& prioritized_types() const { return types_; }

  // Finds a device by full name, or by any name that ParseFullName understands
  // and that names one device.  Null if there is none.
  const DeviceInfo* Find(absl::string_view name) const;

  // "name, name, ..." for messages.
  std::string DeviceNames() const;

 private:
  std::vector<const DeviceInfo*> devices_;
  std::vector<DeviceType> types_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_INFO_H_
