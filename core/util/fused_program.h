// SPDX-License-Identifier: Apache-2.0
// FusedProgram: the nodes that one fused node stands for.
//
// A fused node (its op's name starts with "_Fused") keeps the nodes it was made
// of as attrs, so that shapes are checked and errors name nodes as they would
// without fusion:
//   ops: list(func)      op and attrs of each of them, inputs first
//   names: list(string)  their names
//   arities: list(int)   how many inputs each has
//   operands: list(int)  the inputs of all, one after the other: i below the
//                        fused node's number of inputs is that input, number of
//                        inputs + k is the output of the k-th node
//   results: list(int)   per output of the fused node: such a value
// Each of these nodes has one output.
#ifndef TENSORWRIGHT_CORE_UTIL_FUSED_PROGRAM_H_
#define TENSORWRIGHT_CORE_UTIL_FUSED_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/lib/core/status.h"
#include "core/util/elementwise.h"

namespace tensorwright {

class NameAttrList;
class NodeDef;

namespace shape_inference {
class InferenceContext;
}  // namespace shape_inference

class FusedProgram {
 public:
  struct Step {
    const NameAttrList* op = nullptr;  // Within the fused node's attrs.
    absl::string_view name;            // Likewise.
    ElementwiseKind kind = ElementwiseKind::kNone;
    const OpRegistrationData* registration = nullptr;
    std::vector<int> operands;

    AttrSlice attrs() const;
  };

  // Reads the attrs, which must outlive the result.  InvalidArgument if they
  // contradict each other.
  static Status Parse(const AttrSlice& attrs, int num_inputs,
                      FusedProgram* program);

  int num_inputs() const { return num_inputs_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<int64_t>& results() const { return results_; }

  // The shapes of all values: inputs, then steps.  `input_value` gives the
  // values of inputs that name dimensions to reduce, or null.  If a step's
  // shape function rejects its inputs, returns its error, with the step's name
  // noted.
  using InputValueFn = std::function<const Tensor*(int input)>;
  Status InferShapes(absl::Span<const TensorShape> inputs,
                     const InputValueFn& input_value,
                     std::vector<TensorShape>* values) const;

  // "Mul(%0, %1)", "Tanh(%2)", one for each step; values are numbered as in
  // `operands`.
  std::string DebugString() const;

 private:
  int num_inputs_ = 0;
  std::vector<Step> steps_;
  std::vector<int64_t> results_;
};

// Writes the attrs.
class FusedProgramBuilder {
 public:
  explicit FusedProgramBuilder(int num_inputs) : num_inputs_(num_inputs) {}

  // Returns the number of the new step's value.
  int AddStep(const NodeDef& original, absl::Span<const int> operands);
  void AddResult(int value) { results_.push_back(value); }
  void WriteAttrs(NodeDef* def) const;

 private:
  struct Step {
    const NodeDef* original;  // Not owned.
    std::vector<int> operands;
  };
  const int num_inputs_;
  std::vector<Step> steps_;
  std::vector<int> results_;
};

// The shape function of fused ops.
Status FusedProgramShape(shape_inference::InferenceContext* c);

// The names of the nodes that such a node stands for; empty for any other node.
std::vector<std::string> FusedNames(const NodeDef& def);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_FUSED_PROGRAM_H_
