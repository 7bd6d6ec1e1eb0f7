// SPDX-License-Identifier: Apache-2.0
// The stand-in's devices: streams that are threads, events, memory that traps.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_STAND_IN_DEVICE_H_
#define TENSORWRIGHT_CORE_LIB_GPU_STAND_IN_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/lib/core/status.h"

namespace tensorwright::gpu::stand_in {

// Faults that are injected: TW_GPU_FAULTS=oom:N,sticky:N.
struct Faults {
  int64_t oom = 0;     // From this allocation on there is no memory; 0: never.
  int64_t sticky = 0;  // This piece of kernels' work breaks its device.
};
Faults ParseFaults(const char* text);

// Memory that only threads of streams can touch, by a protection key where the
// CPU has them.  Else it can be touched while any stream is at work.
class Memory {
 public:
  static Memory* Get();

  // Null if the system has none.  Whole pages, filled with 0xA5 at first.
  void* Allocate(size_t bytes);
  void Free(void* memory);
  // Brackets the work of a stream's thread.
  void BeginWork();
  void EndWork();
  bool has_key() const { return key_ >= 0; }

 private:
  Memory();
  void Protect(int protection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const int key_;
  absl::Mutex mu_;
  absl::flat_hash_map<void*, size_t> pieces_ ABSL_GUARDED_BY(mu_);
  int working_ ABSL_GUARDED_BY(mu_) = 0;
};

class Device;

// One recording of an event.
struct Occurrence {
  Device* device = nullptr;  // The recording stream's.
  absl::Mutex mu;
  bool happened ABSL_GUARDED_BY(mu) = false;
  absl::Time when ABSL_GUARDED_BY(mu);

  void Happen();
  bool HasHappened();
  absl::Time When();  // It has happened.
  void Await();
};

class Device {
 public:
  Device(size_t memory, Faults faults) : memory_(memory), faults_(faults) {}

  // OK, or what broke the device.
  Status status();
  void Break(const Status& status);
  // Notes a piece of a kernel's work; false if it breaks the device instead.
  bool MayRunKernel();
  Status Allocate(size_t bytes, void** memory);
  Status Free(void* memory);
  size_t FreeBytes();
  size_t memory() const { return memory_; }

 private:
  const size_t memory_;
  const Faults faults_;
  absl::Mutex mu_;
  Status status_ ABSL_GUARDED_BY(mu_);
  size_t used_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t allocations_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t kernels_ ABSL_GUARDED_BY(mu_) = 0;
  absl::flat_hash_map<void*, size_t> sizes_ ABSL_GUARDED_BY(mu_);
};

// A thread that does one piece of work after the other.
class Stream {
 public:
  enum Kind {
    kWork,   // Dropped if the device is broken.
    kDelay,  // The same, after a random time.
    kEvent,  // Always done, so that nobody waits forever.
  };

  Stream(Device* device, uint32_t seed);
  ~Stream();  // Does what is left.

  void Enqueue(Kind kind, std::function<void()> work);
  // Waits until all work enqueued so far is done.
  void Synchronize();
  Device* device() const { return device_; }
  // The stream whose thread this is, or null.
  static Stream* OfThisThread();

 private:
  struct Piece {
    Kind kind;
    std::function<void()> work;
  };
  void Run();
  bool HasWork() const ABSL_SHARED_LOCKS_REQUIRED(mu_) {
    return ending_ || !pieces_.empty();
  }

  Device* const device_;
  std::minstd_rand random_;  // Of the thread.
  absl::Mutex mu_;
  std::deque<Piece> pieces_ ABSL_GUARDED_BY(mu_);
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

struct Event {
  absl::Mutex mu;
  // Null: never recorded.
  std::shared_ptr<Occurrence> last ABSL_GUARDED_BY(mu);

  std::shared_ptr<Occurrence> Last() {
    absl::MutexLock lock(&mu);
    return last;
  }
};

}  // namespace tensorwright::gpu::stand_in

#endif  // TENSORWRIGHT_CORE_LIB_GPU_STAND_IN_DEVICE_H_
