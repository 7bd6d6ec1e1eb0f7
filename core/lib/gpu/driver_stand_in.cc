// SPDX-License-Identifier: Apache-2.0
// The driver of the stand-in, which computes on the CPU what a GPU would, as
// late as a GPU does.
//
// TW_GPU_STAND_IN_DEVICES: how many there are, 1 by default.
// TW_GPU_STAND_IN_MEMORY: MiB of each, 1024 by default.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "core/lib/gpu/driver.h"
#include "core/lib/gpu/stand_in_device.h"

namespace tensorwright::gpu {
namespace {

using stand_in::Device;
using stand_in::Event;
using stand_in::Occurrence;
using stand_in::Stream;

Stream* In(CUstream_st* stream) { return reinterpret_cast<Stream*>(stream); }
Event* In(CUevent_st* event) { return reinterpret_cast<Event*>(event); }

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  int64_t value = 0;
  if (text == nullptr) return otherwise;
  if (absl::SimpleAtoi(text, &value) && value >= 0 && value <= (1 << 20)) {
    return value;
  }
  LOG(WARNING) << name << "=" << text << " is no number from 0 to 1048576";
  return otherwise;
}

class StandInDriver final : public Driver {
 public:
  StandInDriver() {
    const int64_t n = FromEnvironment("TW_GPU_STAND_IN_DEVICES", 1);
    const size_t memory = FromEnvironment("TW_GPU_STAND_IN_MEMORY", 1024) << 20;
    const auto faults = stand_in::ParseFaults(std::getenv("TW_GPU_FAULTS"));
    for (int64_t i = 0; i < n; ++i) {
      devices_.push_back(std::make_unique<Device>(memory, faults));
    }
  }

  std::string Name() override { return "stand-in"; }

  int DeviceCount() override { return static_cast<int>(devices_.size()); }
  Status Describe(int device, DeviceDescription* d) override {
    d->name = "stand-in";
    d->pci_bus_id = absl::StrCat("stand-in:", device);
    d->memory = devices_[device]->memory();
    d->multiprocessors = 1;
    d->major = d->minor = 0;
    return OkStatus();
  }
  Status SetDevice(int) override { return OkStatus(); }
  int multiprocessors(int) override { return 1; }
  Status FreeMemory(int device, size_t* bytes) override {
    *bytes = devices_[device]->FreeBytes();
    return OkStatus();
  }
  Status SynchronizeDevice(int device) override {
    std::vector<std::shared_ptr<Occurrence>> last;
    {
      absl::MutexLock lock(&mu_);
      for (Stream* stream : streams_) {
        if (stream->device() != devices_[device].get()) continue;
        last.push_back(std::make_shared<Occurrence>());
        stream->Enqueue(Stream::kEvent,
                        [done = last.back()] { done->Happen(); });
      }
    }
    for (const auto& done : last) done->Await();
    return devices_[device]->status();
  }

  Status Allocate(int device, size_t bytes, void** memory) override {
    return devices_[device]->Allocate(bytes, memory);
  }
  Status Free(int device, void* memory) override {
    // Work that uses it may still be on its way; errors of that show elsewhere.
    SynchronizeDevice(device).IgnoreError();
    return devices_[device]->Free(memory);
  }
  Status AllocatePinned(size_t bytes, void** memory) override {
    *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (*memory != nullptr) return OkStatus();
    return errors::ResourceExhausted("stand-in: no ", bytes,
                                     " bytes of pinned memory");
  }
  Status FreePinned(void* memory) override {
    std::free(memory);
    return OkStatus();
  }

  Status CreateStream(int device, CUstream_st** stream) override {
    absl::MutexLock lock(&mu_);
    auto* made = new Stream(devices_[device].get(), ++seed_);
    streams_.push_back(made);
    *stream = reinterpret_cast<CUstream_st*>(made);
    return OkStatus();
  }
  Status DestroyStream(CUstream_st* stream) override {
    {
      absl::MutexLock lock(&mu_);
      std::erase(streams_, In(stream));
    }
    delete In(stream);
    return OkStatus();
  }
  Status Synchronize(CUstream_st* stream) override {
    In(stream)->Synchronize();
    return In(stream)->device()->status();
  }
  Status CreateEvent(int, bool, CUevent_st** event) override {
    *event = reinterpret_cast<CUevent_st*>(new Event);
    return OkStatus();
  }
  Status DestroyEvent(CUevent_st* event) override {
    delete In(event);
    return OkStatus();
  }
  Status Record(CUevent_st* event, CUstream_st* stream) override {
    auto made = std::make_shared<Occurrence>();
    made->device = In(stream)->device();
    {
      absl::MutexLock lock(&In(event)->mu);
      In(event)->last = made;
    }
    In(stream)->Enqueue(Stream::kEvent, [made] { made->Happen(); });
    return In(stream)->device()->status();
  }
  Status Wait(CUstream_st* stream, CUevent_st* event) override {
    if (auto last = In(event)->Last(); last != nullptr) {
      In(stream)->Enqueue(Stream::kEvent, [last] { last->Await(); });
    }
    return In(stream)->device()->status();
  }
  Status Query(CUevent_st* event, bool* happened) override {
    const auto last = In(event)->Last();
    *happened = last == nullptr || last->HasHappened();
    return last == nullptr ? OkStatus() : last->device->status();
  }
  Status Synchronize(CUevent_st* event) override {
    const auto last = In(event)->Last();
    if (last == nullptr) return OkStatus();
    last->Await();
    return last->device->status();
  }
  Status ElapsedMicros(CUevent_st* begin, CUevent_st* end,
                       double* micros) override {
    const auto from = In(begin)->Last(), to = In(end)->Last();
    if (from == nullptr || to == nullptr || !from->HasHappened() ||
        !to->HasHappened()) {
      return errors::Internal("stand-in: an event has not happened");
    }
    *micros = absl::ToDoubleMicroseconds(to->When() - from->When());
    return OkStatus();
  }

  Status CopyToDevice(CUstream_st* stream, void* device, const void* host,
                      size_t bytes) override {
    return Copy(stream, device, host, bytes);
  }
  Status CopyToHost(CUstream_st* stream, void* host, const void* device,
                    size_t bytes) override {
    return Copy(stream, host, device, bytes);
  }
  Status CopyOnDevice(CUstream_st* stream, void* to, const void* from,
                      size_t bytes) override {
    return Copy(stream, to, from, bytes);
  }
  Status Set(CUstream_st* stream, void* memory, int byte,
             size_t bytes) override {
    In(stream)->Enqueue(Stream::kWork,
                        [=] { std::memset(memory, byte, bytes); });
    return In(stream)->device()->status();
  }

  Status LaunchError(int device) override { return devices_[device]->status(); }

 private:
  static Status Copy(CUstream_st* stream, void* to, const void* from,
                     size_t bytes) {
    In(stream)->Enqueue(Stream::kDelay, [=] { std::memcpy(to, from, bytes); });
    return In(stream)->device()->status();
  }

  std::vector<std::unique_ptr<Device>> devices_;
  absl::Mutex mu_;
  std::vector<Stream*> streams_ ABSL_GUARDED_BY(mu_);
  uint32_t seed_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace

Driver* Current() {
  static auto* const driver = new StandInDriver;
  return driver;
}

}  // namespace tensorwright::gpu
