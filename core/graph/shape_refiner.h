// SPDX-License-Identifier: Apache-2.0
// ShapeRefiner: runs shape functions when nodes are added, and remembers the
// static shapes of all outputs.
//
// It owns what it remembers, and borrows the graph's nodes only during a call.
// The owner of the graph calls it, under the lock that guards the graph.  A
// failure comes from the shape function and leaves everything as it was, so the
// caller can take the node out of the graph again.
#ifndef TENSORWRIGHT_CORE_GRAPH_SHAPE_REFINER_H_
#define TENSORWRIGHT_CORE_GRAPH_SHAPE_REFINER_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/graph/constant_value.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

namespace shape_inference {
class InferenceContext;
}  // namespace shape_inference

// For one Graph; keeps shapes by node id.  Not thread safe.
class ShapeRefiner {
 public:
  ShapeRefiner() = default;
  ShapeRefiner(const ShapeRefiner&) = delete;
  ShapeRefiner& operator=(const ShapeRefiner&) = delete;

  // Infers the shapes of the node's outputs from its connected inputs; an input
  // that is not connected yet (a loop's back edge) is unknown, and the function
  // gets the values of inputs that a ConstantEvaluator finds.  The shape
  // function's own error, with the node noted, if it rejects the shapes; then
  // nothing is remembered.  Nodes without a shape function have unknown shapes.
  // Add inputs first: shapes inferred for them later do not reach this node.
  Status AddNode(const Node& node);
  // The version of the GraphDef that the next nodes come from, by default
  // TensorFlow 1.3's: some shape functions know the meaning of older ones.
  void set_graph_def_version(int version) { graph_def_version_ = version; }
  int graph_def_version() const { return graph_def_version_; }
  // Forgets the node, which need not have been added.
  void RemoveNode(const Node& node);

  // Unknown for a node that was not added.  `output` is not checked.
  PartialTensorShape OutputShape(const Node& node, int output) const;

  // Merges `shape` with the known one; InvalidArgument, with nothing changed,
  // if they are incompatible.  Consumers keep the shapes they have.
  Status SetShape(const Node& node, int output,
                  const PartialTensorShape& shape);

  // The result of ConstantEvaluator::EvaluateTensor, also for a large Const.
  // Parsed Consts are kept for the next call.
  bool ConstantValue(const Node& node, int output, Tensor* value);

 private:
  using Shapes = absl::InlinedVector<PartialTensorShape, 1>;
  using HandleData = std::vector<std::pair<PartialTensorShape, DataType>>;
  struct Values;

  Status RunShapeFn(const Node& node, const Values& values,
                    absl::Span<const PartialTensorShape> input_shapes,
                    std::vector<bool>* wanted, Shapes* outputs,
                    std::vector<HandleData>* handles);
  void SetHandleData(const Node& node,
                     shape_inference::InferenceContext* context) const;
  // A Const of fewer values than elements is filled up only to this many
  // elements.
  ConstantEvaluator MakeEvaluator(int64_t max_repeated);
  const Tensor* ConstTensor(const Node& node, int64_t max_repeated);

  int graph_def_version_ = 24;
  std::vector<std::unique_ptr<Shapes>> shapes_;  // By node id.
  absl::flat_hash_map<std::pair<int, int>, HandleData> handles_;
  absl::flat_hash_map<int, Tensor> consts_;  // Parsed, by node id.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_SHAPE_REFINER_H_
