// SPDX-License-Identifier: Apache-2.0
// Conv: convolutions in two or three dimensions, of images with any number of
// batch dimensions.

#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"
#include "core/util/window_attrs.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The channels of images are those of the filter times attr groups, which
// divides the number of outputs.
Status CheckGroups(InferenceContext* c, DimensionHandle in,
                   DimensionHandle per_group, DimensionHandle out) {
  int64_t groups;
  TF_RETURN_IF_ERROR(c->GetAttr("groups", &groups));
  if (groups <= 0) {
    return errors::InvalidArgument("Conv: groups must be > 0, got ", groups);
  }
  if (c->ValueKnown(per_group) && c->Value(per_group) == 0) {
    return errors::InvalidArgument("Conv: filter must have channels, got 0");
  }
  if (c->ValueKnown(in) && c->ValueKnown(per_group) &&
      (c->Value(in) % c->Value(per_group) != 0 ||
       c->Value(in) / c->Value(per_group) != groups)) {
    return errors::InvalidArgument(
        "Conv: input must have groups times the channels of filter, got ",
        c->Value(in), " and ", c->Value(per_group), " for groups ", groups);
  }
  if (c->ValueKnown(out) && c->Value(out) % groups != 0) {
    return errors::InvalidArgument(
        "Conv: groups must divide the outputs of filter, got ", groups, " and ",
        c->Value(out));
  }
  return OkStatus();
}

// input: [batch..., space..., c] or [batch..., c, space...], filter: [space...,
// c / groups, d] -> [batch..., space..., d] or [batch..., d, space...].
Status ConvShape(InferenceContext* c) {
  const ShapeHandle filter = c->input(1);
  if (!c->RankKnown(filter)) {
    c->set_output(0, c->UnknownShapeOfRank(c->Rank(c->input(0))));
    return OkStatus();
  }
  const int rank = c->Rank(filter);
  if (rank != 4 && rank != 5) {
    return errors::InvalidArgument(
        "Conv: filter must have rank 4 or 5, for two or three dimensions of "
        "space, got ",
        rank);
  }
  WindowAttrs attrs;
  int64_t batch_dims;
  TF_RETURN_IF_ERROR(ReadConvAttrs(c, rank, &attrs));
  TF_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  const int64_t most = TensorShape::MaxDimensions() - rank;
  if (batch_dims < 0 || batch_dims > most) {
    return errors::InvalidArgument("Conv: batch_dims must be in [0, ", most,
                                   "], got ", batch_dims);
  }
  ShapeHandle input;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), batch_dims + rank - 1, &input));
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < batch_dims; ++i) dims.push_back(c->Dim(input, i));
  // `index` counts as if there were one dimension of batch.
  const auto position = [&](int index) {
    return static_cast<int>(batch_dims) + index - 1;
  };
  const DimensionHandle depth = c->Dim(filter, rank - 1);
  TF_RETURN_IF_ERROR(CheckGroups(c, c->Dim(input, position(attrs.DepthIndex())),
                                 c->Dim(filter, rank - 2), depth));
  dims.resize(batch_dims + rank - 1);
  dims[position(attrs.DepthIndex())] = depth;
  for (int i = 0; i < attrs.spatial_dims(); ++i) {
    const int index = attrs.SpatialIndex(i);
    const DimensionHandle size = c->Dim(input, position(index));
    const DimensionHandle taps = c->Dim(filter, i);
    DimensionHandle& output = dims[position(index)] = c->UnknownDim();
    if (!c->ValueKnown(size) || !c->ValueKnown(taps)) continue;
    WindowDim window;
    TF_RETURN_IF_ERROR(
        attrs.ComputeWindow(index, c->Value(size), c->Value(taps), &window));
    output = c->MakeDim(window.output);
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Conv")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'CHANNELS_FIRST', 'CHANNELS_LAST'} = 'CHANNELS_LAST'")
    .Attr("dilations: list(int) = []")
    .Attr("batch_dims: int = 1")
    .Attr("groups: int = 1")
    .SetShapeFn(ConvShape)
    .Doc(
        "Cross-correlation of images [batch..., h, w, c] or [batch..., d, h, "
        "w, c] (CHANNELS_FIRST: c before the space), which have batch_dims "
        "dimensions of batch, with a filter [kh, kw, c / groups, m] or [kd, "
        "kh, kw, c / groups, m] -> [batch..., oh, ow, m] or [batch..., od, oh, "
        "ow, m].");

}  // namespace tensorwright
