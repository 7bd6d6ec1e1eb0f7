// SPDX-License-Identifier: Apache-2.0
// DeviceBase: answers what a kernel asks of the device it runs on.
//
// It does not change once it is set up, so any thread may ask.  The objects
// that it returns by pointer live as long as the device, which outlives every
// kernel on it; callers do not own them.  Only the code that makes the device
// calls the setters, before the first kernel.  The device of the runtime is
// core/common_runtime/device.h; tests and constant folding have smaller ones.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_DEVICE_BASE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_DEVICE_BASE_H_

#include <string>

#include "core/framework/allocator.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace Eigen {
struct ThreadPoolDevice;
struct GpuDevice;
}  // namespace Eigen

namespace tensorwright {

class Device;
class DeviceAttributes;
class Env;
class ResourceMgr;
class TensorProto;

namespace thread {
class ThreadPool;
}  // namespace thread

// Base class of the object that a device hands its kernels per step (a stream,
// ...).  CPU devices have none.  Kernels cast it to the class that their device
// type documents (gpu_device_context.h).
class DeviceContext {
 public:
  virtual ~DeviceContext() = default;
};

class DeviceBase {
 public:
  explicit DeviceBase(Env* env) : env_(env) {}
  virtual ~DeviceBase();

  // Reaches files and clocks; as given to the constructor.
  Env* env() const { return env_; }

  // The intra-op pool: kernels split one op's work over it with Shard() or
  // ParallelFor().  One pool serves every kernel of a process' CPU devices,
  // unless a session's config asks for another.  The struct is not owned and
  // must outlive the device.
  struct CpuWorkerThreads {
    int num_threads = 0;
    thread::ThreadPool* workers = nullptr;
  };
  void set_tensorflow_cpu_worker_threads(CpuWorkerThreads* t) {
    cpu_worker_threads_ = t;
  }
  // nullptr on a device without any; never on a CPU device of a session.
  virtual const CpuWorkerThreads* tensorflow_cpu_worker_threads() const {
    return cpu_worker_threads_;
  }

  // The same pool seen by Eigen.  The object is not owned and must outlive the
  // device.
  void set_eigen_cpu_device(Eigen::ThreadPoolDevice* d) {
    eigen_cpu_device_ = d;
  }
  virtual const Eigen::ThreadPoolDevice* eigen_cpu_device() const {
    return eigen_cpu_device_;
  }
  bool has_eigen_cpu_device() const { return eigen_cpu_device_ != nullptr; }
  virtual const Eigen::GpuDevice* eigen_gpu_device() const { return nullptr; }

  // A GPU device's description of itself; nullptr on any other device.
  // `gpu_id` counts the process' GPUs from 0; `default_context` is the
  // device's.
  struct GpuDeviceInfo {
    int gpu_id = -1;
    DeviceContext* default_context = nullptr;
  };
  using AcceleratorDeviceInfo = GpuDeviceInfo;
  virtual const GpuDeviceInfo* tensorflow_gpu_device_info() const {
    return nullptr;
  }
  const AcceleratorDeviceInfo* tensorflow_accelerator_device_info() const {
    return tensorflow_gpu_device_info();
  }

  // The allocator for tensors with these attributes; owned by the device.
  // Never null on a device that runs kernels.  Memory that is for one step only
  // comes from the step allocator, which is the same one unless a device says
  // otherwise.
  virtual Allocator* GetAllocator(AllocatorAttributes attr) = 0;
  virtual Allocator* GetStepAllocator(AllocatorAttributes attr,
                                      ResourceMgr* step_resource_manager);

  // Holds variables, stacks and the like; owned by the device; nullptr if there
  // is none.
  virtual ResourceMgr* resource_manager() { return nullptr; }

  // The attributes, and the name, of a device that was given none are empty.
  virtual const DeviceAttributes& attributes() const;
  virtual const std::string& name() const;

  // Makes a tensor of this device from a proto; InvalidArgument if the proto is
  // inconsistent, ResourceExhausted without memory; *tensor is left alone then.
  // This one parses into the allocator's memory, which must be the host's: a
  // device with memory of its own overrides it.
  virtual Status MakeTensorFromProto(const TensorProto& tensor_proto,
                                     AllocatorAttributes alloc_attrs,
                                     Tensor* tensor);

 private:
  Env* const env_;
  CpuWorkerThreads* cpu_worker_threads_ = nullptr;
  Eigen::ThreadPoolDevice* eigen_cpu_device_ = nullptr;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_DEVICE_BASE_H_
