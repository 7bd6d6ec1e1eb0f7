// SPDX-License-Identifier: Apache-2.0
// A binary decision tree that grows at its leaves.
#ifndef TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_TREE_H_
#define TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_data.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_params.h"
#include "core/lib/core/status.h"
#include "core/platform/mutex.h"
#include "core/protobuf/decision_trees.pb.h"

namespace tensorwright {
namespace forest {

// The test of an inner node.  A NaN passes kUnequal alone.
struct Split {
  enum Test {
    kLessOrEqual,
    kLess,
    kGreaterOrEqual,
    kGreater,
    kEqual,
    kUnequal
  };

  int32_t feature = 0;
  float threshold = 0;
  Test test = kLessOrEqual;

  bool GoesLeft(float value) const;
  bool operator==(const Split& o) const {
    return feature == o.feature && threshold == o.threshold && test == o.test;
  }
  // A BinaryNode without children, and back.  InvalidArgument for a test that
  // is none of these.
  void ToProto(decision_trees::BinaryNode* node) const;
  Status FromProto(const decision_trees::BinaryNode& node);
};

// The model of a leaf: the weight of each class, or the mean of each output and
// the weight of the examples in it.
struct LeafModel {
  std::vector<float> values;
  double weight = 0;
};

// Not thread-safe.  Nodes are known by their numbers, the root's is 0; children
// come after their parents in a tree that grew here.
class DecisionTree {
 public:
  explicit DecisionTree(const ForestParams& params) : params_(params) {
    nodes_.push_back(NewLeaf(0));
  }

  // InvalidArgument if the bytes are no tree of a kind and size that `params`
  // allow; the tree stays as it was.
  Status FromString(const std::string& serialized);
  // InvalidArgument if the proto is too large.
  Status ToString(std::string* serialized) const;

  const ForestParams& params() const { return params_; }
  int32_t size() const { return static_cast<int32_t>(nodes_.size()); }
  bool has(int32_t node) const { return node >= 0 && node < size(); }
  bool is_leaf(int32_t node) const { return nodes_[node].left < 0; }
  int depth(int32_t node) const { return nodes_[node].depth; }
  const Split& split(int32_t node) const { return nodes_[node].split; }
  const LeafModel& leaf(int32_t node) const { return nodes_[node].model; }

  int32_t FindLeaf(const ForestExamples& examples, int64_t row) const;
  // The serialized TreePath to the leaf.
  std::string Path(const ForestExamples& examples, int64_t row) const;
  // Writes probabilities or means: `predictions` has num_outputs elements.  All
  // classes are equally likely where a leaf has seen none.
  void Predict(int32_t leaf, absl::Span<float> predictions) const;

  // Adds an example to a leaf.  `labels` are a class, or num_outputs numbers.
  void Update(int32_t leaf, absl::Span<const float> labels, double weight);
  void SetLeaf(int32_t leaf, const LeafModel& model) {
    nodes_[leaf].model = model;
  }
  // Makes the leaf an inner node with two leaves.
  void SplitLeaf(int32_t leaf, const Split& split, const LeafModel& left,
                 const LeafModel& right);

 private:
  struct Node {
    int32_t left = -1;
    int32_t right = -1;
    int depth = 0;
    Split split;      // Inner nodes.
    LeafModel model;  // Leaves.
  };

  Node NewLeaf(int depth) const;
  Status ReadNode(const decision_trees::TreeNode& proto, Node* node) const;
  Status ReadLeaf(const decision_trees::Leaf& proto, LeafModel* model) const;
  void WriteNode(int32_t number, decision_trees::TreeNode* proto) const;

  const ForestParams params_;
  std::vector<Node> nodes_;
};

// The resource behind a tree's handle.  Whoever locks the statistics of its
// leaves too locks the tree first.
class DecisionTreeResource final : public ResourceBase {
 public:
  explicit DecisionTreeResource(const ForestParams& params) : tree(params) {}
  std::string DebugString() const override { return "DecisionTree"; }

  mutex mu;
  DecisionTree tree TF_GUARDED_BY(mu);
};

}  // namespace forest
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_TREE_H_
