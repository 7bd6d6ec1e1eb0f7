// SPDX-License-Identifier: Apache-2.0
// ShapeCheck: the run-time half of "shape functions are contracts".
//
// Before a kernel runs, its shape function has accepted the real shapes of its
// inputs.  It is asked once per new combination of shapes; the answer is kept
// with the plan.  If the function looked at values too (a Reshape's target),
// small integer inputs count as part of the combination, unless they are
// constants of the plan.  Values that are not in host memory are never read:
// the function learns that they are not known.
//
// The shapes that the function promised for a combination are compared with the
// outputs of the first call with it.  A broken promise gives a warning:
// TensorFlow runs such custom ops, so we do, too.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_SHAPE_CHECK_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_SHAPE_CHECK_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_shape.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The shapes that one run state last saw accepted for one node: the test for
// "nothing new" takes no lock.
struct LastShapes {
  bool valid = false;
  absl::InlinedVector<TensorShape, 2> shapes;
  std::string values;
};

// Checks one node of a plan.  Thread safe; `last` belongs to the caller.
class ShapeCheck {
 public:
  // The facts about an input before any run.
  struct Input {
    // Its value in every run, in host memory, if it is constant; else null.
    const Tensor* constant = nullptr;
    // Can the host read the input?
    bool on_host = true;
  };
  // One per input of the node.  Constants outlive this.
  ShapeCheck(const Node& node, std::vector<Input> inputs);

  // The shapes of a node's outputs, if its shape function was just asked; else
  // null.
  using Promised = std::unique_ptr<std::vector<PartialTensorShape>>;

  // OK, or the shape function's error.  If an input is an uninitialized
  // reference, which has no shape yet, the kernel decides.
  Status Check(absl::Span<const TensorValue> inputs, LastShapes* last,
               Promised* promised) {
    if (last->valid && !value_dependent_.load(std::memory_order_relaxed)) {
      size_t i = 0;
      while (i < inputs.size() &&
             inputs[i].tensor->shape().IsSameSize(last->shapes[i])) {
        ++i;
      }
      if (i == inputs.size()) [[likely]]
        return OkStatus();
    }
    return CheckSlow(inputs, last, promised);
  }

  // Logs, once for each op, that its kernel has set an output to another shape
  // than promised.  References have the shapes of their variables.
  static void WarnOfOutputs(const Node& node,
                            const std::vector<PartialTensorShape>& promised,
                            absl::Span<const OutputSlot> outputs);

  // Does the node need a check at all?
  static bool IsNeeded(const Node& node);

 private:
  Status CheckSlow(absl::Span<const TensorValue> inputs, LastShapes* last,
                   Promised* promised);
  std::string ValueKey(absl::Span<const TensorValue> inputs) const;

  const Node& node_;
  const std::vector<Input> inputs_;
  std::vector<int> value_inputs_;  // The inputs whose values may count.
  std::atomic<bool> value_dependent_{false};
  absl::Mutex mu_;
  absl::flat_hash_set<std::string> accepted_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_SHAPE_CHECK_H_
