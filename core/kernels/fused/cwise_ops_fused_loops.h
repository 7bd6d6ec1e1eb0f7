// SPDX-License-Identifier: Apache-2.0
// FusedLoopFinder: the loops of a fused program's steps, taken from the kernels
// that run such nodes by themselves.
#ifndef TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_LOOPS_H_
#define TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_LOOPS_H_

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/fused/cwise_ops_fused_schedule.h"
#include "core/util/fused_program.h"

namespace tensorwright {

// Lives while one kernel is constructed.
class FusedLoopFinder {
 public:
  explicit FusedLoopFinder(OpKernelConstruction* ctx) : ctx_(ctx) {}

  // Sets *loop to the loop of `step`, whose inputs have the types
  // `operand_types`.  Internal if there is no such loop, InvalidArgument for a
  // number of operands that the op does not take.
  Status Find(const FusedProgram::Step& step,
              absl::Span<const DataType> operand_types, FusedLoop* loop,
              DataType* result_type);

 private:
  struct Known {
    FusedLoop loop;
    DataType result_type = DT_INVALID;
  };

  Status FromKernel(const FusedProgram::Step& step, NodeDef def,
                    FusedLoop* loop, DataType* result_type);

  OpKernelConstruction* const ctx_;
  // The loops found so far: a long program uses few different ops.
  absl::flat_hash_map<std::pair<std::string, int>, Known> known_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUSED_CWISE_OPS_FUSED_LOOPS_H_
