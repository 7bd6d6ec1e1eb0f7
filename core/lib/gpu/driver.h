// SPDX-License-Identifier: Apache-2.0
// Driver: what the runtime and kernels ask of GPUs.
//
// Each GPU library has one: CUDA's (driver_cuda.cc) or the stand-in
// (driver_stand_in.cc).  Work goes into streams and is done later, in order;
// every error of a call is Internal and names the call, except lack of memory,
// which is ResourceExhausted.  An error of work that was enqueued shows in a
// later call; if it broke the device, in all later ones.  Thread safe.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_DRIVER_H_
#define TENSORWRIGHT_CORE_LIB_GPU_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/lib/core/status.h"

struct CUstream_st;  // A cudaStream_t points to one.
struct CUevent_st;   // A cudaEvent_t points to one.

namespace tensorwright::gpu {

struct DeviceDescription {
  std::string name;
  std::string pci_bus_id;
  size_t memory = 0;  // In bytes, of which others may use some.
  int multiprocessors = 1;
  // Compute capability, 9.0 of an H100; 0.0 of the stand-in.
  int major = 0;
  int minor = 0;
};

class Driver {
 public:
  virtual ~Driver() = default;

  // "CUDA", or "stand-in".
  virtual std::string Name() = 0;

  // ---- Devices, numbered from 0.
  // 0 if there is no card, or no driver for it.
  virtual int DeviceCount() = 0;
  virtual Status Describe(int device, DeviceDescription* description) = 0;
  // The calling thread's launches go to this device's streams from here on.
  virtual Status SetDevice(int device) = 0;
  virtual int multiprocessors(int device) = 0;
  virtual Status FreeMemory(int device, size_t* bytes) = 0;
  // Waits for all work of the device.
  virtual Status SynchronizeDevice(int device) = 0;

  // ---- Memory
  // ResourceExhausted if there is not enough.  The host cannot touch it.
  virtual Status Allocate(int device, size_t bytes, void** memory) = 0;
  // Waits for the device's work if it has to.
  virtual Status Free(int device, void* memory) = 0;
  // Host memory that devices copy from and to without waiting for the host.
  virtual Status AllocatePinned(size_t bytes, void** memory) = 0;
  virtual Status FreePinned(void* memory) = 0;

  // ---- Streams and events
  virtual Status CreateStream(int device, CUstream_st** stream) = 0;
  // The stream has no work left.
  virtual Status DestroyStream(CUstream_st* stream) = 0;
  virtual Status Synchronize(CUstream_st* stream) = 0;
  // `timed`: ElapsedMicros can use it.
  virtual Status CreateEvent(int device, bool timed, CUevent_st** event) = 0;
  virtual Status DestroyEvent(CUevent_st* event) = 0;
  // The event happens when the stream's work up to here is done.
  virtual Status Record(CUevent_st* event, CUstream_st* stream) = 0;
  // All that is enqueued in the stream from here on waits for the event, as it
  // was recorded last.
  virtual Status Wait(CUstream_st* stream, CUevent_st* event) = 0;
  // Has it happened? True for one that was never recorded.
  virtual Status Query(CUevent_st* event, bool* happened) = 0;
  virtual Status Synchronize(CUevent_st* event) = 0;
  // Between two events that have happened.
  virtual Status ElapsedMicros(CUevent_st* begin, CUevent_st* end,
                               double* micros) = 0;

  // ---- Copies, enqueued.  Host memory that is not pinned may be copied before
  // the call returns; it stays the caller's until the copy is done.
  virtual Status CopyToDevice(CUstream_st* stream, void* device,
                              const void* host, size_t bytes) = 0;
  virtual Status CopyToHost(CUstream_st* stream, void* host, const void* device,
                            size_t bytes) = 0;
  // Within a device, or from one device to another.
  virtual Status CopyOnDevice(CUstream_st* stream, void* to, const void* from,
                              size_t bytes) = 0;
  virtual Status Set(CUstream_st* stream, void* memory, int byte,
                     size_t bytes) = 0;

  // ---- Errors
  // The error of this thread's launches since the last call, or the one that
  // broke the device.
  virtual Status LaunchError(int device) = 0;
};

// The library's driver.  Never null, never destroyed.
Driver* Current();

}  // namespace tensorwright::gpu

#endif  // TENSORWRIGHT_CORE_LIB_GPU_DRIVER_H_
