// SPDX-License-Identifier: Apache-2.0
// Stochastic dual coordinate ascent (Shalev-Shwartz and Zhang, 2013) for linear
// models.

#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// InvalidArgument if the two have different numbers of elements, whatever their
// shapes.
Status SameElements(InferenceContext* c, const char* names, ShapeHandle a,
                    ShapeHandle b) {
  if (!c->FullyDefined(a) || !c->FullyDefined(b)) return OkStatus();
  const int64_t m = c->Value(c->NumElements(a));
  const int64_t n = c->Value(c->NumElements(b));
  if (m == n) return OkStatus();
  return errors::InvalidArgument(names, " must be as many, got ", m, " and ",
                                 n);
}

// Each group has as many indices of examples as of features; the first groups
// have values too.
Status CheckSparseFeatures(InferenceContext* c) {
  std::vector<ShapeHandle> examples, features, values;
  TF_RETURN_IF_ERROR(c->input("sparse_example_indices", &examples));
  TF_RETURN_IF_ERROR(c->input("sparse_feature_indices", &features));
  TF_RETURN_IF_ERROR(c->input("sparse_feature_values", &values));
  if (values.size() > examples.size()) {
    return errors::InvalidArgument(
        "num_sparse_features_with_values must be at most num_sparse_features ",
        examples.size(), ", got ", values.size());
  }
  for (size_t i = 0; i < examples.size(); ++i) {
    TF_RETURN_IF_ERROR(
        SameElements(c, "sparse_example_indices and sparse_feature_indices",
                     examples[i], features[i]));
    if (i >= values.size()) continue;
    TF_RETURN_IF_ERROR(
        SameElements(c, "sparse_feature_indices and sparse_feature_values",
                     features[i], values[i]));
  }
  return OkStatus();
}

// Each group has a weight for each of its indices.
Status CheckSparseWeights(InferenceContext* c) {
  std::vector<ShapeHandle> indices, weights;
  TF_RETURN_IF_ERROR(c->input("sparse_indices", &indices));
  TF_RETURN_IF_ERROR(c->input("sparse_weights", &weights));
  for (size_t i = 0; i < indices.size(); ++i) {
    TF_RETURN_IF_ERROR(SameElements(c, "sparse_indices and sparse_weights",
                                    indices[i], weights[i]));
  }
  return c->set_output("out_delta_sparse_weights", weights);
}

// Each dense_features is [examples, n], with n weights.
Status CheckDense(InferenceContext* c, DimensionHandle examples) {
  std::vector<ShapeHandle> features, weights;
  TF_RETURN_IF_ERROR(c->input("dense_features", &features));
  TF_RETURN_IF_ERROR(c->input("dense_weights", &weights));
  for (size_t i = 0; i < features.size(); ++i) {
    ShapeHandle rows;
    DimensionHandle n;
    TF_RETURN_IF_ERROR(c->WithRank(features[i], 2, &rows));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(rows, 0), examples, &n));
    TF_RETURN_IF_ERROR(SameElements(c, "columns of dense_features and weights",
                                    c->Vector(c->Dim(rows, 1)), weights[i]));
  }
  return c->set_output("out_delta_dense_weights", weights);
}

Status OptimizerShape(InferenceContext* c) {
  std::vector<ShapeHandle> weights, labels, state;
  TF_RETURN_IF_ERROR(c->input("example_weights", &weights));
  TF_RETURN_IF_ERROR(c->input("example_labels", &labels));
  TF_RETURN_IF_ERROR(c->input("example_state_data", &state));
  TF_RETURN_IF_ERROR(SameElements(c, "example_weights and example_labels",
                                  weights[0], labels[0]));
  TF_RETURN_IF_ERROR(
      c->Merge(state[0], c->Matrix(c->UnknownDim(), 4), &state[0]));
  const DimensionHandle examples = c->Dim(state[0], 0);
  TF_RETURN_IF_ERROR(SameElements(c,
                                  "rows of example_state_data and "
                                  "example_weights",
                                  c->Vector(examples), weights[0]));
  TF_RETURN_IF_ERROR(CheckSparseFeatures(c));
  TF_RETURN_IF_ERROR(CheckSparseWeights(c));
  TF_RETURN_IF_ERROR(CheckDense(c, examples));
  return c->set_output("out_example_state_data", state);
}

Status FprintShape(InferenceContext* c) {
  ShapeHandle input;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &input));
  c->set_output(0, c->Matrix(c->Dim(input, 0), 2));
  return OkStatus();
}

}  // namespace

REGISTER_OP("SdcaOptimizer")
    .Attr(
        "loss_type: {'logistic_loss', 'squared_loss', 'hinge_loss', "
        "'smooth_hinge_loss', 'poisson_loss'}")
    .Attr("adaptative: bool = false")
    .Attr("num_sparse_features: int >= 0")
    .Attr("num_sparse_features_with_values: int >= 0")
    .Attr("num_dense_features: int >= 0")
    .Attr("l1: float")
    .Attr("l2: float")
    .Attr("num_loss_partitions: int >= 1")
    .Attr("num_inner_iterations: int >= 1")
    .Input("sparse_example_indices: num_sparse_features * int64")
    .Input("sparse_feature_indices: num_sparse_features * int64")
    .Input("sparse_feature_values: num_sparse_features_with_values * float")
    .Input("dense_features: num_dense_features * float")
    .Input("example_weights: float")
    .Input("example_labels: float")
    .Input("sparse_indices: num_sparse_features * int64")
    .Input("sparse_weights: num_sparse_features * float")
    .Input("dense_weights: num_dense_features * float")
    .Input("example_state_data: float")
    .Output("out_example_state_data: float")
    .Output("out_delta_sparse_weights: num_sparse_features * float")
    .Output("out_delta_dense_weights: num_dense_features * float")
    .SetShapeFn(OptimizerShape)
    .Doc(
        "One pass of dual coordinate ascent over examples, each once (or drawn "
        "by how far it is from its optimum): their new state [examples, 4], "
        "which is the dual variable, primal loss, dual loss and weight, and "
        "what to add to the weights of each group of features.");

REGISTER_OP("SdcaShrinkL1")
    .Attr("num_features: int >= 0")
    .Attr("l1: float")
    .Attr("l2: float")
    .Input("weights: Ref(num_features * float)")
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc(
        "Moves each of the weights towards 0 by l1 / l2, and those that are "
        "nearer to 0.");

REGISTER_OP("SdcaFprint")
    .Input("input: string")
    .Output("output: int64")
    .SetShapeFn(FprintShape)
    .Doc("128-bit fingerprints of strings, the low half first: [n] -> [n, 2].");

}  // namespace tensorwright
