// SPDX-License-Identifier: Apache-2.0
// The CPU device: kernels run in the calling thread and share the session's
// intra-op pool.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_THREADPOOL_DEVICE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_THREADPOOL_DEVICE_H_

#include <string>

#include "core/common_runtime/device.h"

namespace tensorwright {

class SessionThreads;

class ThreadPoolDevice final : public Device {
 public:
  // `allocator` and `threads` outlive the device.
  ThreadPoolDevice(const std::string& name, Allocator* allocator,
                   SessionThreads* threads);

  Allocator* GetAllocator(AllocatorAttributes) override { return allocator_; }
  Status MakeTensorFromProto(const TensorProto& proto, AllocatorAttributes,
                             Tensor* tensor) override;

 private:
  Allocator* const allocator_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_THREADPOOL_DEVICE_H_
