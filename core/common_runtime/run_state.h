// SPDX-License-Identifier: Apache-2.0
// SessionResources: the threads, devices and kernels of all plans of a session,
// or of a worker. RunState: the state of one run at a time, which its plan
// keeps for the next run.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_RUN_STATE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_RUN_STATE_H_

#include <memory>
#include <vector>

#include "core/common_runtime/device_mgr.h"
#include "core/common_runtime/executor.h"
#include "core/common_runtime/kernel_cache.h"
#include "core/common_runtime/session_threads.h"
#include "core/common_runtime/step.h"
#include "core/common_runtime/work_queue.h"
#include "core/framework/function.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class ConfigProto;
class SessionPolicy;

// Shared by a session and its plans.  Filled by New and not changed afterwards;
// its parts are thread safe.  Members are destroyed in reverse order: kernels
// first, then devices, then threads.
struct SessionResources {
  // Makes the devices of this process that `config` asks for, named
  // "/job:localhost/replica:0/task:0/device:...", and a runtime for the
  // functions of `library`, unless that is null.  InvalidArgument for counts of
  // threads or devices, or a policy, that make no sense.
  static StatusOr<std::shared_ptr<SessionResources>> New(
      const ConfigProto& config,
      std::shared_ptr<const FunctionLibraryDefinition> library = nullptr);

  // The same on devices that others use too: the sessions of a worker share
  // its devices, and with them the values of variables.
  static std::shared_ptr<SessionResources> OnDevices(
      std::shared_ptr<SessionThreads> threads,
      std::shared_ptr<DeviceMgr> devices, const ConfigProto& config,
      std::shared_ptr<const FunctionLibraryDefinition> library);

  SessionResources() = default;
  // Resources, such as iterators, may be running functions, so they are
  // destroyed first, if nobody else uses the devices.
  ~SessionResources();

  // Must runs give the same bits with any number of threads?
  bool MustRepeat() const;

  // Null without a policy.
  std::shared_ptr<const SessionPolicy> policy;
  std::shared_ptr<SessionThreads> threads;
  // The devices that execute here, and those that graphs are placed on: the
  // same, and devices of other processes if there are any.
  std::shared_ptr<DeviceMgr> devices;
  DeviceSet placeable;
  // Null without a library.
  std::unique_ptr<FunctionLibraryRuntime> functions;
  KernelCache kernels;
};

// Handed out by Plan::AcquireRunState for one run at a time (a PartialRun has
// one of its own): exclusive, so without a lock.  Refers to its plan, which
// outlives it.  A state whose run failed is dropped, since its step stays
// cancelled.
struct RunState {
  explicit RunState(thread::ThreadPool* pool)
      : step(std::make_shared<Step>()),
        queue(std::make_shared<WorkQueue>(pool)) {}

  std::shared_ptr<Step> step;  // A Close() that cancels it shares it.
  std::shared_ptr<WorkQueue> queue;
  // One per partition, for the mode that was right when it was last asked for.
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<CompiledGraph::Mode> modes;
  // The number of runs begun so far; now and then the executors are chosen
  // anew.
  int64_t runs = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_RUN_STATE_H_
