// SPDX-License-Identifier: Apache-2.0
// DeviceBase: what a kernel may ask of the device it runs on.
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

// Base of what a device hands its kernels per step (a stream, ...).  CPU
// devices have none.
class DeviceContext {
 public:
  virtual ~DeviceContext() = default;
};

class DeviceBase {
 public:
  explicit DeviceBase(Env* env) : env_(env) {}
  virtual ~DeviceBase();

  Env* env() const { return env_; }

  // The intra-op pool: kernels split one op's work over it with Shard() or
  // ParallelFor().  One pool serves every kernel of a process' CPU devices.
  struct CpuWorkerThreads {
    int num_threads = 0;
    thread::ThreadPool* workers = nullptr;
  };
  void set_tensorflow_cpu_worker_threads(CpuWorkerThreads* t) {
    cpu_worker_threads_ = t;
  }
  // nullptr on a device without any; never on a CPU device.
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

  // What a GPU device says of itself; nullptr on any other.
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

  // Where tensors with these attributes live.  Never null on a device that
  // runs kernels.
  virtual Allocator* GetAllocator(AllocatorAttributes attr) = 0;
  virtual Allocator* GetStepAllocator(AllocatorAttributes attr,
                                      ResourceMgr* step_resource_manager);

  // What variables, stacks and the like live in; nullptr if there is none.
  virtual ResourceMgr* resource_manager() { return nullptr; }

  virtual const DeviceAttributes& attributes() const;
  virtual const std::string& name() const;

  // Makes a tensor of this device from a proto; InvalidArgument if the proto is
  // inconsistent.
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
