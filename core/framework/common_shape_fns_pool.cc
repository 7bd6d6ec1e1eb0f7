// SPDX-License-Identifier: Apache-2.0
// The shapes of max and average pools and their gradients.
#include <string>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/util/padding.h"
#include "core/util/tensor_format.h"
#include "core/util/window_geometry.h"

namespace tensorwright {
namespace shape_inference {
namespace {

struct PoolAttrs {
  TensorFormat format = FORMAT_NHWC;
  Padding padding = VALID;
  std::vector<int64_t> explicit_paddings;
  std::vector<int64_t> ksize;
  std::vector<int64_t> strides;
};

Status GetPoolAttrs(InferenceContext* c, PoolAttrs* attrs) {
  std::string padding, format = "NHWC";
  TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
  // Not every op has these.
  if (c->attrs().Find("data_format") != nullptr) {
    TF_RETURN_IF_ERROR(c->GetAttr("data_format", &format));
  }
  TF_RETURN_IF_ERROR(c->GetAttr("ksize", &attrs->ksize));
  TF_RETURN_IF_ERROR(c->GetAttr("strides", &attrs->strides));
  if (c->attrs().Find("explicit_paddings") != nullptr) {
    TF_RETURN_IF_ERROR(
        c->GetAttr("explicit_paddings", &attrs->explicit_paddings));
  }
  if (!FormatFromString(format, &attrs->format) ||
      attrs->format == FORMAT_NCHW_VECT_C) {
    return errors::InvalidArgument(
        "Pool: data_format must be NHWC or NCHW, got ", format);
  }
  TF_RETURN_IF_ERROR(GetPaddingFromString(padding, &attrs->padding));
  TF_RETURN_IF_ERROR(CheckValidPadding(attrs->padding, attrs->explicit_paddings,
                                       4, attrs->format));
  for (const auto* values : {&attrs->ksize, &attrs->strides}) {
    if (values->size() != 4) {
      return errors::InvalidArgument(
          "Pool: ksize and strides must have 4 values, got ", values->size());
    }
    for (int64_t value : *values) {
      if (value <= 0 || value > INT32_MAX) {
        return errors::InvalidArgument(
            "Pool: ksize and strides must be positive int32 values, got ",
            value);
      }
    }
    if ((*values)[0] != 1) {
      return errors::Unimplemented(
          "Pooling is not yet supported on the batch dimension, got ksize or "
          "stride ",
          (*values)[0]);
    }
  }
  return OkStatus();
}

// [n, h, w, c] -> [n, oh, ow, oc], in the order of the format.
Status PoolOutputShape(InferenceContext* c, const PoolAttrs& attrs,
                       ShapeHandle input, ShapeHandle* output) {
  TF_RETURN_IF_ERROR(c->WithRank(input, 4, &input));
  std::vector<DimensionHandle> dims(4);
  dims[0] = c->Dim(input, 0);
  for (int i = 1; i < 4; ++i) {
    dims[i] = c->UnknownDim();
    if (!c->ValueKnown(c->Dim(input, i))) continue;
    WindowDim window;
    window.input = c->Value(c->Dim(input, i));
    window.filter = attrs.ksize[i];
    window.stride = attrs.strides[i];
    if (attrs.padding == EXPLICIT) {
      window.pad_before = attrs.explicit_paddings[2 * i];
      window.pad_after = attrs.explicit_paddings[2 * i + 1];
    }
    TF_RETURN_IF_ERROR(ComputeWindow(attrs.padding, &window));
    dims[i] = c->MakeDim(window.output);
  }
  *output = c->MakeShape(dims);
  return OkStatus();
}

// Pooling over depth excludes pooling over space and divides depth evenly.
Status CheckDepthWindow(InferenceContext* c, const PoolAttrs& attrs,
                        ShapeHandle input) {
  const int depth_index = GetTensorDimIndex(attrs.format, 'C');
  const int64_t depth_window = attrs.ksize[depth_index];
  if (depth_window == 1) {
    if (attrs.strides[depth_index] == 1) return OkStatus();
    return errors::Unimplemented(
        "Pool: the depth stride must be 1 if the depth window is, got ",
        attrs.strides[depth_index]);
  }
  if (GetTensorDim(attrs.ksize, attrs.format, 'H') != 1 ||
      GetTensorDim(attrs.ksize, attrs.format, 'W') != 1) {
    return errors::Unimplemented(
        "MaxPooling supports exactly one of pooling across depth or pooling "
        "across width/height.");
  }
  if (depth_window != attrs.strides[depth_index]) {
    return errors::Unimplemented(
        "Depthwise max pooling requires the depth window to equal the depth "
        "stride, got ",
        depth_window, " and ", attrs.strides[depth_index]);
  }
  const DimensionHandle depth = c->Dim(input, depth_index);
  if (c->ValueKnown(depth) && c->Value(depth) % depth_window != 0) {
    return errors::Unimplemented(
        "Depthwise max pooling requires the depth window to evenly divide the "
        "input depth, got ",
        depth_window, " and ", c->Value(depth));
  }
  return OkStatus();
}

Status CheckNoDepthWindow(const PoolAttrs& attrs) {
  if (GetTensorDim(attrs.ksize, attrs.format, 'C') != 1 ||
      GetTensorDim(attrs.strides, attrs.format, 'C') != 1) {
    return errors::Unimplemented(
        "Non-spatial pooling is not yet supported: AvgPool with a depth "
        "window.");
  }
  return OkStatus();
}

}  // namespace

Status MaxPoolShape(InferenceContext* c) {
  PoolAttrs attrs;
  TF_RETURN_IF_ERROR(GetPoolAttrs(c, &attrs));
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(CheckDepthWindow(c, attrs, input));
  TF_RETURN_IF_ERROR(PoolOutputShape(c, attrs, input, &output));
  c->set_output(0, output);
  return OkStatus();
}

Status MaxPoolGradShape(InferenceContext* c) {
  PoolAttrs attrs;
  TF_RETURN_IF_ERROR(GetPoolAttrs(c, &attrs));
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(CheckDepthWindow(c, attrs, input));
  TF_RETURN_IF_ERROR(PoolOutputShape(c, attrs, input, &output));
  for (int i = 1; i < 3; ++i) {
    if (!c->Merge(output, c->input(i), &output).ok()) {
      return errors::InvalidArgument("MaxPoolGrad: Expected ",
                                     i == 1 ? "orig_output" : "grad",
                                     " shape to be ", c->DebugString(output),
                                     ", but got ", c->DebugString(c->input(i)));
    }
  }
  c->set_output(0, input);
  return OkStatus();
}

Status AvgPoolShape(InferenceContext* c) {
  PoolAttrs attrs;
  TF_RETURN_IF_ERROR(GetPoolAttrs(c, &attrs));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  ShapeHandle output;
  TF_RETURN_IF_ERROR(PoolOutputShape(c, attrs, c->input(0), &output));
  c->set_output(0, output);
  return OkStatus();
}

Status AvgPoolGradShape(InferenceContext* c) {
  PoolAttrs attrs;
  TF_RETURN_IF_ERROR(GetPoolAttrs(c, &attrs));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &input));
  TF_RETURN_IF_ERROR(c->WithRank(input, 4, &input));
  TF_RETURN_IF_ERROR(PoolOutputShape(c, attrs, input, &output));
  if (!c->Merge(output, c->input(1), &output).ok()) {
    return errors::InvalidArgument("AvgPoolGrad: Expected grad shape to be ",
                                   c->DebugString(output), ", but got ",
                                   c->DebugString(c->input(1)));
  }
  c->set_output(0, input);
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
