// SPDX-License-Identifier: Apache-2.0
// Collectives: carries out one order after the other by MPI.
//
// Belongs to the engine's thread, which calls MPI; every rank of a group gives
// it the group's orders in the same order.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_COLLECTIVES_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_COLLECTIVES_H_

#include <mpi/mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/distributed_runtime/mpi/arithmetic.h"
#include "core/distributed_runtime/mpi/coordinator.h"
#include "core/distributed_runtime/mpi/engine.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace mpi {

// Unavailable, with MPI's words, if `code` of the call `what` is an error.
Status CheckMpi(int code, const char* what);

class Collectives {
 public:
  // Call it after MPI_Init.
  Status Initialize();
  // Call it before MPI_Finalize.
  void Free();

  // Fills the outputs of `requests`, this rank's parts of an order to run, and
  // returns when MPI is done with them.
  Status Run(const Order& order,
             const std::vector<std::shared_ptr<Request>>& requests);

 private:
  Status Gather(MPI_Comm comm, Request* request);
  Status Broadcast(MPI_Comm comm, const Order& order, Request* request);
  Status Reduce(MPI_Comm comm,
                const std::vector<std::shared_ptr<Request>>& requests);
  Status CommOf(const Order& order, MPI_Comm* comm);

  std::map<int32_t, MPI_Comm> comms_;  // By group.
  std::vector<char> fused_;
  Arithmetic arithmetic_;
};

}  // namespace mpi
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_COLLECTIVES_H_
