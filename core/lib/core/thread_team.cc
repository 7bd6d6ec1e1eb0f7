// SPDX-License-Identifier: Apache-2.0
// TeamPool over Eigen's work-stealing pool, and ThreadTeam.
#include "core/lib/core/thread_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "core/lib/core/pool_threads.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace thread {
namespace {

using Clock = std::chrono::steady_clock;

// Members of a team usually meet within microseconds, and a sleeping thread
// takes tens of them to wake, so members wait awake for this long.
constexpr auto kSpin = std::chrono::microseconds(50);
// After its work a thread stays awake for the next loop or team, which in a
// training step comes at once.
constexpr auto kLinger = std::chrono::microseconds(30);
// The time for which a team awaits threads that are about to leave a closure.
constexpr auto kAwaitFree = std::chrono::microseconds(200);
constexpr int kPausesPerLook = 16;

void Pause() {
  for (int i = 0; i < kPausesPerLook; ++i) __builtin_ia32_pause();
}

// Is `done` before `limit` has passed?
template <typename Done>
bool SpinUntil(const Done& done, Clock::duration limit) {
  if (done()) return true;
  const Clock::time_point end = Clock::now() + limit;
  do {
    Pause();
    if (done()) return true;
  } while (Clock::now() < end);
  return false;
}

// Returns the value of `word` as soon as it is not `old` any more.
template <typename T>
T AwaitChange(const std::atomic<T>& word, T old) {
  const auto changed = [&] {
    return word.load(std::memory_order_acquire) != old;
  };
  if (!SpinUntil(changed, kSpin)) word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

// A closure that only brings a thread to the place where it finds the team.
struct WakeUp {
  void operator()() const {}
};

}  // namespace

// The state that the threads of a team share; the last one to leave frees it.
struct ThreadTeam::Shared {
  // The number of members of the current Start and, above kCountShift, the
  // number of Starts so far.  They are in one word because a thread that is no
  // member of this Start must not look at the rest, which may already be set
  // for the next one.
  static constexpr int kCountShift = 16;
  static constexpr uint64_t kDismissed = ~uint64_t{0};
  std::atomic<uint64_t> call{0};
  Function fn = nullptr;
  void* data = nullptr;
  std::atomic<int> at_work{0};  // Members 1 ... that have not returned yet.

  std::atomic<int> arrived{0};  // Members that have reached the barrier.
  std::atomic<uint32_t> barriers_passed{0};

  // The life of a member.
  void Serve(int member) {
    for (uint64_t seen = 0;;) {
      seen = AwaitChange(call, seen);
      if (seen == kDismissed) return;
      const int members = static_cast<int>(seen & ((1 << kCountShift) - 1));
      if (member >= members) continue;
      fn(data, member);
      if (at_work.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        at_work.notify_one();
      }
    }
  }
};

// Knows which threads are free, and which team wants members.
struct TeamPool::Office {
  // Three counts in one word, so that a thread that goes to work after a team
  // was granted cannot overlook it: threads that run a closure; threads that
  // linger; and members that the team still wants.
  static constexpr uint64_t kBusy = 1;
  static constexpr uint64_t kLingering = uint64_t{1} << 20;
  static constexpr uint64_t kWanted = uint64_t{1} << 40;
  static uint64_t Busy(uint64_t census) { return census % kLingering; }
  static uint64_t Lingering(uint64_t census) {
    return census % kWanted / kLingering;
  }
  static uint64_t Wanted(uint64_t census) { return census / kWanted; }

  std::atomic<uint64_t> census{0};
  std::atomic<int64_t> queued{0};  // Closures that nobody runs yet.
  // Callers that have a team or have asked for one.
  std::atomic<int> callers{0};

  mutex mu;
  std::shared_ptr<ThreadTeam::Shared> team ABSL_GUARDED_BY(mu);
  int next_member ABSL_GUARDED_BY(mu) = 1;

  uint64_t Look() const { return census.load(std::memory_order_acquire); }

  // The work of a pool's thread: the team, if it wants members, then the
  // closure, if there is one, then work that comes within a moment.  A thread
  // that serves a team does not count as busy, since it is free when the team
  // ends.
  void Run(const std::function<void()>* closure) {
    if (closure != nullptr) {
      uint64_t old = Look();
      for (;;) {
        if (Wanted(old) > 0) {
          JoinTeam();
          old = Look();
        } else if (census.compare_exchange_weak(old, old + kBusy,
                                                std::memory_order_acq_rel)) {
          break;
        }
      }
      (*closure)();
      census.fetch_add(kLingering - kBusy, std::memory_order_acq_rel);
    } else {
      census.fetch_add(kLingering, std::memory_order_acq_rel);
    }
    while (Linger()) {
      JoinTeam();
      census.fetch_add(kLingering, std::memory_order_acq_rel);
    }
  }

  // Ends lingering; returns true if that is because a team wants members.
  bool Linger() {
    SpinUntil(
        [this] {
          return Wanted(Look()) > 0 ||
                 queued.load(std::memory_order_relaxed) > 0;
        },
        kLinger);
    // A team may have counted on a lingering thread, so the thread looks as it
    // leaves.
    return Wanted(census.fetch_sub(kLingering, std::memory_order_acq_rel)) > 0;
  }

  // Serves the team if it still wants members.
  void JoinTeam() {
    std::shared_ptr<ThreadTeam::Shared> joined;
    int member;
    {
      mutex_lock lock(mu);
      if (Wanted(Look()) == 0) return;
      census.fetch_sub(kWanted, std::memory_order_acq_rel);
      joined = team;
      member = next_member++;
    }
    joined->Serve(member);
  }

  // Takes `n` of `threads` threads for a team; `to_wake` of them are asleep.
  bool TryGrant(const std::shared_ptr<ThreadTeam::Shared>& to, uint64_t n,
                uint64_t threads, uint64_t* to_wake) {
    mutex_lock lock(mu);
    uint64_t old = Look();
    do {
      if (Busy(old) + n > threads) return false;
    } while (!census.compare_exchange_weak(old, old + n * kWanted,
                                           std::memory_order_acq_rel));
    team = to;
    next_member = 1;
    *to_wake = n - std::min(n, Lingering(old));
    return true;
  }

  // The team is over; threads that have not come yet need not come.
  void Dismiss() {
    mutex_lock lock(mu);
    census.fetch_sub(Wanted(Look()) * kWanted, std::memory_order_acq_rel);
    team.reset();
  }
};

// The surroundings that Eigen's pool asks for.
class TeamPool::Environment {
 public:
  struct Task {
    std::function<void()> f;
  };
  using EnvThread = Thread;

  Environment(PoolThreads threads, std::shared_ptr<Office> office)
      : threads_(std::move(threads)), office_(std::move(office)) {}

  EnvThread* CreateThread(std::function<void()> f) {
    return threads_.Start([f = std::move(f)] {
      is_free = true;
      f();
    });
  }

  static std::unique_ptr<Eigen::ThreadPoolInterface> NewPool(
      const PoolThreads& threads, int num_threads,
      std::shared_ptr<Office> office) {
    return threads.Checked(
        std::make_unique<Eigen::ThreadPoolTempl<Environment>>(
            num_threads, /*allow_spinning=*/false,
            Environment(threads, std::move(office))));
  }

  Task CreateTask(std::function<void()> f) {
    office_->queued.fetch_add(1, std::memory_order_relaxed);
    return Task{std::move(f)};
  }
  void ExecuteTask(const Task& task) {
    office_->queued.fetch_sub(1, std::memory_order_relaxed);
    // When a queue is full, Schedule itself calls this, from any thread.
    if (!is_free) return task.f();
    is_free = false;
    office_->Run(task.f.target<WakeUp>() == nullptr ? &task.f : nullptr);
    is_free = true;
  }

 private:
  // Is this a thread of a TeamPool, outside closures?
  static thread_local bool is_free;

  PoolThreads threads_;
  std::shared_ptr<Office> office_;
};

thread_local bool TeamPool::Environment::is_free = false;

TeamPool::TeamPool(Env* env, const std::string& name, int num_threads)
    : office_(std::make_shared<Office>()),
      threads_(Environment::NewPool(PoolThreads(env, ThreadOptions(), name),
                                    std::max(1, num_threads), office_)) {}

TeamPool::~TeamPool() = default;

void TeamPool::Schedule(std::function<void()> fn) {
  threads_->Schedule(std::move(fn));
}

int TeamPool::NumThreads() const { return threads_->NumThreads(); }

int TeamPool::CurrentThreadId() const { return threads_->CurrentThreadId(); }

ThreadTeam::ThreadTeam(TeamPool* pool, int size)
    : pool_(size > 1 ? pool : nullptr) {
  if (pool_ == nullptr) return;
  TeamPool::Office& office = *pool_->office_;
  if (office.callers.fetch_add(1, std::memory_order_acq_rel) > 0) return;
  auto shared = std::make_shared<Shared>();
  uint64_t to_wake = 0;
  const auto granted = [&] {
    return office.TryGrant(shared, size - 1, pool_->NumThreads(), &to_wake);
  };
  // Threads that have just done their part of a loop are about to leave it.
  if (SpinUntil(granted, kAwaitFree)) Found(std::move(shared), size, to_wake);
}

void ThreadTeam::Found(std::shared_ptr<Shared> shared, int size,
                       uint64_t to_wake) {
  size_ = size;
  shared_ = std::move(shared);
  for (; to_wake > 0; --to_wake) pool_->Schedule(WakeUp());
}

ThreadTeam::~ThreadTeam() {
  if (size_ > 1) {
    pool_->office_->Dismiss();
    shared_->call.store(Shared::kDismissed, std::memory_order_release);
    shared_->call.notify_all();
  }
  if (pool_ != nullptr) {
    pool_->office_->callers.fetch_sub(1, std::memory_order_acq_rel);
  }
}

void ThreadTeam::Start(int members, Function fn, void* data) {
  if (members <= 1) return;
  shared_->fn = fn;
  shared_->data = data;
  shared_->at_work.store(members - 1, std::memory_order_relaxed);
  const uint64_t calls =
      shared_->call.load(std::memory_order_relaxed) >> Shared::kCountShift;
  shared_->call.store(
      (calls + 1) << Shared::kCountShift | static_cast<uint64_t>(members),
      std::memory_order_release);
  shared_->call.notify_all();
}

void ThreadTeam::Join() {
  if (size_ == 1) return;
  for (;;) {
    const int left = shared_->at_work.load(std::memory_order_acquire);
    if (left == 0) return;
    AwaitChange(shared_->at_work, left);
  }
}

void ThreadTeam::Barrier(int members) {
  if (members <= 1) return;
  const uint32_t passed =
      shared_->barriers_passed.load(std::memory_order_acquire);
  if (shared_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < members) {
    while (AwaitChange(shared_->barriers_passed, passed) == passed) {
    }
    return;
  }
  shared_->arrived.store(0, std::memory_order_relaxed);
  shared_->barriers_passed.store(passed + 1, std::memory_order_release);
  shared_->barriers_passed.notify_all();
}

}  // namespace thread
}  // namespace tensorwright
