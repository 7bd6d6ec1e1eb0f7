// SPDX-License-Identifier: Apache-2.0
// Shape functions' parts that ops of sparse tensors share.
#ifndef TENSORWRIGHT_CORE_OPS_SPARSE_OPS_SHAPE_H_
#define TENSORWRIGHT_CORE_OPS_SPARSE_OPS_SHAPE_H_

#include "core/framework/shape_inference.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Inputs `first`, `first` + 1 and `first` + 2 are indices [n, rank], values [n]
// and a shape [rank].
inline Status SparseInputShape(shape_inference::InferenceContext* c, int first,
                               shape_inference::DimensionHandle* n,
                               shape_inference::DimensionHandle* rank) {
  shape_inference::ShapeHandle indices, values, shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first), 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 1), 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(first + 2), 1, &shape));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), n));
  return c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), rank);
}

// Outputs `first`, `first` + `step` and `first` + 2 * `step` are those parts.
inline void SparseOutputShape(shape_inference::InferenceContext* c, int first,
                              shape_inference::DimensionOrConstant n,
                              shape_inference::DimensionOrConstant rank,
                              int step = 1) {
  c->set_output(first, c->Matrix(n, rank));
  c->set_output(first + step, c->Vector(n));
  c->set_output(first + 2 * step, c->Vector(rank));
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_OPS_SPARSE_OPS_SHAPE_H_
