// SPDX-License-Identifier: Apache-2.0
// GpuCard and GpuCopyStream.
#include "core/common_runtime/gpu/gpu_card.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {
namespace {

// The driver keeps at least this much memory for itself.
constexpr size_t kReserve = size_t{300} << 20;
// The most pinned memory; there is little reason for more than a device has.
constexpr size_t kHostLimit = size_t{64} << 30;

// The bytes that this process may take of the card's memory.
size_t LimitOf(const GPUOptions& options, size_t total, size_t free) {
  const double fraction = options.per_process_gpu_memory_fraction();
  if (fraction > 0) {
    return static_cast<size_t>(static_cast<double>(total) * fraction);
  }
  return free - std::min(free / 2, std::max(kReserve, free / 20));
}

}  // namespace

GpuCopyStream::GpuCopyStream(int device, CUstream_st* stream,
                             std::function<Status(const Status&)> check)
    : device_(device), stream_(stream), check_(std::move(check)) {
  // It lives as long as the process.
  std::thread([this] { Run(); }).detach();
}

void GpuCopyStream::Copy(CUstream_st* compute,
                         const std::function<Status(CUstream_st*)>& copy,
                         std::function<void(const Status&)> done) {
  Status status;
  {
    // One after the other: `pending_` has the stream's order.
    absl::MutexLock lock(&mu_);
    CUevent_st* event = nullptr;
    status = Enqueue(compute, copy, &event);
    if (status.ok()) {
      pending_.push_back({event, std::move(done)});
      return;
    }
    if (event != nullptr) events_.push_back(event);
  }
  done(check_(status));
}

Status GpuCopyStream::Enqueue(CUstream_st* compute,
                              const std::function<Status(CUstream_st*)>& copy,
                              CUevent_st** event) {
  gpu::Driver* const driver = gpu::Current();
  TF_RETURN_IF_ERROR(driver->SetDevice(device_));
  TF_RETURN_IF_ERROR(TakeEvent(event));
  // The compute stream's work up to here makes the value, or used the memory
  // that the value goes to.
  TF_RETURN_IF_ERROR(driver->Record(*event, compute));
  TF_RETURN_IF_ERROR(driver->Wait(stream_, *event));
  TF_RETURN_IF_ERROR(copy(stream_));
  // A wait is for the recording that it saw, so the event serves again.
  return driver->Record(*event, stream_);
}

Status GpuCopyStream::TakeEvent(CUevent_st** event) {
  if (events_.empty()) {
    return gpu::Current()->CreateEvent(device_, /*timed=*/false, event);
  }
  *event = events_.back();
  events_.pop_back();
  return OkStatus();
}

void GpuCopyStream::Run() {
  gpu::Current()->SetDevice(device_).IgnoreError();
  while (true) {
    Pending next;
    {
      absl::MutexLock lock(&mu_);
      mu_.Await(absl::Condition(this, &GpuCopyStream::HasPending));
      next = std::move(pending_.front());
      pending_.pop_front();
    }
    const Status status = check_(gpu::Current()->Synchronize(next.event));
    {
      absl::MutexLock lock(&mu_);
      events_.push_back(next.event);
    }
    next.done(status);
  }
}

Status GpuCard::Get(int id, const GPUOptions& options, GpuCard** card) {
  static absl::Mutex mu(absl::kConstInit);
  static auto* cards = new std::map<int, GpuCard*>;
  absl::MutexLock lock(&mu);
  GpuCard*& known = (*cards)[id];
  if (known == nullptr) {
    auto made = std::unique_ptr<GpuCard>(new GpuCard(id));
    TF_RETURN_IF_ERROR(made->Init(options));
    known = made.release();
  }
  *card = known;
  return OkStatus();
}

Status GpuCard::Init(const GPUOptions& options) {
  gpu::Driver* const driver = gpu::Current();
  TF_RETURN_IF_ERROR(driver->Describe(id_, &description_));
  TF_RETURN_IF_ERROR(driver->SetDevice(id_));
  // Streams first: what they need of the card's memory is not free any more.
  CUstream_st* streams[3];
  for (CUstream_st*& stream : streams) {
    TF_RETURN_IF_ERROR(driver->CreateStream(id_, &stream));
  }
  size_t free = 0;
  TF_RETURN_IF_ERROR(driver->FreeMemory(id_, &free));
  const size_t limit = LimitOf(options, description_.memory, free);
  limit_ = static_cast<int64_t>(limit);
  PoolAllocator::Options device;
  device.name = absl::StrCat("GPU_", id_, "_bfc");
  device.limit = limit;
  device.grows = options.allow_growth();
  device.allocate = [driver, id = id_](size_t bytes, void** memory) {
    return driver->Allocate(id, bytes, memory);
  };
  device.release = [driver, id = id_](void* memory) {
    driver->Free(id, memory).IgnoreError();
  };
  device_memory_ = std::make_unique<PoolAllocator>(std::move(device));
  PoolAllocator::Options host;
  host.name = absl::StrCat("gpu_host_", id_);
  host.is_host = true;
  host.limit = kHostLimit;
  host.allocate = [driver, id = id_](size_t bytes, void** memory) -> Status {
    TF_RETURN_IF_ERROR(driver->SetDevice(id));
    return driver->AllocatePinned(bytes, memory);
  };
  host.release = [driver](void* memory) {
    driver->FreePinned(memory).IgnoreError();
  };
  host_memory_ = std::make_unique<PoolAllocator>(std::move(host));
  context_ = std::make_unique<GpuDeviceContext>(streams[0]);
  const auto check = [this](const Status& answer) { return Check(answer); };
  to_device_ = std::make_unique<GpuCopyStream>(id_, streams[1], check);
  to_host_ = std::make_unique<GpuCopyStream>(id_, streams[2], check);
  return OkStatus();
}

Status GpuCard::broken() const {
  if (!is_broken_.load(std::memory_order_acquire)) return OkStatus();
  absl::MutexLock lock(&mu_);
  return broken_;
}

Status GpuCard::Check(const Status& answer) {
  if (answer.ok()) return answer;
  gpu::Driver* const driver = gpu::Current();
  // An error that a second question still meets is there for good.
  driver->LaunchError(id_).IgnoreError();
  const Status again = driver->LaunchError(id_);
  absl::MutexLock lock(&mu_);
  if (!again.ok() && broken_.ok()) {
    broken_ = errors::Internal(
        "GPU ", id_, " (", description_.name,
        ") failed in an earlier operation, and nothing can run on it until the "
        "process is started anew: ",
        again.message());
    is_broken_.store(true, std::memory_order_release);
  }
  return errors::Internal(
      "GPU ", id_, " (", description_.name, "): ", answer.message(),
      last_op_.empty()
          ? ""
          : absl::StrCat("; the last op that was started is ", last_op_,
                         Blocking() ? ""
                                    : " (TW_GPU_BLOCKING=1 waits for "
                                      "each, and so finds the op)"));
}

Status GpuCard::Sync() {
  TF_RETURN_IF_ERROR(broken());
  return Check(gpu::Current()->Synchronize(compute()));
}

bool GpuCard::Blocking() {
  static const bool blocking = [] {
    const char* text = std::getenv("TW_GPU_BLOCKING");
    return text != nullptr && std::string(text) == "1";
  }();
  return blocking;
}

void GpuCard::NoteLaunch(const std::string& op, const std::string& type) {
  absl::MutexLock lock(&mu_);
  last_op_.assign(op).append(" (").append(type).append(")");
}

}  // namespace tensorwright
