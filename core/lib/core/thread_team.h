// SPDX-License-Identifier: Apache-2.0
// TeamPool: a pool whose threads run closures, or several of them one function
// together.
// ThreadTeam: such threads, taken for a while.
//
//   ThreadTeam team(pool, 4);
//   team.Start(team.size(), fn, data);   // fn(data, 1) ... fn(data, 3) run
//   fn(data, 0);                         // The caller's part.
//   team.Join();
//
// A parallel loop uses whichever threads come; the threads of a team may wait
// for each other, so a team is granted whole or not at all.  The pool grants
// one team at a time, and only while enough of its threads run no closure:
// these join before they run any other closure.  So a team never waits for a
// thread that may be waiting for it.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_THREAD_TEAM_H_
#define TENSORWRIGHT_CORE_LIB_CORE_THREAD_TEAM_H_

#define EIGEN_USE_THREADS
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/platform/env.h"
#include "unsupported/Eigen/CXX11/ThreadPool"

namespace tensorwright {
namespace thread {

// Thread-safe.  An idle thread sleeps; one that has just worked looks for more
// work for some microseconds first.  The destructor runs the scheduled closures
// and joins the threads; no team may exist then.
class TeamPool final : public Eigen::ThreadPoolInterface {
 public:
  TeamPool(Env* env, const std::string& name, int num_threads);
  ~TeamPool() override;

  void Schedule(std::function<void()> fn) override;
  int NumThreads() const override;
  int CurrentThreadId() const override;

 private:
  friend class ThreadTeam;
  struct Office;
  class Environment;

  const std::shared_ptr<Office> office_;
  const std::unique_ptr<Eigen::ThreadPoolInterface> threads_;
};

// Belongs to the thread that made it, which is its member 0.
class ThreadTeam {
 public:
  using Function = void (*)(void* data, int member);

  // A team of `size` with `size - 1` threads of `pool`.  A team of one, the
  // caller, if `pool` is null, its threads are busy, or somebody else has asked
  // for a team and not given it back: callers that each work on their own
  // thread keep the cores as busy as teams that take turns, and wait for
  // nobody.
  ThreadTeam(TeamPool* pool, int size);
  // Gives the threads back.  Must not be called between Start and Join.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return size_; }

  // Lets members 1 ... members - 1 call fn(data, member) at the same time. 1 <=
  // members <= size().
  void Start(int members, Function fn, void* data);
  // Returns when all of these calls have returned.
  void Join();

  // Each of the `members` calls this once between Start and Join; it returns
  // when the last one has come.
  void Barrier(int members);

 private:
  friend class TeamPool;
  struct Shared;

  // The pool has granted the team; `to_wake` of its threads are asleep.
  void Found(std::shared_ptr<Shared> shared, int size, uint64_t to_wake);

  TeamPool* const pool_;  // Null: no pool was asked.
  int size_ = 1;
  std::shared_ptr<Shared> shared_;  // Null in a team of one.
};

}  // namespace thread
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_THREAD_TEAM_H_
