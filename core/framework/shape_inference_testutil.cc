// SPDX-License-Identifier: Apache-2.0
// Reads the shapes of shape function tests and compares outputs with them.
#include "core/framework/shape_inference_testutil.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor_shape.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

std::vector<absl::string_view> SplitShapes(absl::string_view text) {
  if (text.empty()) return {};
  return absl::StrSplit(text, ';');
}

// The pieces between the brackets; false without brackets.
bool SplitDims(absl::string_view text, std::vector<absl::string_view>* dims) {
  dims->clear();
  if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]")) {
    return false;
  }
  if (!text.empty()) *dims = absl::StrSplit(text, ',');
  return true;
}

Status ParseShape(absl::string_view text, PartialTensorShape* shape) {
  *shape = PartialTensorShape();
  if (text == "?") return OkStatus();
  std::vector<absl::string_view> pieces;
  if (!SplitDims(text, &pieces)) {
    return errors::InvalidArgument("Test: '", text, "' is no shape");
  }
  std::vector<int64_t> sizes;
  for (absl::string_view piece : pieces) {
    int64_t size = -1;
    if (piece != "?" && !absl::SimpleAtoi(piece, &size)) {
      return errors::InvalidArgument("Test: '", piece, "' is no dimension");
    }
    sizes.push_back(size);
  }
  return PartialTensorShape::BuildPartialTensorShape(sizes, shape);
}

// Does `dim` match `expected`, one alternative?
bool DimMatches(InferenceContext* c, DimensionHandle dim,
                absl::string_view expected) {
  if (expected == "e") return true;
  if (expected == "?") return !c->ValueKnown(dim);
  int64_t size;
  if (absl::SimpleAtoi(expected, &size)) return c->Value(dim) == size;
  // d<input>_<dimension>
  if (!absl::ConsumePrefix(&expected, "d")) return false;
  const std::vector<absl::string_view> at = absl::StrSplit(expected, '_');
  int input, index;
  return at.size() == 2 && absl::SimpleAtoi(at[0], &input) &&
         absl::SimpleAtoi(at[1], &index) && input < c->num_inputs() &&
         c->Dim(c->input(input), index).SameHandle(dim);
}

bool ShapeMatches(InferenceContext* c, ShapeHandle shape,
                  absl::string_view expected) {
  if (expected == "e") return true;
  if (expected == "?") return !c->RankKnown(shape);
  std::vector<absl::string_view> dims;
  if (SplitDims(expected, &dims)) {
    if (c->Rank(shape) != static_cast<int>(dims.size())) return false;
    for (size_t i = 0; i < dims.size(); ++i) {
      bool any = false;
      for (absl::string_view one : absl::StrSplit(dims[i], '|')) {
        any |= DimMatches(c, c->Dim(shape, i), one);
      }
      if (!any) return false;
    }
    return true;
  }
  for (absl::string_view one : absl::StrSplit(expected, '|')) {
    int input;
    if (absl::ConsumePrefix(&one, "in") && absl::SimpleAtoi(one, &input) &&
        input < c->num_inputs() && c->input(input).SameHandle(shape)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Status InferShapes(const ShapeInferenceTestOp& op, absl::string_view inputs,
                   absl::string_view expected_outputs) {
  const OpRegistrationData* data;
  TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUp(op.name, &data));
  if (data->shape_inference_fn == nullptr) {
    return errors::InvalidArgument("Test: ", op.name, " has no shape function");
  }
  std::vector<PartialTensorShape> shapes;
  for (absl::string_view text : SplitShapes(inputs)) {
    shapes.emplace_back();
    TF_RETURN_IF_ERROR(ParseShape(text, &shapes.back()));
  }
  NodeDef node = op.node_def;
  AddDefaultsToNodeDef(data->op_def, &node);
  InferenceContext c(/*graph_def_version=*/1 << 20, node, data->op_def, shapes,
                     op.input_tensors, {});
  TF_RETURN_IF_ERROR(c.Run(data->shape_inference_fn));

  if (expected_outputs == "e") return OkStatus();
  const std::vector<absl::string_view> expected = SplitShapes(expected_outputs);
  if (c.num_outputs() != static_cast<int>(expected.size())) {
    return errors::InvalidArgument("Test: ", op.name, " has ", c.num_outputs(),
                                   " outputs, the test gives ",
                                   expected.size());
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (!ShapeMatches(&c, c.output(i), expected[i])) {
      return errors::InvalidArgument("Test: output ", i, " must be ",
                                     expected[i], ", got ",
                                     c.DebugString(c.output(i)));
    }
  }
  return OkStatus();
}

}  // namespace tensorwright
