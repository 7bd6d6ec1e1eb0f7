// SPDX-License-Identifier: Apache-2.0
// Helpers for kernels on oneDNN: the engine, types and layouts, errors, scratch
// memory, threads and a cache of primitives.
//
//   return onednn::Run(ctx, flops, [&](int threads) -> Status {
//     auto conv = cache.GetOrCreate(Key(..., threads), [&] { ... });
//     conv->Execute(ctx, ...);
//   });
//
// oneDNN's OpenMP teams are threads of the session's intra-op pool; see
// onednn_util_openmp.h.  While one kernel has the pool's team, others run on
// their own thread alone, so never more threads are at work than were asked
// for.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_H_

#include <cstdint>
#include <initializer_list>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tensorwright {
namespace onednn {

// The engine of the CPU; thread-safe, never destroyed.
const dnnl::engine& CpuEngine();

// A stream of this thread.  Execution on a CPU is synchronous.
dnnl::stream& CpuStream();

// Runs `work(threads)`: oneDNN's calls in it use up to `threads` >= 1 of the
// session's threads.  Primitives are built for a number of threads, so it is a
// part of their key.  `flops` is the amount of work; little work stays on one
// thread. Returns the status of `work`; a dnnl::error that it throws becomes
// Unimplemented if oneDNN has nothing for the arguments, else ResourceExhausted
// or Internal.
Status Run(OpKernelContext* ctx, double flops,
           absl::FunctionRef<Status(int threads)> work);

// Attributes of primitives that take their scratch memory as an argument.
dnnl::primitive_attr UserScratchpad();

// Scratch memory for one execution, from the device's allocator.  `buffer`
// holds it.
Status MakeScratchpad(OpKernelContext* ctx, const dnnl::memory::desc& desc,
                      Tensor* buffer, dnnl::memory* memory);

// A memory at `data`, which oneDNN only reads if it is an input.
inline dnnl::memory At(const dnnl::memory::desc& desc, const void* data) {
  return dnnl::memory(desc, CpuEngine(), const_cast<void*>(data));
}

// Numbers that identify a primitive, as bytes.
class Key {
 public:
  Key(std::initializer_list<int64_t> values) {
    for (int64_t v : values) Append(v);
  }
  void Append(int64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void Append(absl::Span<const int64_t> values) {
    for (int64_t v : values) Append(v);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// The most recently used `capacity` values by key.  Thread-safe; a value in use
// outlives its eviction.
template <typename Value>
class PrimitiveCache {
 public:
  explicit PrimitiveCache(size_t capacity) : capacity_(capacity) {}

  // `create` returns a std::shared_ptr<Value>, or throws; it runs unlocked, so
  // two threads may both create and the later one wins.
  template <typename Create>
  std::shared_ptr<Value> GetOrCreate(const Key& key, const Create& create) {
    {
      absl::MutexLock lock(&mu_);
      const auto found = index_.find(key.bytes());
      if (found != index_.end()) {
        order_.splice(order_.begin(), order_, found->second);
        return found->second->second;
      }
    }
    std::shared_ptr<Value> value = create();
    absl::MutexLock lock(&mu_);
    const auto found = index_.find(key.bytes());
    if (found != index_.end()) {
      found->second->second = value;
      return value;
    }
    order_.emplace_front(key.bytes(), value);
    index_[key.bytes()] = order_.begin();
    if (order_.size() > capacity_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    return value;
  }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<Value>>;

  const size_t capacity_;
  absl::Mutex mu_;
  std::list<Entry> order_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<std::string, typename std::list<Entry>::iterator> index_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace onednn
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_ONEDNN_UTIL_H_
