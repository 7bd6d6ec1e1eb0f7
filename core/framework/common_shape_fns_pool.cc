// SPDX-License-Identifier: Apache-2.0
// The shapes of max and average pools in two and three dimensions and their
// gradients.
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/lib/core/errors.h"
#include "core/util/window_attrs.h"

namespace tensorwright {
namespace shape_inference {
namespace {

// [n, h, w, c] -> [n, oh, ow, oc], in the order of the format; likewise with
// planes.
Status PoolOutputShape(InferenceContext* c, const WindowAttrs& attrs,
                       ShapeHandle input, ShapeHandle* output) {
  TF_RETURN_IF_ERROR(c->WithRank(input, attrs.rank, &input));
  std::vector<DimensionHandle> dims(attrs.rank);
  dims[0] = c->Dim(input, 0);
  for (int i = 1; i < attrs.rank; ++i) {
    dims[i] = c->UnknownDim();
    if (!c->ValueKnown(c->Dim(input, i))) continue;
    WindowDim window;
    TF_RETURN_IF_ERROR(attrs.ComputeWindow(i, c->Value(c->Dim(input, i)),
                                           attrs.ksize[i], &window));
    dims[i] = c->MakeDim(window.output);
  }
  *output = c->MakeShape(dims);
  return OkStatus();
}

// Attrs of a pool, or its last two inputs: ksize and strides.  *known says
// whether these have values yet.
Status ReadPool(InferenceContext* c, int rank, WindowAttrs* attrs,
                bool* known) {
  *known = true;
  if (c->attrs().Find("ksize") != nullptr) {
    return ReadPoolAttrs(c, rank, attrs);
  }
  TF_RETURN_IF_ERROR(ReadPoolAttrsButSizes(c, rank, attrs));
  const int at = c->num_inputs() - 2;
  for (int i = at; i < at + 2; ++i) {
    ShapeHandle sizes;
    DimensionHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &sizes));
    TF_RETURN_IF_ERROR(c->WithValue(c->Dim(sizes, 0), rank, &unused));
    *known = *known && c->input_tensor(i) != nullptr;
  }
  if (!*known) return OkStatus();
  const Status set =
      SetPoolSizes(*c->input_tensor(at), *c->input_tensor(at + 1), attrs);
  // Windows over the batch are refused when the op runs, as in TensorFlow.
  if (errors::IsUnimplemented(set)) *known = false;
  return *known ? set : OkStatus();
}

// Attrs and input of a max pool in space or along depth, or of any pool with
// planes.
Status CheckedAttrs(InferenceContext* c, int rank, WindowAttrs* attrs,
                    ShapeHandle* input, ShapeHandle* output) {
  bool known = false;
  TF_RETURN_IF_ERROR(ReadPool(c, rank, attrs, &known));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, input));
  if (!known) {
    *output = c->UnknownShapeOfRank(rank);
    // Windows do not go over the batch.
    return c->ReplaceDim(*output, 0, c->Dim(*input, 0), output);
  }
  TF_RETURN_IF_ERROR(CheckDepthWindow(*attrs));
  const DimensionHandle depth = c->Dim(*input, attrs->DepthIndex());
  if (c->ValueKnown(depth)) {
    TF_RETURN_IF_ERROR(CheckDepthWindowDivides(*attrs, c->Value(depth)));
  }
  return PoolOutputShape(c, *attrs, *input, output);
}

// Merges what is known of an argument with the shape it must have.
Status MergeExpected(InferenceContext* c, const WindowAttrs& attrs,
                     const char* name, ShapeHandle argument,
                     ShapeHandle* expected) {
  ShapeHandle merged;
  if (!c->Merge(*expected, argument, &merged).ok()) {
    return errors::InvalidArgument(attrs.op, ": Expected ", name,
                                   " shape to be ", c->DebugString(*expected),
                                   ", but got ", c->DebugString(argument));
  }
  *expected = merged;
  return OkStatus();
}

// The inputs are the pool's input, output and gradient; the latter two have its
// output's shape.  The result has the shape of input `like`.
Status PoolGradShape(InferenceContext* c, int rank, int like) {
  WindowAttrs attrs;
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(CheckedAttrs(c, rank, &attrs, &input, &output));
  for (int i = 1; i < 3; ++i) {
    // In the second gradient, `grad` has the shape of the input.
    ShapeHandle* expected = i == 2 && like == 1 ? &input : &output;
    TF_RETURN_IF_ERROR(MergeExpected(c, attrs, i == 1 ? "orig_output" : "grad",
                                     c->input(i), expected));
  }
  c->set_output(0, like == 0 ? input : output);
  return OkStatus();
}

Status AveragePoolGradShape(InferenceContext* c, int rank) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadPoolAttrs(c, rank, &attrs));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &input));
  TF_RETURN_IF_ERROR(c->WithRank(input, rank, &input));
  TF_RETURN_IF_ERROR(PoolOutputShape(c, attrs, input, &output));
  TF_RETURN_IF_ERROR(MergeExpected(c, attrs, "grad", c->input(1), &output));
  c->set_output(0, input);
  return OkStatus();
}

}  // namespace

Status MaxPoolShape(InferenceContext* c) {
  WindowAttrs attrs;
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(CheckedAttrs(c, 4, &attrs, &input, &output));
  c->set_output(0, output);
  return OkStatus();
}

Status MaxPoolGradShape(InferenceContext* c) { return PoolGradShape(c, 4, 0); }

Status MaxPoolGradGradShape(InferenceContext* c) {
  return PoolGradShape(c, 4, 1);
}

Status MaxPoolWithArgmaxShape(InferenceContext* c) {
  WindowAttrs attrs;
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(CheckedAttrs(c, 4, &attrs, &input, &output));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  c->set_output(0, output);
  c->set_output(1, output);
  return OkStatus();
}

Status MaxPoolGradWithArgmaxShape(InferenceContext* c, bool second) {
  WindowAttrs attrs;
  ShapeHandle input, output, grad;
  TF_RETURN_IF_ERROR(CheckedAttrs(c, 4, &attrs, &input, &output));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  TF_RETURN_IF_ERROR(c->Merge(output, c->input(2), &output));
  TF_RETURN_IF_ERROR(c->Merge(second ? input : output, c->input(1), &grad));
  c->set_output(0, second ? output : input);
  return OkStatus();
}

Status AvgPoolShape(InferenceContext* c) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadPoolAttrs(c, 4, &attrs));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  ShapeHandle output;
  TF_RETURN_IF_ERROR(PoolOutputShape(c, attrs, c->input(0), &output));
  c->set_output(0, output);
  return OkStatus();
}

Status AvgPoolGradShape(InferenceContext* c) {
  return AveragePoolGradShape(c, 4);
}

Status Pool3DShape(InferenceContext* c) {
  WindowAttrs attrs;
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(CheckedAttrs(c, 5, &attrs, &input, &output));
  c->set_output(0, output);
  return OkStatus();
}

Status MaxPool3DGradShape(InferenceContext* c) {
  return PoolGradShape(c, 5, 0);
}

Status MaxPool3DGradGradShape(InferenceContext* c) {
  return PoolGradShape(c, 5, 1);
}

Status AvgPool3DGradShape(InferenceContext* c) {
  return AveragePoolGradShape(c, 5);
}

}  // namespace shape_inference
}  // namespace tensorwright
