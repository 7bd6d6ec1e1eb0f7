// SPDX-License-Identifier: Apache-2.0
// Engine: carries out collectives by MPI, on a thread of its own.
//
// That thread alone calls MPI, from MPI_Init to MPI_Finalize, so whatever MPI
// is installed serves.  Kernels submit and return; a step goes on with what
// does not need the result: all-reduces overlap with the backward pass.
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

// What one op wants.  The engine keeps it until MPI is done with its tensors,
// even when the op has been answered before: a step that was cancelled.
struct Request {
  Announcement announcement;
  Tensor input;         // Of a receiver: empty.
  Tensor output;        // Allocated.  Of a sender: the input.
  bool divide = false;  // The sum becomes a mean.
  // Then the op fails with DeadlineExceeded.
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();
  // Called once, from any thread.
  std::function<void(const Status&)> done;
  std::atomic<bool> answered{false};

  // Calls `done`, unless somebody has.
  void Answer(const Status& status) {
    if (!answered.exchange(true)) done(status);
  }
};

// This process among those that mpirun started.
struct World {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  // Among those of this machine.
  int local_size = 1;
};

// Starts the engine; does nothing if it runs.  Thread-safe, as all here.
// FailedPrecondition if it was stopped: MPI starts once in a process.
Status Start(World* world);

// Ends it for all ranks: whoever waits is answered with Unavailable.
void Stop();

// The ranks there are; a world of one before Start.
World CurrentWorld();

// Has `request` carried out when all ranks of its group have submitted theirs.
// FailedPrecondition, and `done` is never called, if the engine does not run.
Status Submit(std::shared_ptr<Request> request);

}  // namespace mpi
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_ENGINE_H_
