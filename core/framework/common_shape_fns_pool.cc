// SPDX-License-Identifier: Apache-2.0
// The shapes of max and average pools in two and three dimensions and their
// gradients.
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
  int rank = 4;  // Of images; 5 where they have planes.
  TensorFormat format = FORMAT_NHWC;
  Padding padding = VALID;
  std::vector<int64_t> explicit_paddings;
  std::vector<int64_t> ksize;
  std::vector<int64_t> strides;
};

Status GetPoolAttrs(InferenceContext* c, int rank, PoolAttrs* attrs) {
  std::string padding, format = "NHWC";
  attrs->rank = rank;
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
                                       rank, attrs->format));
  for (const auto* values : {&attrs->ksize, &attrs->strides}) {
    if (values->size() != static_cast<size_t>(rank)) {
      return errors::InvalidArgument("Pool: ksize and strides must have ", rank,
                                     " values, got ", values->size());
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

// [n, h, w, c] -> [n, oh, ow, oc], in the order of the format; likewise with
// planes.
Status PoolOutputShape(InferenceContext* c, const PoolAttrs& attrs,
                       ShapeHandle input, ShapeHandle* output) {
  TF_RETURN_IF_ERROR(c->WithRank(input, attrs.rank, &input));
  std::vector<DimensionHandle> dims(attrs.rank);
  dims[0] = c->Dim(input, 0);
  for (int i = 1; i < attrs.rank; ++i) {
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
    // No window over the depth is none, also where there are no channels.
    const bool is_depth =
        i == GetTensorFeatureDimIndex(attrs.rank, attrs.format);
    const bool has_window = attrs.ksize[i] != 1 || attrs.strides[i] != 1;
    TF_RETURN_IF_ERROR(
        ComputeWindow(is_depth && !has_window ? SAME : attrs.padding, &window));
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
        "Pool: exactly one of pooling over depth and over height and width can "
        "be done, got a depth window of ",
        depth_window);
  }
  if (depth_window != attrs.strides[depth_index]) {
    return errors::Unimplemented(
        "Pool: the depth window must equal the depth stride, got ",
        depth_window, " and ", attrs.strides[depth_index]);
  }
  const DimensionHandle depth = c->Dim(input, depth_index);
  if (c->ValueKnown(depth) && c->Value(depth) % depth_window != 0) {
    return errors::Unimplemented(
        "Pool: the depth window must evenly divide the depth, got ",
        depth_window, " and ", c->Value(depth));
  }
  return OkStatus();
}

Status CheckNoDepthWindow(const PoolAttrs& attrs) {
  const int depth_index = GetTensorFeatureDimIndex(attrs.rank, attrs.format);
  if (attrs.ksize[depth_index] != 1 || attrs.strides[depth_index] != 1) {
    return errors::Unimplemented(
        "Non-spatial pooling is not yet supported: ksize and strides must be 1 "
        "along depth.");
  }
  return OkStatus();
}

// Attrs and input of a max pool in space or along depth, or of any pool with
// planes.
Status CheckedAttrs(InferenceContext* c, int rank, PoolAttrs* attrs,
                    ShapeHandle* input, ShapeHandle* output) {
  TF_RETURN_IF_ERROR(GetPoolAttrs(c, rank, attrs));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, input));
  TF_RETURN_IF_ERROR(rank == 4 ? CheckDepthWindow(c, *attrs, *input)
                               : CheckNoDepthWindow(*attrs));
  return PoolOutputShape(c, *attrs, *input, output);
}

// input, output and gradient of the pool: the latter two have its output's
// shape.  The result has the shape of input `like`.
Status PoolGradShape(InferenceContext* c, int rank, int like) {
  PoolAttrs attrs;
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(CheckedAttrs(c, rank, &attrs, &input, &output));
  for (int i = 1; i < 3; ++i) {
    // The second gradient's `grad` is in the shape of the input.
    ShapeHandle* expected = i == 2 && like == 1 ? &input : &output;
    if (!c->Merge(*expected, c->input(i), expected).ok()) {
      return errors::InvalidArgument("MaxPoolGrad: Expected ",
                                     i == 1 ? "orig_output" : "grad",
                                     " shape to be ", c->DebugString(*expected),
                                     ", but got ", c->DebugString(c->input(i)));
    }
  }
  c->set_output(0, like == 0 ? input : output);
  return OkStatus();
}

Status AveragePoolGradShape(InferenceContext* c, int rank) {
  PoolAttrs attrs;
  TF_RETURN_IF_ERROR(GetPoolAttrs(c, rank, &attrs));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &input));
  TF_RETURN_IF_ERROR(c->WithRank(input, rank, &input));
  TF_RETURN_IF_ERROR(PoolOutputShape(c, attrs, input, &output));
  if (!c->Merge(output, c->input(1), &output).ok()) {
    return errors::InvalidArgument("AvgPoolGrad: Expected grad shape to be ",
                                   c->DebugString(output), ", but got ",
                                   c->DebugString(c->input(1)));
  }
  c->set_output(0, input);
  return OkStatus();
}

}  // namespace

Status MaxPoolShape(InferenceContext* c) {
  PoolAttrs attrs;
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
  PoolAttrs attrs;
  ShapeHandle input, output;
  TF_RETURN_IF_ERROR(CheckedAttrs(c, 4, &attrs, &input, &output));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  c->set_output(0, output);
  c->set_output(1, output);
  return OkStatus();
}

Status MaxPoolGradWithArgmaxShape(InferenceContext* c, bool second) {
  PoolAttrs attrs;
  ShapeHandle input, output, grad;
  TF_RETURN_IF_ERROR(CheckedAttrs(c, 4, &attrs, &input, &output));
  TF_RETURN_IF_ERROR(CheckNoDepthWindow(attrs));
  TF_RETURN_IF_ERROR(c->Merge(output, c->input(2), &output));
  TF_RETURN_IF_ERROR(c->Merge(second ? input : output, c->input(1), &grad));
  c->set_output(0, second ? output : input);
  return OkStatus();
}

Status AvgPoolShape(InferenceContext* c) {
  PoolAttrs attrs;
  TF_RETURN_IF_ERROR(GetPoolAttrs(c, 4, &attrs));
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
  PoolAttrs attrs;
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
