// SPDX-License-Identifier: Apache-2.0
// DeviceFactory: makes the devices of one type that a session gets.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_FACTORY_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_FACTORY_H_

#include <memory>
#include <string>
#include <vector>

#include "core/common_runtime/device.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class ConfigProto;
class SessionThreads;

class DeviceFactory {
 public:
  virtual ~DeviceFactory() = default;

  // Appends devices named `name_prefix` + "/device:TYPE:n".  `threads` outlives
  // them.
  virtual Status CreateDevices(
      const ConfigProto& config, const std::string& name_prefix,
      SessionThreads* threads,
      std::vector<std::unique_ptr<Device>>* devices) = 0;

  // Takes ownership.  Nodes that may run anywhere go to the device type of the
  // highest priority that has a kernel for them.
  static void Register(const std::string& device_type,
                       std::unique_ptr<DeviceFactory> factory, int priority);
  // -1 for a type nobody registered.
  static int Priority(const std::string& device_type);

  // The devices of all types, CPU's first.  InvalidArgument if the config's
  // device_count is negative or leaves no CPU.
  static Status AddDevices(const ConfigProto& config,
                           const std::string& name_prefix,
                           SessionThreads* threads,
                           std::vector<std::unique_ptr<Device>>* devices);
};

// Registers when it is constructed, which is when the program starts.
template <class Factory>
struct RegisterLocalDeviceFactory {
  explicit RegisterLocalDeviceFactory(const std::string& device_type,
                                      int priority = 50) {
    DeviceFactory::Register(device_type, std::make_unique<Factory>(), priority);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_FACTORY_H_
