// SPDX-License-Identifier: Apache-2.0
// The CPU device and its factory.
#include "core/common_runtime/threadpool_device.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/guarded_allocator.h"
#include "core/common_runtime/session_threads.h"
#include "core/framework/allocator.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {
namespace {

constexpr int kMaxCpuDevices = 1024;
// TensorFlow reports the same.
constexpr int64_t kReportedMemory = int64_t{256} << 20;

// The allocator of CPU:<id>.  Fetched tensors outlive sessions, so allocators
// belong to the process and are never destroyed.
Allocator* AllocatorOf(int id) {
  if (Allocator* guarded = GuardedAllocator()) return guarded;
  if (id == 0) return cpu_allocator();
  static absl::Mutex mu(absl::kConstInit);
  static auto* allocators = new std::map<int, std::unique_ptr<Allocator>>;
  absl::MutexLock lock(&mu);
  std::unique_ptr<Allocator>& allocator = (*allocators)[id];
  if (allocator == nullptr) {
    allocator = MakeCpuAllocator(absl::StrCat("cpu_", id));
  }
  return allocator.get();
}

class ThreadPoolDeviceFactory final : public DeviceFactory {
 public:
  Status CreateDevices(const ConfigProto& config,
                       const std::string& name_prefix, SessionThreads* threads,
                       std::vector<std::unique_ptr<Device>>* devices) override {
    auto it = config.device_count().find("CPU");
    const int n = it == config.device_count().end() ? 1 : it->second;
    if (n > kMaxCpuDevices) {
      return errors::InvalidArgument(
          "ConfigProto: device_count['CPU'] must be"
          " <= ",
          kMaxCpuDevices, ", got ", n);
    }
    for (int i = 0; i < n; ++i) {
      devices->push_back(std::make_unique<ThreadPoolDevice>(
          absl::StrCat(name_prefix, "/device:CPU:", i), AllocatorOf(i),
          threads));
    }
    return OkStatus();
  }
};

const RegisterLocalDeviceFactory<ThreadPoolDeviceFactory> kRegistered("CPU",
                                                                      60);

}  // namespace

ThreadPoolDevice::ThreadPoolDevice(const std::string& name,
                                   Allocator* allocator,
                                   SessionThreads* threads)
    : Device(Env::Default(),
             BuildDeviceAttributes(name, DEVICE_CPU, kReportedMemory, "")),
      allocator_(allocator) {
  set_tensorflow_cpu_worker_threads(threads->cpu_worker_threads());
  set_eigen_cpu_device(threads->eigen_device());
}

Status ThreadPoolDevice::MakeTensorFromProto(const TensorProto& proto,
                                             AllocatorAttributes,
                                             Tensor* tensor) {
  return Tensor::ParseProto(allocator_, proto, tensor);
}

}  // namespace tensorwright
