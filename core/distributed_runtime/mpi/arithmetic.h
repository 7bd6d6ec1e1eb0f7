// SPDX-License-Identifier: Apache-2.0
// Arithmetic: MPI's types and operations for our dtypes, MPI's own and ours.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_ARITHMETIC_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_ARITHMETIC_H_

#include <mpi/mpi.h>

#include <cstdint>
#include <vector>

#include "core/distributed_runtime/mpi/coordinator.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace mpi {

// For float, double, int32, int64, half and bfloat16.  MPI has no half and no
// bfloat16: each step of a reduction rounds as our kernels do.  Used between
// MPI_Init and MPI_Finalize, on their thread.
class Arithmetic {
 public:
  Status Initialize();
  void Free();

  MPI_Datatype Type(DataType dtype) const;
  MPI_Op Op(DataType dtype, Merge merge) const;

 private:
  MPI_Datatype half_ = MPI_DATATYPE_NULL;
  MPI_Datatype bfloat16_ = MPI_DATATYPE_NULL;
  std::vector<MPI_Op> half_ops_, bfloat16_ops_;  // Indexed by Merge.
};

// Divides each element; integers round towards zero.
void Divide(int64_t divisor, Tensor* tensor);

}  // namespace mpi
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_ARITHMETIC_H_
