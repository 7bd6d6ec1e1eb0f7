// SPDX-License-Identifier: Apache-2.0
// ThreadPool over Eigen's work-stealing pool, and loops whose caller works
// along.
#define EIGEN_USE_THREADS
#include "core/lib/core/threadpool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "core/lib/core/pool_threads.h"
#include "core/platform/mutex.h"
#include "unsupported/Eigen/CXX11/ThreadPool"

extern "C" {
const void* TensorwrightThreadToken();
const void* TensorwrightLoopOwner();
// ThreadSanitizer's, if it runs: code of ours is compiled without it, so it
// sees the way of work from thread to thread only by these.
__attribute__((weak)) void __tsan_acquire(void* address);
__attribute__((weak)) void __tsan_release(void* address);
}

namespace tensorwright {
namespace thread {

// Crash reports read it in a signal handler, where its first use in a thread
// must take no memory.  The linker (gold) mistakes variables of that kind for
// each other unless they have names that other files may use.
namespace internal {
__attribute__((tls_model("initial-exec"))) thread_local const void* loop_owner =
    nullptr;
}  // namespace internal

namespace {

using internal::loop_owner;

thread_local uint32_t wide_calls = 0;

// All that a thread has done before Release happens before what another one
// does after Acquire of the same address.
void Release(void* address) {
  if (__tsan_release != nullptr) __tsan_release(address);
}
void Acquire(void* address) {
  if (__tsan_acquire != nullptr) __tsan_acquire(address);
}
// Stands for every task of every pool.
char any_task = 0;

// The thread has a part of the loop of another one for as long as this lives.
class PartOfLoop {
 public:
  explicit PartOfLoop(const void* owner) : before_(loop_owner) {
    loop_owner = owner;
  }
  ~PartOfLoop() { loop_owner = before_; }
  PartOfLoop(const PartOfLoop&) = delete;
  PartOfLoop& operator=(const PartOfLoop&) = delete;

 private:
  const void* const before_;
};

// The surroundings that Eigen's pool asks for.
class PoolEnvironment {
 public:
  struct Task {
    std::function<void()> f;
  };
  using EnvThread = Thread;

  explicit PoolEnvironment(PoolThreads threads)
      : threads_(std::move(threads)) {}

  EnvThread* CreateThread(std::function<void()> f) {
    return threads_.Start(std::move(f));
  }
  Task CreateTask(std::function<void()> f) {
    Release(&any_task);
    return Task{std::move(f)};
  }
  void ExecuteTask(const Task& task) {
    Acquire(&any_task);
    task.f();
  }

 private:
  PoolThreads threads_;
};

std::unique_ptr<Eigen::ThreadPoolInterface> NewPool(const PoolThreads& threads,
                                                    int num_threads) {
  return threads.Checked(
      std::make_unique<Eigen::ThreadPoolTempl<PoolEnvironment>>(
          num_threads, /*allow_spinning=*/false, PoolEnvironment(threads)));
}

// Several pieces a thread even out unequal progress.
constexpr int64_t kBlocksPerThread = 4;

// One loop.  Helpers that start late, or never, do no harm: each takes the next
// block when it comes, and the caller waits for blocks, not for helpers.
class Loop {
 public:
  Loop(int64_t total, int64_t block,
       const std::function<void(int64_t, int64_t, int)>& fn)
      : total_(total),
        block_(block),
        num_blocks_((total + block - 1) / block),
        fn_(&fn),
        owner_(loop_owner != nullptr ? loop_owner : &loop_owner) {}

  int64_t num_blocks() const { return num_blocks_; }

  void Work() {
    const PartOfLoop part(owner_);
    int64_t done = 0;
    const int id = next_id_.fetch_add(1, std::memory_order_relaxed);
    while (true) {
      const int64_t i = next_block_.fetch_add(1, std::memory_order_relaxed);
      if (i >= num_blocks_) break;
      try {
        (*fn_)(i * block_, std::min(total_, (i + 1) * block_), id);
      } catch (...) {
        mutex_lock l(mu_);
        if (thrown_ == nullptr) thrown_ = std::current_exception();
      }
      ++done;
    }
    if (done == 0) return;
    Release(this);
    if (done_blocks_.fetch_add(done, std::memory_order_acq_rel) + done ==
        num_blocks_) {
      mutex_lock l(mu_);
      all_done_ = true;
      cv_.notify_all();
    }
  }

  // Rethrows the exception of a block, or the first one if there are several.
  void Wait() {
    if (done_blocks_.load(std::memory_order_acquire) != num_blocks_) {
      mutex_lock l(mu_);
      cv_.wait(l, [this] { return all_done_; });
    }
    Acquire(this);
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  const int64_t total_, block_, num_blocks_;
  const std::function<void(int64_t, int64_t, int)>* const fn_;
  const void* const owner_;  // The token of the thread that waits for it.
  std::atomic<int64_t> next_block_{0};
  std::atomic<int64_t> done_blocks_{0};
  std::atomic<int> next_id_{0};
  mutex mu_;
  condition_variable cv_;
  bool all_done_ = false;
  std::exception_ptr thrown_;
};

void RunLoop(Eigen::ThreadPoolInterface* pool, int64_t total, int64_t block,
             int max_threads,
             const std::function<void(int64_t, int64_t, int)>& fn) {
  const auto loop = std::make_shared<Loop>(total, block, fn);
  const int64_t helpers =
      std::min<int64_t>(max_threads, loop->num_blocks()) - 1;
  ThreadPool::CountCall(static_cast<int>(helpers) + 1, pool->NumThreads());
  for (int64_t i = 0; i < helpers; ++i) {
    pool->Schedule([loop] { loop->Work(); });
  }
  loop->Work();
  loop->Wait();
}

// The number of elements in a block: large enough to be worth a thread, and
// small enough to give all threads work.
int64_t BlockSize(int64_t total, int64_t cost_per_unit, int threads) {
  const double cost = static_cast<double>(std::max<int64_t>(1, cost_per_unit));
  const int64_t worth = static_cast<int64_t>(
      std::min<double>(ThreadPool::kMinCyclesPerBlock / cost + 1, 9e18));
  const int64_t wanted = int64_t{threads} * kBlocksPerThread;
  return std::max(worth, total / wanted + (total % wanted != 0));
}

}  // namespace

ThreadPool::ThreadPool(Env* env, const std::string& name, int num_threads)
    : ThreadPool(env, ThreadOptions(), name, num_threads) {}

ThreadPool::ThreadPool(Env* env, const ThreadOptions& options,
                       const std::string& name, int num_threads, bool)
    : owned_(
          NewPool(PoolThreads(env, options, name), std::max(1, num_threads))),
      pool_(owned_.get()),
      num_threads_(std::max(1, num_threads)) {}

ThreadPool::ThreadPool(Eigen::ThreadPoolInterface* user_threadpool)
    : pool_(user_threadpool), num_threads_(user_threadpool->NumThreads()) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::Schedule(std::function<void()> fn) {
  pool_->Schedule(std::move(fn));
}

void ThreadPool::CountCall(int wanted, int threads) {
  if (wanted > 1 && wanted >= threads) ++wide_calls;
}

uint32_t ThreadPool::WideCalls() { return wide_calls; }

int ThreadPool::CurrentThreadId() const { return pool_->CurrentThreadId(); }

void ThreadPool::ParallelFor(int64_t total, int64_t cost_per_unit,
                             const std::function<void(int64_t, int64_t)>& fn) {
  ParallelForLimited(total, cost_per_unit, num_threads_, fn);
}

void ThreadPool::ParallelForLimited(
    int64_t total, int64_t cost_per_unit, int max_parallelism,
    const std::function<void(int64_t, int64_t)>& fn) {
  if (total <= 0) return;
  const int threads = std::min(num_threads_, max_parallelism);
  const int64_t block =
      threads <= 1 ? total : BlockSize(total, cost_per_unit, threads);
  if (block >= total) {
    fn(0, total);
    return;
  }
  RunLoop(pool_, total, block, threads,
          [&fn](int64_t begin, int64_t end, int) { fn(begin, end); });
}

void ThreadPool::ParallelForWithWorkerId(
    int64_t total, int64_t cost_per_unit,
    const std::function<void(int64_t, int64_t, int)>& fn) {
  if (total <= 0) return;
  const int64_t block =
      num_threads_ == 1 ? total : BlockSize(total, cost_per_unit, num_threads_);
  if (block >= total) {
    fn(0, total, 0);
    return;
  }
  RunLoop(pool_, total, block, num_threads_, fn);
}

void ThreadPool::TransformRangeConcurrently(
    int64_t block_size, int64_t total,
    const std::function<void(int64_t, int64_t)>& fn) {
  if (total <= 0) return;
  RunLoop(pool_, total, std::max<int64_t>(1, block_size), num_threads_,
          [&fn](int64_t begin, int64_t end, int) { fn(begin, end); });
}

}  // namespace thread
}  // namespace tensorwright

// For crash reports (core/common_runtime/crash_report.cc).
extern "C" const void* TensorwrightThreadToken() {
  return &tensorwright::thread::loop_owner;
}
extern "C" const void* TensorwrightLoopOwner() {
  return tensorwright::thread::loop_owner;
}
