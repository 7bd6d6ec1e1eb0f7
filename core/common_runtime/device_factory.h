// SPDX-License-Identifier: Apache-2.0
// DeviceFactory: makes the devices of one type for a session.
//
// One factory per device type serves the process: registered when the program
// starts, never destroyed.  It is called under the registry's lock, one session
// after the other, so it needs no lock of its own and must not come back to the
// registry.
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

// A factory has no part in the life of the devices that it made.
class DeviceFactory {
 public:
  virtual ~DeviceFactory() = default;

  // Appends devices named `name_prefix` + "/device:TYPE:n", n from 0, which the
  // caller owns: as many as config.device_count says, or as there are.  It is
  // no error to add none.  `threads` outlives them.
  virtual Status CreateDevices(
      const ConfigProto& config, const std::string& name_prefix,
      SessionThreads* threads,
      std::vector<std::unique_ptr<Device>>* devices) = 0;

  // Takes ownership.  Nodes that may run anywhere go to the device type of the
  // highest priority that has a kernel for them.  If a type has two factories,
  // the one of the higher priority stays, or the first one if they are equal.
  static void Register(const std::string& device_type,
                       std::unique_ptr<DeviceFactory> factory, int priority);
  // -1 for a type nobody registered.
  static int Priority(const std::string& device_type);

  // Appends the devices of all types, CPU's first, the others in the order of
  // their names.  InvalidArgument if the config's device_count is negative or
  // leaves no CPU; NotFound if no CPU factory is linked in; the error of
  // LoadGpuLibrary, which the first call loads; else the first factory's error,
  // after which some devices may be there.
  static Status AddDevices(const ConfigProto& config,
                           const std::string& name_prefix,
                           SessionThreads* threads,
                           std::vector<std::unique_ptr<Device>>* devices);
};

// Registers when it is constructed, which is when the program starts, or its
// library is loaded.
template <class Factory>
struct RegisterLocalDeviceFactory {
  explicit RegisterLocalDeviceFactory(const std::string& device_type,
                                      int priority = 50) {
    DeviceFactory::Register(device_type, std::make_unique<Factory>(), priority);
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_DEVICE_FACTORY_H_
