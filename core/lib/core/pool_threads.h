// SPDX-License-Identifier: Apache-2.0
// PoolThreads: starts the threads of a pool of Eigen's, whose constructor must
// not be left by an exception, since the threads that are there already would
// wait for ever.
//
// Copies count together: the pool is made with one, and handed to Checked() of
// another.
#ifndef TENSORWRIGHT_CORE_LIB_CORE_POOL_THREADS_H_
#define TENSORWRIGHT_CORE_LIB_CORE_POOL_THREADS_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "core/platform/env.h"

namespace tensorwright {
namespace thread {

class PoolThreads {
 public:
  PoolThreads(Env* env, ThreadOptions options, std::string name)
      : env_(env), options_(options), name_(std::move(name)) {}

  // A running thread, or one that never runs if the system has none to give.
  Thread* Start(std::function<void()> f) {
    try {
      return env_->StartThread(options_, name_, std::move(f));
    } catch (const std::system_error& e) {
      error_->store(e.code().value());
      return new Thread;
    }
  }

  // Returns the pool; ends it and throws std::system_error if one of its
  // threads is missing.
  template <typename Pool>
  std::unique_ptr<Pool> Checked(std::unique_ptr<Pool> pool) const {
    const int error = error_->load();
    if (error == 0) return pool;
    // The threads end when all of them have nothing to do, or when cancelled.
    pool->Cancel();
    pool.reset();
    throw std::system_error(error, std::generic_category(),
                            "the threads of the pool " + name_);
  }

 private:
  Env* env_;
  ThreadOptions options_;
  std::string name_;
  std::shared_ptr<std::atomic<int>> error_ =
      std::make_shared<std::atomic<int>>(0);
};

}  // namespace thread
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_CORE_POOL_THREADS_H_
