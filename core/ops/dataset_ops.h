// SPDX-License-Identifier: Apache-2.0
// Shape functions of dataset ops.
#ifndef TENSORWRIGHT_CORE_OPS_DATASET_OPS_H_
#define TENSORWRIGHT_CORE_OPS_DATASET_OPS_H_

#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright::dataset_ops {

// The output is a handle []; so are the inputs with these numbers.
template <int... inputs>
inline Status DatasetShape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  Status status;
  (status.Update(c->WithRank(c->input(inputs), 0, &unused)), ...);
  TF_RETURN_IF_ERROR(status);
  return shape_inference::ScalarShape(c);
}

// The output is a handle []; so are all inputs.
inline Status DatasetsShape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return shape_inference::ScalarShape(c);
}

// Checks that attr output_shapes has a shape for each of `n` components.
inline Status CheckComponents(shape_inference::InferenceContext* c, int n) {
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  if (static_cast<int>(shapes.size()) == n) return OkStatus();
  return errors::InvalidArgument("output_shapes must have ", n,
                                 " shapes, one for each component, got ",
                                 shapes.size());
}

// The outputs are an element, with the shapes of attr output_shapes; input 0 is
// its source, a handle [].
inline Status ElementShapes(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TF_RETURN_IF_ERROR(CheckComponents(c, c->num_outputs()));
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  for (int i = 0; i < c->num_outputs(); ++i) {
    shape_inference::ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[i], &shape));
    c->set_output(i, shape);
  }
  return OkStatus();
}

inline Status TensorDatasetShape(shape_inference::InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckComponents(c, c->num_inputs()));
  return shape_inference::ScalarShape(c);
}

inline Status TensorSliceDatasetShape(shape_inference::InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckComponents(c, c->num_inputs()));
  shape_inference::DimensionHandle rows = c->UnknownDim();
  for (int i = 0; i < c->num_inputs(); ++i) {
    shape_inference::ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(i), 1, &unused));
    TF_RETURN_IF_ERROR(c->Merge(rows, c->Dim(c->input(i), 0), &rows));
  }
  return shape_inference::ScalarShape(c);
}

inline Status SparseTensorSliceDatasetShape(
    shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle indices, values, shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &shape));
  shape_inference::DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &unused));
  return shape_inference::ScalarShape(c);
}

inline Status PaddedBatchDatasetShape(shape_inference::InferenceContext* c) {
  int n = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("N", &n));
  TF_RETURN_IF_ERROR(CheckComponents(c, n));
  shape_inference::ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  if (c->num_inputs() - 2 < 2 * n) {
    return errors::InvalidArgument("Toutput_types must have ", n, " types");
  }
  for (int i = 0; i < n; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2 + i), 1, &unused));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2 + n + i), 0, &unused));
  }
  return shape_inference::ScalarShape(c);
}

inline Status DenseToSparseBatchDatasetShape(
    shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  return DatasetShape<0, 1>(c);
}

// The filenames of a reader are one, or a list.
inline Status FilesShape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &unused));
  for (int i = 1; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return shape_inference::ScalarShape(c);
}

}  // namespace tensorwright::dataset_ops

#endif  // TENSORWRIGHT_CORE_OPS_DATASET_OPS_H_
