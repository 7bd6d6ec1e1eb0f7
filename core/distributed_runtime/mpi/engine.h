// SPDX-License-Identifier: Apache-2.0
// Engine: carries out collectives by MPI, on a thread of its own.
//
// That thread alone calls MPI, from MPI_Init to MPI_Finalize, so any installed
// MPI will do.  Kernels submit and return; a step goes on with nodes that do
// not need the result: all-reduces overlap with the backward pass.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_ENGINE_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_ENGINE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/distributed_runtime/mpi/coordinator.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace mpi {

// The request of one op.  The engine keeps it until MPI is done with its
// tensors, even if the op has been answered before, because its step was
// cancelled.
struct Request {
  Announcement announcement;
  Tensor input;         // Empty for a receiver.
  Tensor output;        // Allocated; for a sender, the input.
  bool divide = false;  // Turns the sum into a mean.
  // At this time the op fails with DeadlineExceeded.
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();
  // Called once, from any thread.
  std::function<void(const Status&)> done;
  std::atomic<bool> answered{false};

  // Calls `done`, unless it has been called.
  void Answer(const Status& status) {
    if (!answered.exchange(true)) done(status);
  }
};

// This process among those that mpirun started.
struct World {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  // The rank among those of this machine.
  int local_size = 1;
};

// Starts the engine; does nothing if it runs.  Thread-safe, like all functions
// here.  FailedPrecondition if it was stopped: MPI starts once in a process.
Status Start(World* world);

// Ends the engine for all ranks: waiting ops are answered with Unavailable.
void Stop();

// The ranks that exist; a world of one before Start.
World CurrentWorld();

// Carries out `request` when all ranks of its group have submitted theirs.
// FailedPrecondition if the engine does not run; then `done` is never called.
Status Submit(std::shared_ptr<Request> request);

}  // namespace mpi
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_ENGINE_H_
