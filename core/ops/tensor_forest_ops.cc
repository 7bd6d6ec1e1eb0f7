// SPDX-License-Identifier: Apache-2.0
// Ops of tf.contrib.tensor_forest: trees and the statistics of their leaves, as
// resources.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Inputs [begin, end) are scalars, handles among them.
Status Scalars(InferenceContext* c, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return OkStatus();
}

// All inputs are scalars; there are no outputs.
Status AllScalars(InferenceContext* c) {
  return Scalars(c, 0, c->num_inputs());
}

// All inputs are scalars, and so is the output.
Status ScalarOfScalars(InferenceContext* c) {
  TF_RETURN_IF_ERROR(AllScalars(c));
  return shape_inference::ScalarShape(c);
}

// Is input `i` the vector of length 0 that stands for no data?
bool IsNone(InferenceContext* c, int i) {
  const ShapeHandle shape = c->input(i);
  return c->RankKnown(shape) && c->Rank(shape) == 1 &&
         c->Value(c->Dim(shape, 0)) == 0;
}

// Input `i` is a matrix, or none: a vector of unknown length may turn out to be
// that.  Sets the number of its rows, if it is a matrix.
Status MatrixOrNone(InferenceContext* c, int i, ShapeHandle* shape,
                    DimensionHandle* rows) {
  *shape = c->UnknownShapeOfRank(2);
  *rows = c->UnknownDim();
  const ShapeHandle input = c->input(i);
  if (!c->RankKnown(input)) return OkStatus();
  if (c->Rank(input) == 1 &&
      (IsNone(c, i) || !c->ValueKnown(c->Dim(input, 0)))) {
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(c->WithRank(input, 2, shape));
  *rows = c->Dim(*shape, 0);
  return OkStatus();
}

// Four inputs from `first` on are examples: input_data [rows, columns] and a
// sparse tensor of as many rows, of which either may be missing, an empty
// vector.  Sets the number of rows as far as shapes tell it.
Status Examples(InferenceContext* c, int first, DimensionHandle* rows) {
  ShapeHandle shape;
  DimensionHandle entries, two;
  TF_RETURN_IF_ERROR(MatrixOrNone(c, first, &shape, rows));
  TF_RETURN_IF_ERROR(MatrixOrNone(c, first + 1, &shape, &entries));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(shape, 1), 2, &two));
  if (IsNone(c, first + 1)) entries = c->MakeDim(0);
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 2), 1, &shape));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(shape, 0), entries, &entries));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 3), 1, &shape));
  if (IsNone(c, first + 3)) return OkStatus();
  return c->WithValue(c->Dim(shape, 0), 2, &two);
}

// Two inputs from `first` on are labels, [rows] or [rows, outputs], and
// weights, [rows] or an empty vector.
Status Labels(InferenceContext* c, int first, DimensionHandle rows) {
  ShapeHandle labels, weights;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(first), 1, &labels));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(labels, 2, &labels));
  if (c->RankKnown(labels)) {
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(labels, 0), rows, &rows));
  }
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 1), 1, &weights));
  if (c->ValueKnown(c->Dim(weights, 0)) && !IsNone(c, first + 1)) {
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(weights, 0), rows, &rows));
  }
  return OkStatus();
}

Status TreePredictionsShape(InferenceContext* c) {
  DimensionHandle rows;
  TF_RETURN_IF_ERROR(Scalars(c, 0, 1));
  TF_RETURN_IF_ERROR(Examples(c, 1, &rows));
  c->set_output(0, c->Matrix(rows, c->UnknownDim()));
  c->set_output(1, c->Vector(rows));
  return OkStatus();
}

Status TraverseTreeShape(InferenceContext* c) {
  DimensionHandle rows;
  TF_RETURN_IF_ERROR(Scalars(c, 0, 1));
  TF_RETURN_IF_ERROR(Examples(c, 1, &rows));
  c->set_output(0, c->Vector(rows));
  return OkStatus();
}

Status UpdateModelShape(InferenceContext* c) {
  ShapeHandle leaves;
  TF_RETURN_IF_ERROR(Scalars(c, 0, 1));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &leaves));
  return Labels(c, 2, c->Dim(leaves, 0));
}

Status ProcessInputShape(InferenceContext* c) {
  DimensionHandle rows;
  ShapeHandle leaves;
  TF_RETURN_IF_ERROR(Scalars(c, 0, 2));
  TF_RETURN_IF_ERROR(Examples(c, 2, &rows));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(8), 1, &leaves));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(leaves, 0), rows, &rows));
  TF_RETURN_IF_ERROR(Labels(c, 6, rows));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}

Status GrowTreeShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(Scalars(c, 0, 2));
  return c->WithRank(c->input(2), 1, &unused);
}

Status FeatureUsageCountsShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(Scalars(c, 0, 1));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}

}  // namespace

REGISTER_OP("DecisionTreeResourceHandleOp")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Output("resource: resource")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The handle [] of a tree, which CreateTreeVariable makes.");

REGISTER_OP("TreeIsInitializedOp")
    .Input("tree_handle: resource")
    .Output("is_initialized: bool")
    .SetIsStateful()
    .SetShapeFn(ScalarOfScalars)
    .Doc("Whether there is a tree behind the handle []: [].");

REGISTER_OP("CreateTreeVariable")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Input("tree_config: string")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(AllScalars)
    .Doc(
        "Makes a tree for the handle [], unless there is one: that of a "
        "serialized decision_trees.Model [], or, if this is empty, a leaf.");

REGISTER_OP("TreeSerialize")
    .Input("tree_handle: resource")
    .Output("tree_config: string")
    .SetIsStateful()
    .SetShapeFn(ScalarOfScalars)
    .Doc("The tree as a serialized decision_trees.Model: [] -> [].");

REGISTER_OP("TreeDeserialize")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Input("tree_config: string")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(AllScalars)
    .Doc("Makes the tree [] the one of a serialized decision_trees.Model [].");

REGISTER_OP("TreeSize")
    .Input("tree_handle: resource")
    .Output("tree_size: int32")
    .SetIsStateful()
    .SetShapeFn(ScalarOfScalars)
    .Doc("How many nodes the tree [] has, leaves among them: [].");

REGISTER_OP("TreeAverageImpurity")
    .Input("tree_handle: resource")
    .Output("impurity: float")
    .SetIsStateful()
    .SetShapeFn(ScalarOfScalars)
    .Doc(
        "The mean over the leaves of the tree [] of the weight of a leaf's "
        "examples times the Gini impurity of their classes: [].");

REGISTER_OP("TreePredictionsV4")
    .Attr("input_spec: string")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Input("input_data: float")
    .Input("sparse_input_indices: int64")
    .Input("sparse_input_values: float")
    .Input("sparse_input_shape: int64")
    .Output("predictions: float")
    .Output("tree_paths: string")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(TreePredictionsShape)
    .Doc(
        "Probabilities of classes, or means, from the leaf of each example: "
        "input_data [rows, columns] and a sparse tensor -> [rows, outputs], "
        "and the serialized TreePath to the leaf, if params ask for it: "
        "[rows].");

REGISTER_OP("FeatureUsageCounts")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Output("feature_counts: int32")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(FeatureUsageCountsShape)
    .Doc("How many nodes of the tree [] test each feature: [num_features].");

REGISTER_OP("TraverseTreeV4")
    .Attr("input_spec: string")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Input("input_data: float")
    .Input("sparse_input_indices: int64")
    .Input("sparse_input_values: float")
    .Input("sparse_input_shape: int64")
    .Output("leaf_ids: int32")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(TraverseTreeShape)
    .Doc(
        "The leaf of each example: input_data [rows, columns] and a sparse "
        "tensor -> [rows].");

REGISTER_OP("UpdateModelV4")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Input("leaf_ids: int32")
    .Input("input_labels: float")
    .Input("input_weights: float")
    .SetIsStateful()
    .SetShapeFn(UpdateModelShape)
    .Doc(
        "Adds labels [rows] or [rows, outputs], with weights [rows] or [0], "
        "to the classes or means of leaves leaf_ids [rows] of the tree [].");

REGISTER_OP("FertileStatsResourceHandleOp")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Output("resource: resource")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "The handle [] of statistics of leaves, which "
        "CreateFertileStatsVariable makes.");

REGISTER_OP("FertileStatsIsInitializedOp")
    .Input("fertile_stats_handle: resource")
    .Output("is_initialized: bool")
    .SetIsStateful()
    .SetShapeFn(ScalarOfScalars)
    .Doc("Whether there are statistics behind the handle []: [].");

REGISTER_OP("CreateFertileStatsVariable")
    .Attr("params: string")
    .Input("stats_handle: resource")
    .Input("stats_config: string")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(AllScalars)
    .Doc(
        "Makes statistics for the handle [], unless there are some: those of "
        "a serialized tensorforest.FertileStats [], none if it is empty.");

REGISTER_OP("FertileStatsSerialize")
    .Attr("params: string")
    .Input("stats_handle: resource")
    .Output("stats_config: string")
    .SetIsStateful()
    .SetShapeFn(ScalarOfScalars)
    .Doc(
        "The statistics as a serialized tensorforest.FertileStats; empty "
        "unless params say checkpoint_stats: [] -> [].");

REGISTER_OP("FertileStatsDeserialize")
    .Attr("params: string")
    .Input("stats_handle: resource")
    .Input("stats_config: string")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(AllScalars)
    .Doc(
        "Makes the statistics [] those of a serialized "
        "tensorforest.FertileStats [].");

REGISTER_OP("ProcessInputV4")
    .Attr("random_seed: int")
    .Attr("input_spec: string")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Input("stats_handle: resource")
    .Input("input_data: float")
    .Input("sparse_input_indices: int64")
    .Input("sparse_input_values: float")
    .Input("sparse_input_shape: int64")
    .Input("input_labels: float")
    .Input("input_weights: float")
    .Input("leaf_ids: int32")
    .Output("finished_nodes: int32")
    .SetIsStateful()
    .Touches("chance")  // Unless random_seed is not 0.
    .Needs("unbounded memory")
    .SetShapeFn(ProcessInputShape)
    .Doc(
        "Adds examples to the statistics of their leaves leaf_ids [rows], and "
        "gives the leaves that have seen enough to be split: input_data "
        "[rows, columns] and a sparse tensor, labels [rows] or [rows, "
        "outputs], weights [rows] or [0] -> [finished].");

REGISTER_OP("GrowTreeV4")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Input("stats_handle: resource")
    .Input("finished_nodes: int32")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(GrowTreeShape)
    .Doc(
        "Splits leaves finished_nodes [finished] of the tree [] by the best of "
        "their candidates, as long as there are no more than max_nodes nodes.");

REGISTER_OP("FinalizeTree")
    .Attr("params: string")
    .Input("tree_handle: resource")
    .Input("stats_handle: resource")
    .SetIsStateful()
    .SetShapeFn(AllScalars)
    .Doc(
        "Makes each leaf of the tree [] say what its statistics [] do, where "
        "they have examples.");

REGISTER_OP("ReinterpretStringToFloat")
    .Input("input_data: string")
    .Output("output_data: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "A finite number for each string, the same for equal strings and most "
        "likely others for others: [...] -> [...].");

}  // namespace tensorwright
