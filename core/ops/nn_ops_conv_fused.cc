// SPDX-License-Identifier: Apache-2.0
// Convolutions of images that are first resized and mirrored at their edges.

#include <algorithm>
#include <string>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/util/window_attrs.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Rows and columns get the sizes in `size` [2], input 1.
Status Resize(InferenceContext* c, ShapeHandle* image) {
  ShapeHandle size;
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &size));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(size, 0), 2, &unused));
  const Tensor* values = c->input_tensor(1);
  for (int i = 0; i < 2; ++i) {
    DimensionHandle dim = c->UnknownDim();
    if (values != nullptr) {
      const int32_t value = values->base<int32_t>()[i];
      if (value <= 0) {
        return errors::InvalidArgument(
            c->op_def().name(),
            ": output dimensions must be positive, got size ", value);
      }
      dim = c->MakeDim(value);
    }
    TF_RETURN_IF_ERROR(c->ReplaceDim(*image, 1 + i, dim, image));
  }
  return OkStatus();
}

// Adds paddings [4, 2] to each dimension; a mirror cannot show more than there
// is.
Status MirrorPad(InferenceContext* c, ShapeHandle paddings,
                 const Tensor* values, ShapeHandle* image) {
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(paddings, 2, &paddings));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(paddings, 0), 4, &unused));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(paddings, 1), 2, &unused));
  if (values == nullptr) {
    *image = c->UnknownShapeOfRank(4);
    return OkStatus();
  }
  std::string mode;
  TF_RETURN_IF_ERROR(c->GetAttr("mode", &mode));
  std::vector<DimensionHandle> dims(4);
  for (int i = 0; i < 4; ++i) {
    const int64_t before = values->base<int32_t>()[2 * i];
    const int64_t after = values->base<int32_t>()[2 * i + 1];
    if (before < 0 || after < 0) {
      return errors::InvalidArgument(c->op_def().name(),
                                     ": paddings must be non-negative, got ",
                                     before, " and ", after);
    }
    const DimensionHandle dim = c->Dim(*image, i);
    if (c->ValueKnown(dim)) {
      const int64_t most =
          std::max<int64_t>(c->Value(dim) - (mode == "REFLECT" ? 1 : 0), 0);
      if (before > most || after > most) {
        return errors::InvalidArgument(
            c->op_def().name(), ": paddings must be no greater than ", most,
            " in dimension ", i, ", got ", before, " and ", after);
      }
    }
    TF_RETURN_IF_ERROR(c->Add(dim, before, &dims[i]));
    TF_RETURN_IF_ERROR(c->Add(dims[i], after, &dims[i]));
  }
  *image = c->MakeShape(dims);
  return OkStatus();
}

Status Convolve(InferenceContext* c, ShapeHandle image, ShapeHandle filter) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadConvAttrs(c, 4, &attrs));
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(filter, 4, &filter));
  if (!c->Merge(c->Dim(image, 3), c->Dim(filter, 2), &unused).ok()) {
    return errors::InvalidArgument(
        attrs.op,
        ": input and filter must have the same depth: ", c->DebugString(image),
        " vs ", c->DebugString(filter));
  }
  std::vector<DimensionHandle> dims = {c->Dim(image, 0), c->UnknownDim(),
                                       c->UnknownDim(), c->Dim(filter, 3)};
  for (int i = 0; i < 2; ++i) {
    const DimensionHandle size = c->Dim(image, 1 + i), taps = c->Dim(filter, i);
    if (!c->ValueKnown(size) || !c->ValueKnown(taps)) continue;
    WindowDim window;
    TF_RETURN_IF_ERROR(
        attrs.ComputeWindow(1 + i, c->Value(size), c->Value(taps), &window));
    dims[1 + i] = c->MakeDim(window.output);
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

Status FusedPadConv2DShape(InferenceContext* c) {
  ShapeHandle image;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  TF_RETURN_IF_ERROR(MirrorPad(c, c->input(1), c->input_tensor(1), &image));
  return Convolve(c, image, c->input(2));
}

Status FusedResizeAndPadConv2DShape(InferenceContext* c) {
  ShapeHandle image;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  TF_RETURN_IF_ERROR(Resize(c, &image));
  TF_RETURN_IF_ERROR(MirrorPad(c, c->input(2), c->input_tensor(2), &image));
  return Convolve(c, image, c->input(3));
}

}  // namespace

REGISTER_OP("FusedPadConv2D")
    .Input("input: T")
    .Input("paddings: int32")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Needs("unbounded memory")
    .SetShapeFn(FusedPadConv2DShape)
    .Doc(
        "Conv2D with a filter [kh, kw, c, d] of images [n, h, w, c] that are "
        "mirrored at their edges by paddings [4, 2] -> [n, oh, ow, d].");

REGISTER_OP("FusedResizeAndPadConv2D")
    .Input("input: T")
    .Input("size: int32")
    .Input("paddings: int32")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Attr("resize_align_corners: bool = false")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Needs("unbounded memory")
    .SetShapeFn(FusedResizeAndPadConv2DShape)
    .Doc(
        "Conv2D with a filter [kh, kw, c, d] of images [n, h, w, c] that are "
        "resized to size [2] (rows, columns) bilinearly and then mirrored at "
        "their edges by paddings [4, 2] -> [n, oh, ow, d].");

}  // namespace tensorwright
