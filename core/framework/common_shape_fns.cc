// SPDX-License-Identifier: Apache-2.0
// Simple shape functions: outputs like an input, scalars, given by an attr.
#include "core/framework/common_shape_fns.h"

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/op_def.pb.h"

namespace tensorwright {
namespace shape_inference {

Status UnchangedShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return OkStatus();
}

Status UnchangedShapeWithHandleData(InferenceContext* c) {
  c->set_output(0, c->input(0));
  if (const auto* handle_data = c->input_handle_shapes_and_types(0)) {
    c->set_output_handle_shapes_and_types(0, *handle_data);
  }
  return OkStatus();
}

Status UnchangedShapeWithRank(InferenceContext* c, int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status UnchangedShapeWithRankAtLeast(InferenceContext* c, int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status UnchangedShapeWithRankAtMost(InferenceContext* c, int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status ScalarShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status NoOutputs(InferenceContext*) { return OkStatus(); }

Status UnknownShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, c->UnknownShape());
  }
  return OkStatus();
}

Status MergeInputs(InferenceContext* c, int first, ShapeHandle* merged) {
  *merged = first < c->num_inputs() ? c->input(first) : c->UnknownShape();
  for (int i = first + 1; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->Merge(*merged, c->input(i), merged));
  }
  return OkStatus();
}

Status MergeBothInputsShapeFn(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
  c->set_output(0, out);
  return OkStatus();
}

Status ExplicitShape(InferenceContext* c) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status ExplicitShapes(InferenceContext* c) {
  const char* const name =
      c->attrs().Find("shapes") != nullptr ? "shapes" : "output_shapes";
  std::vector<PartialTensorShape> shapes;
  TF_RETURN_IF_ERROR(c->GetAttr(name, &shapes));
  if (shapes.empty()) return UnknownShape(c);
  if (static_cast<int>(shapes.size()) != c->num_outputs()) {
    return errors::InvalidArgument(
        "attr '", name, "' must have ", c->num_outputs(),
        " shapes, one per output, got ", shapes.size());
  }
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[i], &out));
    c->set_output(i, out);
  }
  return OkStatus();
}

Status NormalizeAxis(absl::string_view argument, int64_t axis, int64_t rank,
                     int64_t* normalized) {
  if (axis < -rank || axis >= rank) {
    return errors::InvalidArgument(argument, " must be in [", -rank, ", ", rank,
                                   "), got ", axis);
  }
  *normalized = axis < 0 ? axis + rank : axis;
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
