// SPDX-License-Identifier: Apache-2.0
// SessionThreads: the intra-op and the inter-op pool of a session.
//
// Sessions that ask for nothing special share one pair of pools per process. A
// pool of one thread has no thread at all: its tasks run at once in the thread
// that hands them over, so with intra_op_parallelism_threads =
// inter_op_parallelism_threads = 1 a program has only the threads it started
// itself.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_THREADS_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_THREADS_H_

#include <functional>
#include <memory>
#include <string>

#include "core/framework/device_base.h"
#include "core/lib/core/status.h"
#include "core/lib/core/threadpool.h"

namespace Eigen {
class ThreadPoolInterface;
struct ThreadPoolDevice;
}  // namespace Eigen

namespace tensorwright {

class ConfigProto;

// Thread safe.
class SessionThreads {
 public:
  // With 0 threads, a pool has as many as the machine has.  `repeats_why` is
  // empty, or says why kernels must give the same bits with any number of
  // threads (core/lib/core/repeatable_pool.h).
  SessionThreads(int intra_op_threads, int inter_op_threads,
                 const std::string& repeats_why = "");
  ~SessionThreads();

  // The process' pools, or ones of its own if the config says so.
  // InvalidArgument for counts that make no sense.
  static Status ForConfig(const ConfigProto& config,
                          std::shared_ptr<SessionThreads>* threads);

  // CPU devices hand these to kernels.
  DeviceBase::CpuWorkerThreads* cpu_worker_threads() { return &workers_; }
  Eigen::ThreadPoolDevice* eigen_device() { return eigen_device_.get(); }

  // With 1, nothing may be handed to another thread, and inter_op() runs
  // inline.
  int inter_op_threads() const { return inter_op_threads_; }
  thread::ThreadPool* inter_op() { return inter_op_.get(); }

 private:
  const int inter_op_threads_;
  std::unique_ptr<Eigen::ThreadPoolInterface> inline_pool_;
  // Null with one thread.
  std::unique_ptr<Eigen::ThreadPoolInterface> intra_op_threads_;
  // Null unless kernels must repeat.
  std::unique_ptr<Eigen::ThreadPoolInterface> repeatable_;
  std::unique_ptr<thread::ThreadPool> intra_op_;
  std::unique_ptr<thread::ThreadPool> inter_op_;
  DeviceBase::CpuWorkerThreads workers_;
  std::unique_ptr<Eigen::ThreadPoolDevice> eigen_device_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_SESSION_THREADS_H_
