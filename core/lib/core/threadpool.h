// SPDX-License-Identifier: Apache-2.0
// A fixed set of threads that run closures, and loops cut into pieces.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_THREADPOOL_H_
#define TENSORWRIGHT_CORE_LIB_CORE_THREADPOOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "core/platform/env.h"

namespace Eigen {
class ThreadPoolInterface;
}  // namespace Eigen

namespace tensorwright {
namespace thread {

// Work-stealing queues, one a thread.  An idle thread sleeps: it burns no CPU.
// Thread-safe.  The destructor runs the scheduled closures and joins the
// threads.
class ThreadPool {
 public:
  // A piece of work should take this many CPU cycles, to pay for waking a
  // thread.
  static constexpr double kMinCyclesPerBlock = 20000;

  // `num_threads` >= 1; `name` shows in debuggers.  `env` and
  // `low_latency_hint` are there for TensorFlow's signature.
  ThreadPool(Env* env, const std::string& name, int num_threads);
  ThreadPool(Env* env, const ThreadOptions& options, const std::string& name,
             int num_threads, bool low_latency_hint = true);
  // Wraps a pool that somebody else owns.
  explicit ThreadPool(Eigen::ThreadPoolInterface* user_threadpool);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs `fn` on some thread of the pool, at some time.
  void Schedule(std::function<void()> fn);

  // Calls fn(begin, end) on pieces that make up [0, total) and returns when all
  // have ended.  The calling thread works too, so this may be called from a
  // thread of the pool.  `cost_per_unit` is about the work of one element in
  // CPU cycles: pieces are made large enough to be worth a thread.
  void ParallelFor(int64_t total, int64_t cost_per_unit,
                   const std::function<void(int64_t, int64_t)>& fn);
  // The same with at most `max_parallelism` threads at a time, the caller
  // included.
  void ParallelForLimited(int64_t total, int64_t cost_per_unit,
                          int max_parallelism,
                          const std::function<void(int64_t, int64_t)>& fn);
  // The same; fn also gets an id in [0, NumThreads()] that no other piece has
  // at the same time.
  void ParallelForWithWorkerId(
      int64_t total, int64_t cost_per_unit,
      const std::function<void(int64_t, int64_t, int)>& fn);
  // The same in pieces of `block_size`, whatever the work.
  void TransformRangeConcurrently(
      int64_t block_size, int64_t total,
      const std::function<void(int64_t, int64_t)>& fn);

  int NumThreads() const { return num_threads_; }
  // ParallelFor in pieces by cost, or of a fixed size.
  enum class SchedulingStrategy { kAdaptive, kFixedBlockSize };
  class SchedulingParams {
   public:
    // Takes numbers, optionals of std or abseil, or either's nullopt.
    template <typename Cost, typename Block>
    SchedulingParams(SchedulingStrategy strategy, const Cost& cost_per_unit,
                     const Block& block_size)
        : strategy_(strategy),
          cost_per_unit_(Optional(cost_per_unit, 0)),
          block_size_(Optional(block_size, 0)) {}
    SchedulingStrategy strategy() const { return strategy_; }
    // A number or none, like std::optional<int64_t>.
    class OptionalInt {
     public:
      OptionalInt() = default;
      OptionalInt(int64_t value) : has_value_(true), value_(value) {}  // NOLINT
      bool has_value() const { return has_value_; }
      explicit operator bool() const { return has_value_; }
      int64_t value() const { return value_; }
      int64_t operator*() const { return value_; }
      int64_t value_or(int64_t other) const {
        return has_value_ ? value_ : other;
      }

     private:
      bool has_value_ = false;
      int64_t value_ = 0;
    };
    OptionalInt cost_per_unit() const { return cost_per_unit_; }
    OptionalInt block_size() const { return block_size_; }

   private:
    // The overloads take numbers, optionals, and a nullopt.
    template <typename T,
              std::enable_if_t<std::is_convertible<T, int64_t>::value, int> = 0>
    static OptionalInt Optional(const T& value, int) {
      return OptionalInt(value);
    }
    template <typename T>
    static auto Optional(const T& value, int)
        -> decltype(value.has_value(), OptionalInt()) {
      return value.has_value() ? OptionalInt(*value) : OptionalInt();
    }
    template <typename T>
    static OptionalInt Optional(const T&, long) {  // NOLINT
      return OptionalInt();
    }
    SchedulingStrategy strategy_;
    OptionalInt cost_per_unit_;
    OptionalInt block_size_;
  };
  void ParallelFor(int64_t total, const SchedulingParams& params,
                   const std::function<void(int64_t, int64_t)>& fn) {
    if (params.strategy() == SchedulingStrategy::kFixedBlockSize) {
      TransformRangeConcurrently(params.block_size().value_or(1), total, fn);
    } else {
      ParallelFor(total, params.cost_per_unit().value_or(1), fn);
    }
  }

  // The number of times that the calling thread has asked for every thread of a
  // pool, by loops or otherwise: a piece of work was wide if it changed that.
  // Code that takes threads in another way calls CountCall; `wanted` includes
  // the caller.
  static uint32_t WideCalls();
  static void CountCall(int wanted, int threads);

  // 0 .. NumThreads() - 1 on a thread of this pool, else -1.
  int CurrentThreadId() const;

  // The same pool for Eigen's ThreadPoolDevice.
  Eigen::ThreadPoolInterface* AsEigenThreadPool() const { return pool_; }

 private:
  std::unique_ptr<Eigen::ThreadPoolInterface> owned_;
  Eigen::ThreadPoolInterface* pool_;
  int num_threads_;
};

}  // namespace thread
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_THREADPOOL_H_
