// SPDX-License-Identifier: Apache-2.0
// Reads and checks the attrs of ops with sliding windows.

#include "core/util/window_attrs.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_kernel_construction.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

std::string PublicName(absl::string_view op) {
  if (!absl::ConsumePrefix(&op, "_Fused")) absl::ConsumePrefix(&op, "_");
  return std::string(op);
}

// The same failure, with `op` named in it.
Status InOp(const std::string& op, const Status& status) {
  if (status.ok()) return status;
  return Status(status.code(), absl::StrCat(op, ": ", status.error_message()));
}

// Leaves *value as it is if the op has no such attr.
template <typename T>
Status GetAttrIfAny(const AttrSlice& attrs, absl::string_view name, T* value) {
  return attrs.Find(name) == nullptr ? OkStatus()
                                     : GetNodeAttr(attrs, name, value);
}

std::string Text(const std::vector<int64_t>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

Status ReadPadding(const AttrSlice& from, Padding* padding) {
  std::string text;
  TF_RETURN_IF_ERROR(GetNodeAttr(from, "padding", &text));
  return GetPaddingFromString(text, padding);
}

// Reads what all have in common, except the lists of windows, which `attrs`
// holds or the caller reads. `passes_over`: looks at explicit_paddings only if
// padding asks for them.
Status ReadCommon(const WindowAttrSource& from, int rank, WindowAttrs* attrs,
                  bool passes_over = false) {
  attrs->op = PublicName(from.op());
  attrs->rank = rank;
  attrs->dilations.assign(rank, 1);
  std::string format = "NHWC";
  // Other people's ops, and the oldest of ours, lack some of these; the length
  // of strides is checked.
  TF_RETURN_IF_ERROR(GetAttrIfAny(from.attrs(), "strides", &attrs->strides));
  TF_RETURN_IF_ERROR(GetAttrIfAny(from.attrs(), "data_format", &format));
  TF_RETURN_IF_ERROR(GetAttrIfAny(from.attrs(), "explicit_paddings",
                                  &attrs->explicit_paddings));
  // The same in words.
  if (format == "CHANNELS_LAST") format = "NHWC";
  if (format == "CHANNELS_FIRST") format = "NCHW";
  if (!FormatFromString(format, &attrs->format) ||
      (attrs->format != FORMAT_NHWC && attrs->format != FORMAT_NCHW)) {
    return errors::InvalidArgument(
        attrs->op, ": data_format must keep channels last or first, got ",
        format);
  }
  TF_RETURN_IF_ERROR(
      InOp(attrs->op, ReadPadding(from.attrs(), &attrs->padding)));
  if (passes_over && attrs->padding != EXPLICIT) {
    attrs->explicit_paddings.clear();
  }
  return InOp(attrs->op,
              CheckValidPadding(attrs->padding, attrs->explicit_paddings, rank,
                                attrs->format));
}

Status CheckLength(const WindowAttrs& attrs, absl::string_view name,
                   const std::vector<int64_t>& values) {
  if (values.size() == static_cast<size_t>(attrs.rank)) return OkStatus();
  return errors::InvalidArgument(attrs.op, ": ", name, " must have ",
                                 attrs.rank, " values, got ", values.size());
}

Status CheckConvList(const WindowAttrs& attrs, absl::string_view name,
                     const std::vector<int64_t>& values) {
  TF_RETURN_IF_ERROR(CheckLength(attrs, name, values));
  if (values[0] != 1 || values[attrs.DepthIndex()] != 1) {
    return errors::InvalidArgument(
        attrs.op, ": ", name,
        " must be 1 in the batch and depth dimensions, got ", Text(values));
  }
  for (int i = 0; i < attrs.spatial_dims(); ++i) {
    if (values[attrs.SpatialIndex(i)] <= 0) {
      return errors::InvalidArgument(attrs.op, ": ", name, " must be > 0, got ",
                                     Text(values));
    }
  }
  return OkStatus();
}

Status CheckPoolList(const WindowAttrs& attrs, absl::string_view name,
                     const std::vector<int64_t>& values) {
  TF_RETURN_IF_ERROR(CheckLength(attrs, name, values));
  for (const int64_t value : values) {
    if (value <= 0 || value > INT32_MAX) {
      return errors::InvalidArgument(
          attrs.op, ": ", name, " must be positive int32 values, got ", value);
    }
  }
  if (values[0] == 1) return OkStatus();
  return errors::Unimplemented(
      attrs.op, ": Pooling is not yet supported on the batch dimension, got ",
      name, " ", values[0]);
}

Status CheckDilationList(const WindowAttrs& attrs, absl::string_view name,
                         const std::vector<int64_t>& values) {
  TF_RETURN_IF_ERROR(CheckLength(attrs, name, values));
  if (values[0] == 1 && values[3] == 1) return OkStatus();
  return errors::Unimplemented(attrs.op, ": ", name,
                               " must be 1 for batch and depth, got ",
                               values[0], " and ", values[3]);
}

Status CheckPatchList(const WindowAttrs& attrs, absl::string_view name,
                      const std::vector<int64_t>& values) {
  if (values.size() == 4 && values[0] == 1 && values[3] == 1 && values[1] > 0 &&
      values[2] > 0) {
    return OkStatus();
  }
  return errors::InvalidArgument(
      attrs.op, ": ", name,
      " must be [1, rows, cols, 1] with positive rows and cols, got ",
      Text(values));
}

}  // namespace

WindowAttrSource::WindowAttrSource(
    const shape_inference::InferenceContext* context)
    : op_(&context->op_def().name()), attrs_(context->attrs()) {}
WindowAttrSource::WindowAttrSource(const OpKernelConstruction* context)
    : WindowAttrSource(context->def()) {}
WindowAttrSource::WindowAttrSource(const NodeDef& node)
    : op_(&node.op()), attrs_(node) {}

Status WindowAttrs::ComputeWindow(int index, int64_t input, int64_t filter,
                                  WindowDim* window) const {
  window->input = input;
  window->filter = filter;
  window->stride = strides[index];
  window->dilation = dilations[index];
  if (padding == EXPLICIT) {
    window->pad_before = explicit_paddings[2 * index];
    window->pad_after = explicit_paddings[2 * index + 1];
  }
  if (allows_no_output) {
    return InOp(op,
                GetWindowedOutputSizeVerboseV2(
                    input, filter, window->dilation, window->stride, padding,
                    &window->output, &window->pad_before, &window->pad_after));
  }
  const bool is_none =
      index == DepthIndex() && filter == 1 && window->stride == 1;
  return InOp(op,
              tensorwright::ComputeWindow(is_none ? SAME : padding, window));
}

Status ReadConvAttrs(const WindowAttrSource& from, int rank,
                     WindowAttrs* attrs) {
  TF_RETURN_IF_ERROR(ReadCommon(from, rank, attrs));
  TF_RETURN_IF_ERROR(
      GetAttrIfAny(from.attrs(), "dilations", &attrs->dilations));
  // An op of images with any batch may leave them out.
  if (attrs->dilations.empty() && from.attrs().Find("batch_dims") != nullptr) {
    attrs->dilations.assign(rank, 1);
  }
  TF_RETURN_IF_ERROR(CheckConvList(*attrs, "strides", attrs->strides));
  return CheckConvList(*attrs, "dilations", attrs->dilations);
}

Status ReadPoolAttrs(const WindowAttrSource& from, int rank,
                     WindowAttrs* attrs) {
  // As in TensorFlow, a pool refuses paddings that it does not use, while its
  // gradient accepts them.
  const bool is_gradient = absl::EndsWith(PublicName(from.op()), "Grad");
  TF_RETURN_IF_ERROR(ReadCommon(from, rank, attrs, is_gradient));
  TF_RETURN_IF_ERROR(GetNodeAttr(from.attrs(), "ksize", &attrs->ksize));
  TF_RETURN_IF_ERROR(CheckPoolList(*attrs, "ksize", attrs->ksize));
  return CheckPoolList(*attrs, "strides", attrs->strides);
}

Status ReadPoolAttrsButSizes(const WindowAttrSource& from, int rank,
                             WindowAttrs* attrs) {
  return ReadCommon(from, rank, attrs);
}

Status SetPoolSizes(const Tensor& ksize, const Tensor& strides,
                    WindowAttrs* attrs) {
  const absl::Span<const int32_t> windows = Flat<int32_t>(ksize);
  const absl::Span<const int32_t> steps = Flat<int32_t>(strides);
  attrs->ksize.assign(windows.begin(), windows.end());
  attrs->strides.assign(steps.begin(), steps.end());
  TF_RETURN_IF_ERROR(CheckPoolList(*attrs, "ksize", attrs->ksize));
  return CheckPoolList(*attrs, "strides", attrs->strides);
}

Status ReadDilationAttrs(const WindowAttrSource& from, WindowAttrs* attrs) {
  TF_RETURN_IF_ERROR(ReadCommon(from, 4, attrs));
  attrs->allows_no_output = true;
  TF_RETURN_IF_ERROR(GetNodeAttr(from.attrs(), "rates", &attrs->dilations));
  TF_RETURN_IF_ERROR(CheckDilationList(*attrs, "strides", attrs->strides));
  return CheckDilationList(*attrs, "rates", attrs->dilations);
}

Status ReadPatchAttrs(const WindowAttrSource& from, WindowAttrs* attrs) {
  TF_RETURN_IF_ERROR(ReadCommon(from, 4, attrs));
  attrs->allows_no_output = true;
  TF_RETURN_IF_ERROR(GetNodeAttr(from.attrs(), "ksizes", &attrs->ksize));
  TF_RETURN_IF_ERROR(GetNodeAttr(from.attrs(), "rates", &attrs->dilations));
  TF_RETURN_IF_ERROR(CheckPatchList(*attrs, "ksizes", attrs->ksize));
  TF_RETURN_IF_ERROR(CheckPatchList(*attrs, "strides", attrs->strides));
  return CheckPatchList(*attrs, "rates", attrs->dilations);
}

Status ReadPoolingRatio(const WindowAttrSource& from,
                        std::vector<float>* ratio) {
  TF_RETURN_IF_ERROR(GetNodeAttr(from.attrs(), "pooling_ratio", ratio));
  if (ratio->size() != 4) {
    return errors::InvalidArgument(
        from.op(), ": pooling_ratio must have 4 values, got ", ratio->size());
  }
  for (const float r : *ratio) {
    if (!(r >= 1) || !std::isfinite(r)) {
      return errors::InvalidArgument(
          from.op(), ": pooling_ratio must be >= 1 and finite, got [",
          absl::StrJoin(*ratio, ", "), "]");
    }
  }
  return OkStatus();
}

Status CheckNoDepthWindow(const WindowAttrs& pool) {
  const int depth = pool.DepthIndex();
  if (pool.ksize[depth] == 1 && pool.strides[depth] == 1) return OkStatus();
  return errors::Unimplemented(
      pool.op,
      ": Non-spatial pooling is not yet supported: ksize and strides must be 1 "
      "along depth, got ",
      pool.ksize[depth], " and ", pool.strides[depth]);
}

Status CheckDepthWindow(const WindowAttrs& pool) {
  if (pool.rank != 4) return CheckNoDepthWindow(pool);
  const int depth = pool.DepthIndex();
  const int64_t window = pool.ksize[depth], stride = pool.strides[depth];
  if (window == 1) {
    if (stride == 1) return OkStatus();
    return errors::Unimplemented(
        pool.op, ": the depth stride must be 1 if the depth window is, got ",
        stride);
  }
  if (pool.ksize[pool.SpatialIndex(0)] != 1 ||
      pool.ksize[pool.SpatialIndex(1)] != 1) {
    return errors::Unimplemented(
        pool.op,
        ": exactly one of pooling over depth and over height and width can be "
        "done, got a depth window of ",
        window);
  }
  if (window == stride) return OkStatus();
  return errors::Unimplemented(
      pool.op, ": the depth window must equal the depth stride, got ", window,
      " and ", stride);
}

Status CheckDepthWindowDivides(const WindowAttrs& pool, int64_t depth) {
  const int64_t window = pool.ksize[pool.DepthIndex()];
  if (depth % window == 0) return OkStatus();
  return errors::Unimplemented(
      pool.op, ": the depth window must evenly divide the depth, got ", window,
      " and ", depth);
}

bool HasPlaces(const WindowAttrs& pool) {
  return pool.rank == 4 && pool.format == FORMAT_NHWC && pool.ksize[3] == 1 &&
         pool.strides[3] == 1 && pool.ksize[1] * pool.ksize[2] <= kMaxPlaces;
}

}  // namespace tensorwright
