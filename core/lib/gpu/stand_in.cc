// SPDX-License-Identifier: Apache-2.0
// Streams, events and faults of the stand-in.
#include "core/lib/gpu/stand_in.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "core/lib/gpu/stand_in_device.h"

namespace tensorwright::gpu::stand_in {
namespace {

thread_local Stream* stream_of_this_thread = nullptr;

// The longest time by which a copy is late, in microseconds: TW_GPU_DELAY.
int LongestDelay() {
  static const int delay = [] {
    const char* text = std::getenv("TW_GPU_DELAY");
    int value = 50;
    if (text != nullptr && !absl::SimpleAtoi(text, &value)) {
      LOG(WARNING) << "TW_GPU_DELAY=" << text << " is no number";
    }
    return value;
  }();
  return delay;
}

}  // namespace

Faults ParseFaults(const char* text) {
  Faults faults;
  if (text == nullptr) return faults;
  for (const absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> fault =
        absl::StrSplit(part, absl::MaxSplits(':', 1));
    int64_t n = 0;
    const bool is_number = absl::SimpleAtoi(fault.second, &n) && n > 0;
    if (is_number && fault.first == "oom") {
      faults.oom = n;
    } else if (is_number && fault.first == "sticky") {
      faults.sticky = n;
    } else {
      LOG(WARNING) << "TW_GPU_FAULTS: '" << part
                   << "' is neither oom:N nor sticky:N, N > 0";
    }
  }
  return faults;
}

void Enqueue(CUstream_st* stream, std::function<void()> work) {
  if (stream == nullptr) return work();
  auto* const s = reinterpret_cast<Stream*>(stream);
  s->Enqueue(Stream::kWork, [s, work = std::move(work)] {
    if (s->device()->MayRunKernel()) work();
  });
}

void ReportError(const Status& error) {
  if (stream_of_this_thread != nullptr) {
    stream_of_this_thread->device()->Break(error);
  } else {
    LOG(ERROR) << error;
  }
}

void Occurrence::Happen() {
  absl::MutexLock lock(&mu);
  happened = true;
  when = absl::Now();
}

bool Occurrence::HasHappened() {
  absl::MutexLock lock(&mu);
  return happened;
}

absl::Time Occurrence::When() {
  absl::MutexLock lock(&mu);
  return when;
}

void Occurrence::Await() {
  absl::MutexLock lock(&mu);
  mu.Await(absl::Condition(&happened));
}

Stream::Stream(Device* device, uint32_t seed)
    : device_(device), random_(seed), thread_([this] { Run(); }) {}

Stream::~Stream() {
  {
    absl::MutexLock lock(&mu_);
    ending_ = true;
  }
  thread_.join();
}

Stream* Stream::OfThisThread() { return stream_of_this_thread; }

void Stream::Enqueue(Kind kind, std::function<void()> work) {
  absl::MutexLock lock(&mu_);
  pieces_.push_back({kind, std::move(work)});
}

void Stream::Synchronize() {
  auto done = std::make_shared<Occurrence>();
  Enqueue(kEvent, [done] { done->Happen(); });
  done->Await();
}

void Stream::Run() {
  stream_of_this_thread = this;
  while (true) {
    Piece piece;
    {
      absl::MutexLock lock(&mu_);
      mu_.Await(absl::Condition(this, &Stream::HasWork));
      if (pieces_.empty()) return;
      piece = std::move(pieces_.front());
      pieces_.pop_front();
    }
    if (piece.kind == kEvent) {
      piece.work();
      continue;
    }
    if (piece.kind == kDelay && LongestDelay() > 0) {
      absl::SleepFor(absl::Microseconds(random_() % (LongestDelay() + 1)));
    }
    if (!device_->status().ok()) continue;
    Memory::Get()->BeginWork();
    piece.work();
    Memory::Get()->EndWork();
  }
}

}  // namespace tensorwright::gpu::stand_in
