// SPDX-License-Identifier: Apache-2.0
// The walk down a tree, its growth and its proto.

#include "core/kernels/tensor_forest/tensor_forest_ops_tree.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

namespace tensorwright {
namespace forest {
namespace {

using decision_trees::InequalityTest;
using decision_trees::Value;

// The names by which TensorFlow knows the messages.
constexpr char kMatchingValuesTest[] =
    "type.googleapis.com/tensorflow.decision_trees.MatchingValuesTest";
constexpr char kFloatValue[] = "type.googleapis.com/google.protobuf.FloatValue";

Status ReadNumber(const Value& proto, float* number) {
  switch (proto.value_case()) {
    case Value::kFloatValue:
      *number = proto.float_value();
      return OkStatus();
    case Value::kDoubleValue:
      *number = static_cast<float>(proto.double_value());
      return OkStatus();
    case Value::kInt32Value:
      *number = static_cast<float>(proto.int32_value());
      return OkStatus();
    case Value::kInt64Value:
      *number = static_cast<float>(proto.int64_value());
      return OkStatus();
    default:
      return errors::InvalidArgument(
          "decision_trees.Model: a Value must be a number");
  }
}

Status ReadFeature(const decision_trees::FeatureId& proto, int32_t* feature) {
  if (!absl::SimpleAtoi(proto.id().value(), feature) || *feature < 0) {
    return errors::InvalidArgument(
        "decision_trees.Model: a FeatureId must be the number of a column, "
        "got \"",
        proto.id().value(), "\"");
  }
  return OkStatus();
}

}  // namespace

bool Split::GoesLeft(float value) const {
  switch (test) {
    case kLessOrEqual:
      return value <= threshold;
    case kLess:
      return value < threshold;
    case kGreaterOrEqual:
      return value >= threshold;
    case kGreater:
      return value > threshold;
    case kEqual:
      return value == threshold;
    case kUnequal:
      return value != threshold;
  }
  return false;
}

void Split::ToProto(decision_trees::BinaryNode* node) const {
  const std::string id = absl::StrCat(feature);
  if (test != kEqual && test != kUnequal) {
    InequalityTest* proto = node->mutable_inequality_left_child_test();
    proto->mutable_feature_id()->mutable_id()->set_value(id);
    proto->set_type(static_cast<InequalityTest::Type>(test));
    proto->mutable_threshold()->set_float_value(threshold);
    return;
  }
  decision_trees::MatchingValuesTest proto;
  proto.mutable_feature_id()->mutable_id()->set_value(id);
  proto.add_value()->set_float_value(threshold);
  proto.set_inverse(test == kUnequal);
  auto* any = node->mutable_custom_left_child_test();
  any->set_type_url(kMatchingValuesTest);
  any->set_value(proto.SerializeAsString());
}

Status Split::FromProto(const decision_trees::BinaryNode& node) {
  if (node.has_inequality_left_child_test()) {
    const InequalityTest& proto = node.inequality_left_child_test();
    if (!proto.has_feature_id() || proto.type() < 0 || proto.type() > 3) {
      return errors::InvalidArgument(
          "decision_trees.Model: an InequalityTest must be of one feature and "
          "of a known type");
    }
    test = static_cast<Test>(proto.type());
    TF_RETURN_IF_ERROR(ReadFeature(proto.feature_id(), &feature));
    return ReadNumber(proto.threshold(), &threshold);
  }
  const auto& any = node.custom_left_child_test();
  decision_trees::MatchingValuesTest proto;
  if (any.type_url() != kMatchingValuesTest ||
      !proto.ParseFromString(std::string(any.value())) ||
      proto.value_size() != 1) {
    return errors::InvalidArgument(
        "decision_trees.Model: a BinaryNode must have an InequalityTest or a "
        "MatchingValuesTest of one value");
  }
  test = proto.inverse() ? kUnequal : kEqual;
  TF_RETURN_IF_ERROR(ReadFeature(proto.feature_id(), &feature));
  return ReadNumber(proto.value(0), &threshold);
}

DecisionTree::Node DecisionTree::NewLeaf(int depth) const {
  Node node;
  node.depth = depth;
  node.model.values.assign(params_.num_outputs(), 0.0f);
  return node;
}

Status DecisionTree::ReadLeaf(const decision_trees::Leaf& proto,
                              LeafModel* model) const {
  const int64_t outputs = params_.num_outputs();
  model->values.assign(outputs, 0.0f);
  if (proto.vector().value_size() > 0 &&
      proto.vector().value_size() != outputs) {
    return errors::InvalidArgument("decision_trees.Model: a Leaf must have ",
                                   outputs, " values, got ",
                                   proto.vector().value_size());
  }
  for (int i = 0; i < proto.vector().value_size(); ++i) {
    TF_RETURN_IF_ERROR(ReadNumber(proto.vector().value(i), &model->values[i]));
  }
  for (const auto& [key, value] : proto.sparse_vector().sparse_value()) {
    if (key < 0 || key >= outputs) {
      return errors::InvalidArgument("decision_trees.Model: a Leaf of ",
                                     outputs, " values has number ", key);
    }
    TF_RETURN_IF_ERROR(ReadNumber(value, &model->values[key]));
  }
  for (const float value : model->values) {
    if (!std::isfinite(value) || (value < 0 && !params_.is_regression())) {
      return errors::InvalidArgument(
          "decision_trees.Model: the values of a Leaf must be finite, and "
          "weights of classes not negative, got ",
          value);
    }
    if (!params_.is_regression()) model->weight += value;
  }
  // The weight of means; 1 where another program made the tree.
  if (params_.is_regression()) model->weight = 1;
  for (const auto& any : proto.additional_data()) {
    google::protobuf::FloatValue weight;
    if (params_.is_regression() && any.type_url() == kFloatValue &&
        weight.ParseFromString(std::string(any.value())) &&
        weight.value() >= 0) {
      model->weight = weight.value();
    }
  }
  return OkStatus();
}

Status DecisionTree::ReadNode(const decision_trees::TreeNode& proto,
                              Node* node) const {
  if (proto.has_leaf()) return ReadLeaf(proto.leaf(), &node->model);
  if (!proto.has_binary_node()) {
    return errors::InvalidArgument(
        "decision_trees.Model: a TreeNode must be a Leaf or a BinaryNode");
  }
  node->left = proto.binary_node().left_child_id().value();
  node->right = proto.binary_node().right_child_id().value();
  return node->split.FromProto(proto.binary_node());
}

Status DecisionTree::FromString(const std::string& serialized) {
  decision_trees::Model model;
  if (!model.ParseFromString(serialized)) {
    return errors::InvalidArgument(
        "tree_config is no serialized decision_trees.Model");
  }
  const auto& proto = model.decision_tree().nodes();
  if (proto.empty()) {
    return errors::InvalidArgument(
        "tree_config must be a decision_tree with nodes");
  }
  std::vector<Node> nodes(proto.size());
  for (int i = 0; i < proto.size(); ++i) {
    TF_RETURN_IF_ERROR(ReadNode(proto[i], &nodes[i]));
  }
  // Every node has one parent at most, so each walk ends.
  std::vector<bool> is_child(nodes.size());
  std::vector<int32_t> open = {0};
  is_child[0] = true;
  while (!open.empty()) {
    const Node node = nodes[open.back()];
    open.pop_back();
    if (!node.model.values.empty()) continue;  // A leaf.
    for (const int32_t child : {node.left, node.right}) {
      if (child < 0 || child >= static_cast<int32_t>(nodes.size()) ||
          is_child[child]) {
        return errors::InvalidArgument(
            "decision_trees.Model: child ", child,
            " of a node is no other node of the tree's ", nodes.size(),
            ", or has another parent");
      }
      is_child[child] = true;
      nodes[child].depth = node.depth + 1;
      open.push_back(child);
    }
  }
  nodes_ = std::move(nodes);
  return OkStatus();
}

void DecisionTree::WriteNode(int32_t number,
                             decision_trees::TreeNode* proto) const {
  const Node& node = nodes_[number];
  proto->mutable_node_id()->set_value(number);
  proto->mutable_depth()->set_value(node.depth);
  if (!is_leaf(number)) {
    decision_trees::BinaryNode* inner = proto->mutable_binary_node();
    inner->mutable_left_child_id()->set_value(node.left);
    inner->mutable_right_child_id()->set_value(node.right);
    node.split.ToProto(inner);
    return;
  }
  decision_trees::Leaf* leaf = proto->mutable_leaf();
  if (params_.has_sparse_leaves()) {
    auto& map = *leaf->mutable_sparse_vector()->mutable_sparse_value();
    for (size_t i = 0; i < node.model.values.size(); ++i) {
      if (node.model.values[i] == 0) continue;
      map[static_cast<int64_t>(i)].set_float_value(node.model.values[i]);
    }
  } else {
    for (const float value : node.model.values) {
      leaf->mutable_vector()->add_value()->set_float_value(value);
    }
  }
  if (params_.is_regression()) {
    google::protobuf::FloatValue weight;
    weight.set_value(static_cast<float>(node.model.weight));
    auto* any = leaf->add_additional_data();
    any->set_type_url(kFloatValue);
    any->set_value(weight.SerializeAsString());
  }
}

Status DecisionTree::ToString(std::string* serialized) const {
  decision_trees::Model model;
  auto* proto = model.mutable_decision_tree();
  for (int32_t i = 0; i < size(); ++i) WriteNode(i, proto->add_nodes());
  const size_t bytes = model.ByteSizeLong();
  if (bytes > size_t{std::numeric_limits<int>::max()}) {
    return errors::InvalidArgument(
        "The tree is larger than a proto may be: ", bytes, " bytes");
  }
  // Equal trees are equal bytes: maps are sorted.
  google::protobuf::io::StringOutputStream text(serialized);
  google::protobuf::io::CodedOutputStream out(&text);
  out.SetSerializationDeterministic(true);
  model.SerializeWithCachedSizes(&out);
  return OkStatus();
}

int32_t DecisionTree::FindLeaf(const ForestExamples& examples,
                               int64_t row) const {
  int32_t at = 0;
  while (!is_leaf(at)) {
    const Node& node = nodes_[at];
    const float value = examples.Value(row, node.split.feature);
    at = node.split.GoesLeft(value) ? node.left : node.right;
  }
  return at;
}

std::string DecisionTree::Path(const ForestExamples& examples,
                               int64_t row) const {
  tensorforest::TreePath path;
  int32_t at = 0;
  while (true) {
    WriteNode(at, path.add_nodes_visited());
    if (is_leaf(at)) return path.SerializeAsString();
    const Node& node = nodes_[at];
    const float value = examples.Value(row, node.split.feature);
    at = node.split.GoesLeft(value) ? node.left : node.right;
  }
}

void DecisionTree::Predict(int32_t leaf, absl::Span<float> predictions) const {
  const LeafModel& model = nodes_[leaf].model;
  const size_t n = predictions.size();
  for (size_t i = 0; i < n; ++i) {
    if (params_.is_regression()) {
      predictions[i] = model.values[i];
    } else if (model.weight > 0) {
      predictions[i] = static_cast<float>(model.values[i] / model.weight);
    } else {
      predictions[i] = 1.0f / static_cast<float>(n);
    }
  }
}

void DecisionTree::Update(int32_t leaf, absl::Span<const float> labels,
                          double weight) {
  if (weight == 0) return;
  LeafModel& model = nodes_[leaf].model;
  model.weight += weight;
  if (!params_.is_regression()) {
    model.values[static_cast<size_t>(labels[0])] += static_cast<float>(weight);
    return;
  }
  const double part = weight / model.weight;
  for (size_t i = 0; i < labels.size(); ++i) {
    const double step = part * (double{labels[i]} - model.values[i]);
    model.values[i] = static_cast<float>(model.values[i] + step);
  }
}

void DecisionTree::SplitLeaf(int32_t leaf, const Split& split,
                             const LeafModel& left, const LeafModel& right) {
  const int depth = nodes_[leaf].depth + 1;
  for (const LeafModel* model : {&left, &right}) {
    nodes_.push_back(NewLeaf(depth));
    nodes_.back().model = *model;
  }
  Node& node = nodes_[leaf];
  node.split = split;
  node.model = {};
  node.right = size() - 1;
  node.left = size() - 2;
}

}  // namespace forest
}  // namespace tensorwright
