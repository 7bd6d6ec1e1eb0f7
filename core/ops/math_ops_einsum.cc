// SPDX-License-Identifier: Apache-2.0
// Einsum: registration and shape function.

#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/util/einsum_equation.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Merges the sizes of input `i` into `sizes`, one for each letter, and its
// ellipsis into `ellipsis`.
Status MergeInput(InferenceContext* c, const EinsumEquation& equation, int i,
                  std::vector<DimensionHandle>* sizes, ShapeHandle* ellipsis) {
  const ShapeHandle shape = c->input(i);
  const EinsumLabels& labels = equation.inputs[i];
  if (!c->RankKnown(shape)) {
    if (EinsumEquation::HasEllipsis(labels)) *ellipsis = c->UnknownShape();
    return OkStatus();
  }
  int64_t ellipsis_rank = 0;
  TF_RETURN_IF_ERROR(
      EinsumEllipsisRank(equation, i, c->Rank(shape), &ellipsis_rank));
  int64_t at = 0;
  for (const int label : labels) {
    if (label == EinsumEquation::kEllipsis) {
      ShapeHandle own;
      TF_RETURN_IF_ERROR(c->Subshape(shape, at, at + ellipsis_rank, &own));
      TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
          c, *ellipsis, own, ellipsis));
      at += ellipsis_rank;
    } else {
      DimensionHandle& size = (*sizes)[label];
      TF_RETURN_IF_ERROR(c->Merge(size, c->Dim(shape, at++), &size));
    }
  }
  return OkStatus();
}

Status EinsumShape(InferenceContext* c) {
  std::string text;
  TF_RETURN_IF_ERROR(c->GetAttr("equation", &text));
  EinsumEquation equation;
  TF_RETURN_IF_ERROR(ParseEinsumEquation(text, c->num_inputs(), &equation));
  std::vector<DimensionHandle> sizes(equation.num_letters);
  for (DimensionHandle& size : sizes) size = c->UnknownDim();
  ShapeHandle ellipsis = c->Scalar();
  for (int i = 0; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(MergeInput(c, equation, i, &sizes, &ellipsis));
  }
  ShapeHandle output = c->Scalar();
  for (const int label : equation.output) {
    const ShapeHandle next =
        label == EinsumEquation::kEllipsis ? ellipsis : c->Vector(sizes[label]);
    TF_RETURN_IF_ERROR(c->Concatenate(output, next, &output));
  }
  c->set_output(0, output);
  return OkStatus();
}

}  // namespace

REGISTER_OP("Einsum")
    .Input("inputs: N * T")
    .Output("output: T")
    .Attr("equation: string")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .SetShapeFn(EinsumShape)
    .Doc(
        "Products of one or two inputs, summed over the labels that the "
        "output lacks: 'ij,jk->ik' is a matrix product, 'ii->i' a diagonal, "
        "'i->ii' the matrix with that diagonal; dimensions of '...' "
        "broadcast.");

}  // namespace tensorwright
