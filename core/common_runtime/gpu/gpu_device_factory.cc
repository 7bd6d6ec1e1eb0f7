// SPDX-License-Identifier: Apache-2.0
// Makes the GPU devices of a session: as many as there are, or as
// device_count["GPU"] says, in the order of gpu_options.visible_device_list.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/gpu/gpu_device.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {
namespace {

// The driver's numbers of the devices that the options let be seen.
Status VisibleDevices(const GPUOptions& options, int count,
                      std::vector<int>* visible) {
  const std::string& list = options.visible_device_list();
  if (list.empty()) {
    for (int i = 0; i < count; ++i) visible->push_back(i);
    return OkStatus();
  }
  std::set<int> seen;
  for (const absl::string_view part : absl::StrSplit(list, ',')) {
    int id = -1;
    if (!absl::SimpleAtoi(part, &id)) {
      return errors::InvalidArgument(
          "ConfigProto: gpu_options.visible_device_list='", list, "': '", part,
          "' is no number");
    }
    if (id < 0 || id >= count) {
      return errors::InvalidArgument(
          "ConfigProto: gpu_options.visible_device_list='", list,
          "' names GPU ", id, "; there are ", count);
    }
    if (!seen.insert(id).second) {
      return errors::InvalidArgument(
          "ConfigProto: gpu_options.visible_device_list='", list,
          "' names GPU ", id, " twice");
    }
    visible->push_back(id);
  }
  return OkStatus();
}

class GpuDeviceFactory final : public DeviceFactory {
 public:
  Status CreateDevices(const ConfigProto& config,
                       const std::string& name_prefix, SessionThreads* threads,
                       std::vector<std::unique_ptr<Device>>* devices) override {
    size_t wanted = -1;
    const auto it = config.device_count().find("GPU");
    if (it != config.device_count().end()) wanted = it->second;
    const int count = gpu::Current()->DeviceCount();
    if (wanted == 0 || count == 0) return OkStatus();
    const GPUOptions& options = config.gpu_options();
    const double fraction = options.per_process_gpu_memory_fraction();
    if (!(fraction >= 0 && fraction <= 1)) {
      return errors::InvalidArgument(
          "ConfigProto: gpu_options.per_process_gpu_memory_fraction must be "
          "from 0 to 1, got ",
          fraction);
    }
    std::vector<int> visible;
    TF_RETURN_IF_ERROR(VisibleDevices(options, count, &visible));
    if (visible.size() > wanted) visible.resize(wanted);
    for (size_t i = 0; i < visible.size(); ++i) {
      GpuCard* card = nullptr;
      TF_RETURN_IF_ERROR(GpuCard::Get(visible[i], options, &card));
      devices->push_back(std::make_unique<GpuDevice>(
          absl::StrCat(name_prefix, "/device:GPU:", i), card, threads));
    }
    return OkStatus();
  }
};

const RegisterLocalDeviceFactory<GpuDeviceFactory> kRegistered(DEVICE_GPU, 70);

}  // namespace
}  // namespace tensorwright
