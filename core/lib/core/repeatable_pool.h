// SPDX-License-Identifier: Apache-2.0
// RepeatablePool: the intra-op pool of a session that promises the same bits
// with any number of threads.
//
// It runs closures as the pool under it does; its type is the message.  Loops
// over it are as they were: no kernel's ParallelFor lets the number of threads
// decide about a sum.  A kernel whose algorithm would, as those that take a
// ThreadTeam, must choose by sizes alone where it meets this type.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_REPEATABLE_POOL_H_
#define TENSORWRIGHT_CORE_LIB_CORE_REPEATABLE_POOL_H_

#define EIGEN_USE_THREADS
#include <functional>
#include <string>
#include <utility>

#include "unsupported/Eigen/CXX11/ThreadPool"

namespace tensorwright {
namespace thread {

// Thread-safe.
class RepeatablePool final : public Eigen::ThreadPoolInterface {
 public:
  // `pool` outlives this.  `why` says who asked for it, for messages: "the
  // policy 'p' says 'deterministic: true'".
  RepeatablePool(Eigen::ThreadPoolInterface* pool, std::string why)
      : pool_(pool), why_(std::move(why)) {}

  void Schedule(std::function<void()> fn) override {
    pool_->Schedule(std::move(fn));
  }
  int NumThreads() const override { return pool_->NumThreads(); }
  int CurrentThreadId() const override { return pool_->CurrentThreadId(); }

  const std::string& why() const { return why_; }

 private:
  Eigen::ThreadPoolInterface* const pool_;
  const std::string why_;
};

}  // namespace thread
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_REPEATABLE_POOL_H_
