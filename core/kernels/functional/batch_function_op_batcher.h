// SPDX-License-Identifier: Apache-2.0
// Batcher: puts the rows of several runs together, calls a function with them,
// and gives each run the rows that belong to it.
#ifndef TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_BATCH_FUNCTION_OP_BATCHER_H_
#define TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_BATCH_FUNCTION_OP_BATCHER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/functional/batch_function_op_rows.h"
#include "core/kernels/functional/call_function.h"

namespace tensorwright {

// Shared by all kernels of a device that have its name.  Thread-safe.
//
// Calls are made by threads of its own, at most num_batch_threads, each of
// which starts when there is work that no other waits for, and ends some time
// after the Batcher.  They hold no reference to it, since none may wait for
// itself.
class Batcher final : public ResourceBase {
 public:
  explicit Batcher(const BatchOptions& options);

  std::string DebugString() const override { return "Batcher"; }

  // Computes a run's outputs: `rows` rows of its inputs, of which all but the
  // last `captured` are batched.  Calls `done` once, when the outputs are set
  // or the context has an error: from any thread, perhaps before this returns.
  // Errors: Unavailable if there are max_enqueued_batches already;
  // InvalidArgument for rows that do not fit those of other runs;
  // FailedPrecondition for results that are not as many as the rows; Cancelled;
  // those of the function. `function` must live until then.
  void Compute(OpKernelContext* ctx, const CalledFunction* function,
               int64_t rows, int captured, AsyncOpKernel::DoneCallback done);

 private:
  struct Task;
  struct Piece;
  struct Batch;
  struct Call;
  class State;

  ~Batcher() override;

  const std::shared_ptr<State> state_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_BATCH_FUNCTION_OP_BATCHER_H_
