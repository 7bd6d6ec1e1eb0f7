// SPDX-License-Identifier: Apache-2.0
// The CPU device: kernels run in the calling thread and share the session's
// intra-op pool.
//
// Its factory is registered for type "CPU": a session gets one, or as many as
// device_count['CPU'] says.  All allocator attributes mean one memory, the
// host's.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_THREADPOOL_DEVICE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_THREADPOOL_DEVICE_H_

#include <memory>
#include <string>

#include "core/common_runtime/device.h"

namespace tensorwright {

class SessionThreads;

class ThreadPoolDevice : public Device {
 public:
  // `name` is a full device name (anything else ends the process).  `threads`
  // and `env` outlive the device, and the allocator all tensors made with it,
  // fetched ones included; the device keeps the latter's owner.
  ThreadPoolDevice(const std::string& name,
                   std::shared_ptr<Allocator> allocator,
                   SessionThreads* threads, Env* env);

  Allocator* GetAllocator(AllocatorAttributes) override {
    return allocator_.get();
  }
  Status MakeTensorFromProto(const TensorProto& proto, AllocatorAttributes,
                             Tensor* tensor) override;

 private:
  const std::shared_ptr<Allocator> allocator_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_THREADPOOL_DEVICE_H_
