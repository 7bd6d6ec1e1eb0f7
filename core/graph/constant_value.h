// SPDX-License-Identifier: Apache-2.0
// Finds the value of an integer tensor, as far as it is known before anything
// runs.
//
// Shapes are computed in graphs by small integer arithmetic on tf.shape(x).
// ConstantEvaluator follows it element by element, so that "batch size unknown,
// then 28 * 28" survives a Pack, and a Reshape behind it gets [?, 784].
//
// It never fails: an op that it does not know, an input that is not connected,
// a value that a kernel would reject or an overflow only mean that nothing is
// known.
#ifndef TENSORWRIGHT_CORE_GRAPH_CONSTANT_VALUE_H_
#define TENSORWRIGHT_CORE_GRAPH_CONSTANT_VALUE_H_

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/graph/graph.h"

namespace tensorwright {

// An int32 or int64 tensor of known shape with elements that may be unknown.
struct PartialValue {
  struct Element {
    int64_t value = 0;
    bool known = false;
  };

  DataType dtype = DT_INT32;
  TensorShape shape;
  absl::InlinedVector<Element, 8> elements;

  // Also true if there are no elements.
  bool IsFullyKnown() const;
  Tensor ToTensor() const;  // If fully known only.
  // Reads it as a shape: unknown and -1 are both unknown sizes.  False unless
  // it is a vector of sizes >= -1 (or a scalar -1: the unknown shape), or if a
  // tensor of that shape would be too large; *shape is of no use then.
  bool ToShape(PartialTensorShape* shape) const;
};

// One query; holds what it has evaluated on the way, by Node*, so make a new
// one once the graph has changed.  Used by one thread, under the lock that
// guards the graph.  Work is bounded: values of more than kMaxElements and
// chains deeper than kMaxDepth are "unknown".
class ConstantEvaluator {
 public:
  static constexpr int64_t kMaxElements = 1024;
  static constexpr int kMaxDepth = 64;

  // The static shape of an output; its rank is unknown if nothing is known.
  // Called often.
  using OutputShapeFn =
      std::function<PartialTensorShape(const Node& node, int output)>;
  // The value of a Const node, or null if the node's attr is no tensor.  Not
  // owned; good until the next call.
  using ConstFn = std::function<const Tensor*(const Node& node)>;

  ConstantEvaluator(OutputShapeFn shapes, ConstFn consts)
      : shapes_(std::move(shapes)), consts_(std::move(consts)) {}

  // Sets *value to the known part of an output of dtype int32 or int64 (or a
  // reference to one); elements are row-major.  False if nothing is known, or
  // for another dtype; *value is of no use then.
  bool Evaluate(const Node& node, int output, PartialValue* value);

  // The full value, of any dtype and size if `node` is a Const (or Identities
  // of one).  False, with *value untouched, unless every element is known.  A
  // Const's buffer is shared: never write to it.
  bool EvaluateTensor(const Node& node, int output, Tensor* value);

 private:
  bool Compute(const Node& node, int output, PartialValue* value);
  bool Input(const Node& node, int i, PartialValue* value);
  bool ScalarInput(const Node& node, int i, int64_t* value);

  bool FromConst(const Node& node, PartialValue* value);
  bool FromShape(const Node& node, int output, PartialValue* value);
  bool FromSize(const Node& node, PartialValue* value);
  bool FromRank(const Node& node, PartialValue* value);
  bool FromCast(const Node& node, PartialValue* value);
  bool FromJoin(const Node& node, int first, int last, bool is_pack,
                PartialValue* value);
  bool FromStridedSlice(const Node& node, PartialValue* value);
  bool FromSlice(const Node& node, PartialValue* value);
  bool FromGather(const Node& node, PartialValue* value);
  bool FromRange(const Node& node, PartialValue* value);
  bool FromReshape(const Node& node, PartialValue* value);
  bool FromExpandDims(const Node& node, PartialValue* value);
  bool FromSqueeze(const Node& node, PartialValue* value);
  bool FromUnpack(const Node& node, int output, PartialValue* value);
  bool FromFill(const Node& node, PartialValue* value);
  bool FromReduction(const Node& node, bool product, PartialValue* value);
  bool FromBinary(const Node& node, PartialValue* value);
  bool FromNegative(const Node& node, PartialValue* value);

  const OutputShapeFn shapes_;
  const ConstFn consts_;
  int depth_ = 0;
  // An entry is missing until it is evaluated; its second is false if nothing
  // is known.
  absl::flat_hash_map<std::pair<const Node*, int>,
                      std::pair<PartialValue, bool>>
      memo_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_CONSTANT_VALUE_H_
