// SPDX-License-Identifier: Apache-2.0
// The choices of conv_ops_choose.h in words, for `tw where` and `tw plan`.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/framework/kernel_choices.h"
#include "core/framework/node_def_util.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/kernels/nn/conv_ops_choose.h"
#include "core/kernels/nn/conv_ops_winograd_simd.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

enum class Kind { kSpace, kPlanes, kDepthwise };

bool IsAsFloat(DataType dtype) {
  return dtype == DT_FLOAT || dtype == DT_HALF || dtype == DT_BFLOAT16;
}

KernelAlgorithm Named(ConvAlgorithm algorithm) {
  switch (algorithm) {
    case ConvAlgorithm::kProduct:
      return {"one matrix product", "core/kernels/lib/matmul.cc"};
    case ConvAlgorithm::kWinograd:
      return {"Winograd", "core/kernels/nn/conv_ops_winograd.cc"};
    case ConvAlgorithm::kNarrow:
      return {"patches of a narrow input",
              "core/kernels/nn/conv_ops_narrow.cc"};
    case ConvAlgorithm::kOneDnn:
      return {"oneDNN", "core/kernels/nn/conv_ops_onednn.cc", true};
    case ConvAlgorithm::kPatches:
      break;
  }
  return {"patches x filter", "core/kernels/nn/conv_ops_generic.cc"};
}

// The algorithms that can be first for images of that kind; some never are with
// planes or groups.
template <ConvPass kPass, Kind kKind>
std::vector<KernelAlgorithm> Algorithms(DataType dtype) {
  std::vector<KernelAlgorithm> found;
  if (IsAsFloat(dtype)) {
    if (kPass == ConvPass::kFilterGrad && kKind != Kind::kDepthwise) {
      found.push_back(Named(ConvAlgorithm::kProduct));
    }
    if (kKind == Kind::kSpace) {
      found.push_back(Named(ConvAlgorithm::kWinograd));
      if (kPass == ConvPass::kInputGrad) {
        found.push_back(Named(ConvAlgorithm::kNarrow));
      }
    }
    found.push_back(Named(ConvAlgorithm::kOneDnn));
  }
  found.push_back(Named(ConvAlgorithm::kPatches));
  return found;
}

std::string Filter(const Conv2DDimensions& d) {
  std::string text = d.has_planes ? absl::StrCat(d.planes.filter, "x") : "";
  absl::StrAppend(&text, d.rows.filter, "x", d.cols.filter, " filter, ",
                  d.in_depth, " -> ", d.out_depth, " channels");
  if (d.groups > 1) absl::StrAppend(&text, " in ", d.groups, " groups");
  return text;
}

KernelChoice Explained(ConvPass pass, const Conv2DDimensions& d) {
  const ConvAlgorithm chosen = ChooseConv(pass, d);
  KernelChoice choice{Named(chosen).name, Filter(d)};
  switch (chosen) {
    case ConvAlgorithm::kWinograd: {
      const int tile = winograd::OutputTile(static_cast<int>(d.rows.filter));
      absl::StrAppend(&choice.algorithm, " ", tile, "x", tile);
      absl::StrAppendFormat(&choice.why, ", %.1f times fewer operations",
                            WinogradGain(pass, d));
      break;
    }
    case ConvAlgorithm::kOneDnn: {
      absl::StrAppend(&choice.why,
                      "; not Winograd: ", AgainstWinograd(pass, d));
      break;
    }
    default:
      break;
  }
  return choice;
}

// Computes the sizes of a node whose images, filter and output have these
// shapes.
template <Kind kKind>
Status Dimensions(const NodeDef& node, const TensorShape& images,
                  const TensorShape& filter, Conv2DDimensions* dims) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadConvAttrs(WindowAttrSource(node),
                                   kKind == Kind::kPlanes ? 5 : 4, &attrs));
  return kKind == Kind::kDepthwise
             ? ComputeDepthwiseDimensions(attrs, images, filter, dims)
             : ComputeConv2DDimensions(attrs, images, filter, dims);
}

template <ConvPass kPass, Kind kKind>
StatusOr<KernelChoice> Choose(const NodeDef& node,
                              absl::Span<const TensorShape> inputs,
                              absl::Span<const TensorShape> outputs) {
  if (inputs.size() < 2 || outputs.empty()) {
    return errors::InvalidArgument(node.op(), ": shapes are missing");
  }
  // A gradient has the shape of the tensor that it belongs to.
  const TensorShape& images =
      kPass == ConvPass::kInputGrad ? outputs[0] : inputs[0];
  const TensorShape& filter =
      kPass == ConvPass::kFilterGrad ? outputs[0] : inputs[1];
  Conv2DDimensions dims;
  TF_RETURN_IF_ERROR(Dimensions<kKind>(node, images, filter, &dims));
  if (dims.InputShape().num_elements() == 0 ||
      dims.OutputShape().num_elements() == 0 || filter.num_elements() == 0) {
    return KernelChoice{"nothing", "a shape is empty"};
  }
  DataType dtype;
  TF_RETURN_IF_ERROR(GetNodeAttr(node, "T", &dtype));
  if (IsAsFloat(dtype)) return Explained(kPass, dims);
  return KernelChoice{
      Named(ConvAlgorithm::kPatches).name,
      absl::StrCat(Filter(dims), " of ", DataTypeString(dtype))};
}

template <ConvPass kPass, Kind kKind>
KernelChooserRegistrar Registered(const char* op) {
  return KernelChooserRegistrar(
      op, {&Algorithms<kPass, kKind>, &Choose<kPass, kKind>});
}

[[maybe_unused]] const KernelChooserRegistrar registered[] = {
    Registered<ConvPass::kForward, Kind::kSpace>("Conv2D"),
    Registered<ConvPass::kForward, Kind::kSpace>("_FusedConv2D"),
    Registered<ConvPass::kInputGrad, Kind::kSpace>("Conv2DBackpropInput"),
    Registered<ConvPass::kInputGrad, Kind::kSpace>("Conv2DBackpropInputV2"),
    Registered<ConvPass::kFilterGrad, Kind::kSpace>("Conv2DBackpropFilter"),
    Registered<ConvPass::kFilterGrad, Kind::kSpace>("Conv2DBackpropFilterV2"),
    Registered<ConvPass::kForward, Kind::kPlanes>("Conv3D"),
    Registered<ConvPass::kInputGrad, Kind::kPlanes>("Conv3DBackpropInput"),
    Registered<ConvPass::kInputGrad, Kind::kPlanes>("Conv3DBackpropInputV2"),
    Registered<ConvPass::kFilterGrad, Kind::kPlanes>("Conv3DBackpropFilter"),
    Registered<ConvPass::kFilterGrad, Kind::kPlanes>("Conv3DBackpropFilterV2"),
    Registered<ConvPass::kForward, Kind::kDepthwise>("DepthwiseConv2dNative"),
    Registered<ConvPass::kInputGrad, Kind::kDepthwise>(
        "DepthwiseConv2dNativeBackpropInput"),
    Registered<ConvPass::kFilterGrad, Kind::kDepthwise>(
        "DepthwiseConv2dNativeBackpropFilter"),
};

}  // namespace
}  // namespace tensorwright
