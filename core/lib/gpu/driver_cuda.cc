// SPDX-License-Identifier: Apache-2.0
// The driver of NVIDIA's GPUs, over CUDA's runtime.
#include <cuda_runtime.h>

#include <vector>

#include "absl/synchronization/mutex.h"
#include "core/lib/core/errors.h"
#include "core/lib/gpu/driver.h"

namespace tensorwright::gpu {
namespace {

Status ToStatus(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return OkStatus();
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // It breaks nothing.
    return errors::ResourceExhausted("CUDA: ", call, ": ",
                                     cudaGetErrorString(error));
  }
  return errors::Internal("CUDA: ", call, ": ", cudaGetErrorName(error), ", ",
                          cudaGetErrorString(error));
}

#define TW_CUDA(call, ...) ToStatus(call(__VA_ARGS__), #call)

class CudaDriver final : public Driver {
 public:
  CudaDriver() {
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess) {
      cudaGetLastError();  // No card, or no driver for it.
      n = 0;
    }
    for (int i = 0; i < n; ++i) {
      int processors = 1;
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, i);
      multiprocessors_.push_back(processors);
    }
  }

  std::string Name() override { return "CUDA"; }

  int DeviceCount() override {
    return static_cast<int>(multiprocessors_.size());
  }
  Status Describe(int device, DeviceDescription* d) override {
    cudaDeviceProp properties;
    TF_RETURN_IF_ERROR(TW_CUDA(cudaGetDeviceProperties, &properties, device));
    d->name = properties.name;
    d->memory = properties.totalGlobalMem;
    d->multiprocessors = properties.multiProcessorCount;
    d->major = properties.major;
    d->minor = properties.minor;
    char bus[32] = "";
    TF_RETURN_IF_ERROR(
        TW_CUDA(cudaDeviceGetPCIBusId, bus, sizeof(bus), device));
    d->pci_bus_id = bus;
    return OkStatus();
  }
  Status SetDevice(int device) override {
    // Asked before each kernel, so a call is spared where nothing changes.
    thread_local int current = -1;
    if (current == device) return OkStatus();
    TF_RETURN_IF_ERROR(TW_CUDA(cudaSetDevice, device));
    current = device;
    return OkStatus();
  }
  int multiprocessors(int device) override { return multiprocessors_[device]; }
  Status FreeMemory(int device, size_t* bytes) override {
    TF_RETURN_IF_ERROR(SetDevice(device));
    size_t total = 0;
    return TW_CUDA(cudaMemGetInfo, bytes, &total);
  }
  Status SynchronizeDevice(int device) override {
    TF_RETURN_IF_ERROR(SetDevice(device));
    return TW_CUDA(cudaDeviceSynchronize);
  }

  Status Allocate(int device, size_t bytes, void** memory) override {
    TF_RETURN_IF_ERROR(SetDevice(device));
    return TW_CUDA(cudaMalloc, memory, bytes);
  }
  Status Free(int device, void* memory) override {
    TF_RETURN_IF_ERROR(SetDevice(device));
    return TW_CUDA(cudaFree, memory);
  }
  Status AllocatePinned(size_t bytes, void** memory) override {
    return TW_CUDA(cudaHostAlloc, memory, bytes, cudaHostAllocPortable);
  }
  Status FreePinned(void* memory) override {
    return TW_CUDA(cudaFreeHost, memory);
  }

  Status CreateStream(int device, CUstream_st** stream) override {
    TF_RETURN_IF_ERROR(SetDevice(device));
    return TW_CUDA(cudaStreamCreateWithFlags, stream, cudaStreamNonBlocking);
  }
  Status DestroyStream(CUstream_st* stream) override {
    return TW_CUDA(cudaStreamDestroy, stream);
  }
  Status Synchronize(CUstream_st* stream) override {
    return TW_CUDA(cudaStreamSynchronize, stream);
  }
  Status CreateEvent(int device, bool timed, CUevent_st** event) override {
    TF_RETURN_IF_ERROR(SetDevice(device));
    return TW_CUDA(cudaEventCreateWithFlags, event,
                   timed ? cudaEventDefault : cudaEventDisableTiming);
  }
  Status DestroyEvent(CUevent_st* event) override {
    return TW_CUDA(cudaEventDestroy, event);
  }
  Status Record(CUevent_st* event, CUstream_st* stream) override {
    return TW_CUDA(cudaEventRecord, event, stream);
  }
  Status Wait(CUstream_st* stream, CUevent_st* event) override {
    return TW_CUDA(cudaStreamWaitEvent, stream, event, 0);
  }
  Status Query(CUevent_st* event, bool* happened) override {
    const cudaError_t error = cudaEventQuery(event);
    *happened = error == cudaSuccess;
    if (error == cudaErrorNotReady) return OkStatus();
    return ToStatus(error, "cudaEventQuery");
  }
  Status Synchronize(CUevent_st* event) override {
    return TW_CUDA(cudaEventSynchronize, event);
  }
  Status ElapsedMicros(CUevent_st* begin, CUevent_st* end,
                       double* micros) override {
    float millis = 0;
    TF_RETURN_IF_ERROR(TW_CUDA(cudaEventElapsedTime, &millis, begin, end));
    *micros = millis * 1e3;
    return OkStatus();
  }

  Status CopyToDevice(CUstream_st* stream, void* device, const void* host,
                      size_t bytes) override {
    return TW_CUDA(cudaMemcpyAsync, device, host, bytes, cudaMemcpyHostToDevice,
                   stream);
  }
  Status CopyToHost(CUstream_st* stream, void* host, const void* device,
                    size_t bytes) override {
    return TW_CUDA(cudaMemcpyAsync, host, device, bytes, cudaMemcpyDeviceToHost,
                   stream);
  }
  Status CopyOnDevice(CUstream_st* stream, void* to, const void* from,
                      size_t bytes) override {
    // Both ends have unified addresses, which say whose memory they are.
    return TW_CUDA(cudaMemcpyAsync, to, from, bytes, cudaMemcpyDefault, stream);
  }
  Status Set(CUstream_st* stream, void* memory, int byte,
             size_t bytes) override {
    return TW_CUDA(cudaMemsetAsync, memory, byte, bytes, stream);
  }

  Status LaunchError(int device) override {
    TF_RETURN_IF_ERROR(SetDevice(device));
    return TW_CUDA(cudaGetLastError);
  }

 private:
  std::vector<int> multiprocessors_;
};

}  // namespace

Driver* Current() {
  static auto* const driver = new CudaDriver;
  return driver;
}

}  // namespace tensorwright::gpu
