// SPDX-License-Identifier: Apache-2.0
// Memory of the stand-in: traps whoever touches it from the host.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "core/lib/core/errors.h"
#include "core/lib/gpu/stand_in_device.h"

namespace tensorwright::gpu::stand_in {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kGarbagePages = 256;

size_t Pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

Memory* Memory::Get() {
  static auto* const memory = new Memory;
  return memory;
}

// Threads that are there already have no access to a new key, nor do signal
// handlers.
Memory::Memory() : key_(pkey_alloc(0, PKEY_DISABLE_ACCESS)) {}

void* Memory::Allocate(size_t bytes) {
  bytes = Pages(std::max<size_t>(bytes, 1));
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  // Memory that was never written must not look like zeros; all of a large
  // piece would take the machine's memory.
  std::memset(p, 0xA5, std::min(bytes, kGarbagePages * kPage));
  absl::MutexLock lock(&mu_);
  const int protection =
      key_ >= 0 || working_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
  const int failed = key_ >= 0 ? pkey_mprotect(p, bytes, protection, key_)
                               : mprotect(p, bytes, protection);
  if (failed != 0) {
    munmap(p, bytes);
    return nullptr;
  }
  pieces_[p] = bytes;
  return p;
}

void Memory::Free(void* memory) {
  absl::MutexLock lock(&mu_);
  const auto it = pieces_.find(memory);
  if (it == pieces_.end()) return;
  munmap(memory, it->second);
  pieces_.erase(it);
}

void Memory::BeginWork() {
  if (key_ >= 0) {
    pkey_set(key_, 0);  // Of this thread.
    return;
  }
  absl::MutexLock lock(&mu_);
  if (working_++ == 0) Protect(PROT_READ | PROT_WRITE);
}

void Memory::EndWork() {
  if (key_ >= 0) return;
  absl::MutexLock lock(&mu_);
  if (--working_ == 0) Protect(PROT_NONE);
}

void Memory::Protect(int protection) {
  for (const auto& [p, bytes] : pieces_) mprotect(p, bytes, protection);
}

Status Device::status() {
  absl::MutexLock lock(&mu_);
  return status_;
}

void Device::Break(const Status& status) {
  absl::MutexLock lock(&mu_);
  status_.Update(status);
}

bool Device::MayRunKernel() {
  absl::MutexLock lock(&mu_);
  if (++kernels_ == faults_.sticky) {
    status_.Update(
        errors::Internal("stand-in: kernel ", kernels_,
                         " met the fault that TW_GPU_FAULTS asks for"));
  }
  return status_.ok();
}

Status Device::Allocate(size_t bytes, void** memory) {
  *memory = nullptr;
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(status_);
  const bool fault = ++allocations_ >= faults_.oom && faults_.oom > 0;
  if (!fault && bytes <= memory_ - used_) {
    *memory = Memory::Get()->Allocate(bytes);
  }
  if (*memory == nullptr) {
    return errors::ResourceExhausted("stand-in: no ", bytes, " bytes, ",
                                     memory_ - used_, " are free");
  }
  used_ += bytes;
  sizes_[*memory] = bytes;
  return OkStatus();
}

Status Device::Free(void* memory) {
  absl::MutexLock lock(&mu_);
  const auto it = sizes_.find(memory);
  if (it == sizes_.end()) {
    return errors::Internal("stand-in: ", memory, " is no memory of a device");
  }
  used_ -= it->second;
  sizes_.erase(it);
  Memory::Get()->Free(memory);
  return status_;
}

size_t Device::FreeBytes() {
  absl::MutexLock lock(&mu_);
  return memory_ - used_;
}

}  // namespace tensorwright::gpu::stand_in
