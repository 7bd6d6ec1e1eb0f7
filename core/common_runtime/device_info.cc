// SPDX-License-Identifier: Apache-2.0
// DeviceInfo and DeviceSet.
#include "core/common_runtime/device_info.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/common_runtime/device_factory.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

StatusOr<DeviceInfo> DeviceInfo::FromAttributes(DeviceAttributes attributes) {
  DeviceInfo info;
  info.attributes_ = std::move(attributes);
  DeviceNameUtils::ParsedName& parsed = info.parsed_name_;
  if (!DeviceNameUtils::ParseFullName(info.name(), &parsed) ||
      !parsed.has_job || !parsed.has_replica || !parsed.has_task ||
      !parsed.has_type || !parsed.has_id) {
    return errors::InvalidArgument(
        "DeviceAttributes: name must be a full device name, got '", info.name(),
        "'");
  }
  if (parsed.type != info.type()) {
    return errors::InvalidArgument("DeviceAttributes: device_type of '",
                                   info.name(), "' must be ", parsed.type,
                                   ", got '", info.type(), "'");
  }
  return info;
}

void DeviceSet::Add(const DeviceInfo* info) {
  devices_.push_back(info);
  for (const DeviceType& type : types_) {
    if (type.type_string() == info->type()) return;
  }
  // After those of the same priority.
  const int priority = DeviceFactory::Priority(info->type());
  const auto place =
      std::find_if(types_.begin(), types_.end(), [&](const DeviceType& t) {
        return DeviceFactory::Priority(t.type_string()) < priority;
      });
  types_.insert(place, DeviceType(info->type()));
}

const DeviceInfo* DeviceSet::Find(absl::string_view name) const {
  for (const DeviceInfo* info : devices_) {
    if (info->name() == name) return info;
  }
  DeviceNameUtils::ParsedName parsed;
  if (!DeviceNameUtils::ParseFullName(name, &parsed) || !parsed.has_type ||
      !parsed.has_id) {
    return nullptr;
  }
  for (const DeviceInfo* info : devices_) {
    if (DeviceNameUtils::IsSpecification(parsed, info->parsed_name())) {
      return info;
    }
  }
  return nullptr;
}

std::string DeviceSet::DeviceNames() const {
  return absl::StrJoin(
      devices_, ", ",
      [](std::string* out, const DeviceInfo* d) { out->append(d->name()); });
}

}  // namespace tensorwright
