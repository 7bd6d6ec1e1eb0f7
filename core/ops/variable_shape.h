// SPDX-License-Identifier: Apache-2.0
// The known shape of the variable behind a handle, or behind a reference, for
// shape functions.
#ifndef TENSORWRIGHT_CORE_OPS_VARIABLE_SHAPE_H_
#define TENSORWRIGHT_CORE_OPS_VARIABLE_SHAPE_H_

#include <vector>

#include "core/framework/shape_inference.h"
#include "core/framework/types.h"

namespace tensorwright {

// The shape of the variable that input `input` stands for: a handle [], whose
// data tell the known shape, or the variable itself.  InvalidArgument for a
// handle that is no scalar, or whose variable's dtype is not that of attr
// `dtype_attr`.
inline Status VariableShapeOf(shape_inference::InferenceContext* c, int input,
                              const char* dtype_attr,
                              shape_inference::ShapeHandle* shape) {
  DataType dtype = DT_INVALID;
  TF_RETURN_IF_ERROR(c->GetAttr(dtype_attr, &dtype));
  *shape = c->UnknownShape();
  shape_inference::ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(input), 0, &unused));
  const std::vector<shape_inference::ShapeAndType>* known =
      c->input_handle_shapes_and_types(input);
  if (known == nullptr || known->empty()) return OkStatus();
  if ((*known)[0].dtype != dtype) {
    return errors::InvalidArgument("the variable has dtype ",
                                   DataTypeString((*known)[0].dtype), ", attr ",
                                   dtype_attr, " is ", DataTypeString(dtype));
  }
  *shape = (*known)[0].shape;
  return OkStatus();
}

// updates, input 2, are slices of the variable of shape `ref`, one for each of
// indices, input 1: indices.shape + ref.shape[1:]; or one number for all.
inline Status CheckScatter(shape_inference::InferenceContext* c,
                           shape_inference::ShapeHandle ref) {
  shape_inference::ShapeHandle slice, expected, unused;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(ref, 1, &ref));
  TF_RETURN_IF_ERROR(c->Subshape(ref, 1, &slice));
  TF_RETURN_IF_ERROR(c->Concatenate(c->input(1), slice, &expected));
  if (c->Rank(c->input(2)) == 0) return OkStatus();
  return c->Merge(c->input(2), expected, &unused);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_OPS_VARIABLE_SHAPE_H_
