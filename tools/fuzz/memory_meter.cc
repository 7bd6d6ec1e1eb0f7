// SPDX-License-Identifier: Apache-2.0
#include "tools/fuzz/memory_meter.h"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace tensorwright {
namespace fuzz {
namespace {

std::atomic<int64_t> now_live{0};
std::atomic<int64_t> most_live{0};
std::atomic<int64_t> largest{0};

void Raise(std::atomic<int64_t>* most, int64_t value) {
  int64_t before = most->load(std::memory_order_relaxed);
  while (before < value && !most->compare_exchange_weak(
                               before, value, std::memory_order_relaxed)) {
  }
}

void Taken(size_t size) {
  const auto n = static_cast<int64_t>(size);
  Raise(&largest, n);
  Raise(&most_live, now_live.fetch_add(n, std::memory_order_relaxed) + n);
}

void Given(size_t size) {
  now_live.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
}

}  // namespace

MemoryMeter::MemoryMeter() {
  // It goes below zero when older memory is freed: a file of the run before,
  // not more.
  now_live = 0;
  most_live = 0;
  largest = 0;
}

int64_t MemoryMeter::live() const { return most_live; }
int64_t MemoryMeter::single() const { return largest; }

std::string RunMeasured(const Target& target, absl::string_view bytes) {
  const auto n = static_cast<int64_t>(bytes.size());
  const MemoryMeter meter;
  target.run(bytes);
  if (meter.live() > target.live_factor * n + target.constant) {
    return absl::StrCat(meter.live(), " bytes at once for ", n);
  }
  if (meter.single() > target.single_factor * n + target.constant) {
    return absl::StrCat(meter.single(), " bytes in one piece for ", n);
  }
  return "";
}

}  // namespace fuzz
}  // namespace tensorwright

#ifdef __SANITIZE_ADDRESS__

extern "C" {
int __sanitizer_install_malloc_and_free_hooks(
    void (*taken)(const volatile void*, size_t),
    void (*given)(const volatile void*));
size_t __sanitizer_get_allocated_size(const volatile void* p);
}

namespace tensorwright {
namespace fuzz {
namespace {

[[maybe_unused]] const int installed =
    __sanitizer_install_malloc_and_free_hooks(
        [](const volatile void*, size_t n) { Taken(n); },
        [](const volatile void* p) {
          if (p != nullptr) Given(__sanitizer_get_allocated_size(p));
        });

}  // namespace
}  // namespace fuzz
}  // namespace tensorwright

#else

extern "C" {

void* __libc_malloc(size_t n);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* p, size_t n);
void* __libc_memalign(size_t alignment, size_t n);
void __libc_free(void* p);

// A size that malloc could not give counts, too.
static void* CountedBlock(void* p, size_t n) {
  tensorwright::fuzz::Taken(p == nullptr ? n : malloc_usable_size(p));
  if (p == nullptr) tensorwright::fuzz::Given(n);
  return p;
}

void* malloc(size_t n) { return CountedBlock(__libc_malloc(n), n); }

void* calloc(size_t n, size_t size) {
  return CountedBlock(__libc_calloc(n, size), n * size);
}

void* realloc(void* p, size_t n) {
  if (p != nullptr) tensorwright::fuzz::Given(malloc_usable_size(p));
  return CountedBlock(__libc_realloc(p, n), n);
}

void* memalign(size_t alignment, size_t n) {
  return CountedBlock(__libc_memalign(alignment, n), n);
}

void* aligned_alloc(size_t alignment, size_t n) {
  return memalign(alignment, n);
}

int posix_memalign(void** p, size_t alignment, size_t n) {
  *p = memalign(alignment, n);
  return *p == nullptr ? ENOMEM : 0;
}

void free(void* p) {
  if (p != nullptr) tensorwright::fuzz::Given(malloc_usable_size(p));
  __libc_free(p);
}

}  // extern "C"

#endif  // __SANITIZE_ADDRESS__
