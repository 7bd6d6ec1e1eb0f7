// SPDX-License-Identifier: Apache-2.0
// The CPU device and its factory.
#include "core/common_runtime/threadpool_device.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "core/common_runtime/device_factory.h"
#include "core/common_runtime/guarded_allocator.h"
#include "core/common_runtime/limited_allocator.h"
#include "core/common_runtime/memory_in_use.h"
#include "core/common_runtime/session_policy.h"
#include "core/common_runtime/session_threads.h"
#include "core/framework/allocator.h"
#include "core/framework/allocator_reuse.h"
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

std::shared_ptr<Allocator> Unowned(Allocator* allocator) {
  return {std::shared_ptr<void>(), allocator};
}

// One for all CPU devices of a session; null if its policy, which may be null,
// does not limit memory.
std::shared_ptr<Allocator> LimitedBy(const SessionPolicy* policy) {
  if (policy == nullptr || !policy->LimitsMemory()) return nullptr;
  const int64_t piece = policy->proto().max_tensor_bytes();
  const int64_t total = policy->proto().max_memory_bytes();
  std::vector<std::string> lines;
  if (piece > 0) lines.push_back(absl::StrCat("max_tensor_bytes: ", piece));
  if (total > 0) lines.push_back(absl::StrCat("max_memory_bytes: ", total));
  return NewLimitedAllocator(
      AllocatorOf(0),
      absl::StrCat("cpu, where ", policy->Because(absl::StrJoin(lines, ", "))),
      piece, total);
}

// The CPU of a session whose memory is limited: tensors that kernels make
// without asking the device are in it, too.
class LimitedDevice final : public ThreadPoolDevice {
 public:
  using ThreadPoolDevice::ThreadPoolDevice;

  void Compute(OpKernel* kernel, OpKernelContext* context) override {
    const TensorAllocatorScope allocating(GetAllocator(AllocatorAttributes()));
    const AllocatingOp op(&kernel->name(), &kernel->type_string());
    ThreadPoolDevice::Compute(kernel, context);
  }
  void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                    AsyncOpKernel::DoneCallback done) override {
    const TensorAllocatorScope allocating(GetAllocator(AllocatorAttributes()));
    const AllocatingOp op(&kernel->name(), &kernel->type_string());
    ThreadPoolDevice::ComputeAsync(kernel, context, std::move(done));
  }
};

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
    std::shared_ptr<const SessionPolicy> policy;
    TF_RETURN_IF_ERROR(SessionPolicy::FromConfig(config, &policy));
    const std::shared_ptr<Allocator> limited = LimitedBy(policy.get());
    for (int i = 0; i < n; ++i) {
      const std::string name = absl::StrCat(name_prefix, "/device:CPU:", i);
      Env* const env = policy != nullptr ? policy->env() : Env::Default();
      if (limited != nullptr) {
        devices->push_back(
            std::make_unique<LimitedDevice>(name, limited, threads, env));
      } else {
        devices->push_back(std::make_unique<ThreadPoolDevice>(
            name, Unowned(AllocatorOf(i)), threads, env));
      }
    }
    return OkStatus();
  }
};

const RegisterLocalDeviceFactory<ThreadPoolDeviceFactory> kRegistered("CPU",
                                                                      60);

}  // namespace

ThreadPoolDevice::ThreadPoolDevice(const std::string& name,
                                   std::shared_ptr<Allocator> allocator,
                                   SessionThreads* threads, Env* env)
    : Device(env, BuildDeviceAttributes(name, DEVICE_CPU, kReportedMemory, "")),
      allocator_(std::move(allocator)) {
  set_tensorflow_cpu_worker_threads(threads->cpu_worker_threads());
  set_eigen_cpu_device(threads->eigen_device());
}

Status ThreadPoolDevice::MakeTensorFromProto(const TensorProto& proto,
                                             AllocatorAttributes,
                                             Tensor* tensor) {
  return Tensor::ParseProto(allocator_.get(), proto, tensor);
}

}  // namespace tensorwright
