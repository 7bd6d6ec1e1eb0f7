// SPDX-License-Identifier: Apache-2.0
// The choices of pooling_ops_choose.h in words, for `tw where` and `tw plan`.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/kernel_choices.h"
#include "core/framework/node_def_util.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/kernels/nn/pooling_ops_choose.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

KernelAlgorithm Named(PoolAlgorithm algorithm) {
  switch (algorithm) {
    case PoolAlgorithm::kEquals:
      return {"all that equal the maximum",
              "core/kernels/nn/pooling_ops_max_equal.cc"};
    case PoolAlgorithm::kApart:
      return {"windows apart", "core/kernels/nn/pooling_ops_max_apart.cc"};
    case PoolAlgorithm::kPlaces:
      return {"vectors of channels",
              "core/kernels/nn/pooling_ops_max_places.cc"};
    case PoolAlgorithm::kOneDnn:
      return {"oneDNN", "core/kernels/nn/pooling_ops_onednn.cc", true};
    case PoolAlgorithm::kLoops:
      break;
  }
  return {"loops", "core/kernels/nn/pooling_ops.h"};
}

template <PoolKind kKind, PoolPass kPass, int kRank>
std::vector<KernelAlgorithm> Algorithms(DataType dtype) {
  std::vector<KernelAlgorithm> found;
  const bool is_max = kKind == PoolKind::kMax;
  const bool is_equals = is_max && kPass == PoolPass::kGrad && kRank == 5;
  if (is_equals) return {Named(PoolAlgorithm::kEquals)};
  if (dtype == DT_FLOAT) {
    if (is_max && kRank == 4) {
      if (kPass == PoolPass::kGrad) {
        found.push_back(Named(PoolAlgorithm::kApart));
      }
      found.push_back(Named(PoolAlgorithm::kPlaces));
    }
    found.push_back(Named(PoolAlgorithm::kOneDnn));
  }
  found.push_back(Named(PoolAlgorithm::kLoops));
  return found;
}

KernelChoice Windows(PoolAlgorithm chosen, const PoolDimensions& d) {
  KernelChoice choice{Named(chosen).name, ""};
  if (d.has_planes) choice.why = absl::StrCat(d.planes.filter, "x");
  absl::StrAppend(&choice.why, d.rows.filter, "x", d.cols.filter,
                  " windows of ", d.depth.input, " channels");
  return choice;
}

KernelChoice Explained(PoolKind kind, PoolPass pass, DataType dtype,
                       const PoolDimensions& d) {
  const PoolAlgorithm chosen = ChoosePool(kind, pass, dtype, d);
  KernelChoice choice = Windows(chosen, d);
  const char* against = nullptr;
  if (chosen == PoolAlgorithm::kLoops) {
    against = AgainstOneDnn(dtype, d);
  } else if (chosen == PoolAlgorithm::kOneDnn && kind == PoolKind::kMax) {
    against = AgainstPlaces(kind, pass, dtype, d);
  } else if (chosen == PoolAlgorithm::kPlaces && pass == PoolPass::kGrad) {
    against = AgainstApart(kind, pass, dtype, d);
  }
  if (against != nullptr) absl::StrAppend(&choice.why, "; ", against);
  return choice;
}

template <PoolKind kKind, PoolPass kPass, int kRank>
StatusOr<KernelChoice> Choose(const NodeDef& node,
                              absl::Span<const TensorShape> inputs,
                              absl::Span<const TensorShape> outputs) {
  if (inputs.empty() || outputs.empty()) {
    return errors::InvalidArgument(node.op(), ": shapes are missing");
  }
  WindowAttrs attrs;
  DataType dtype;
  TF_RETURN_IF_ERROR(ReadPoolAttrs(WindowAttrSource(node), kRank, &attrs));
  TF_RETURN_IF_ERROR(GetNodeAttr(node, "T", &dtype));
  // A gradient has the shape of the images.
  const TensorShape& images = kPass == PoolPass::kGrad ? outputs[0] : inputs[0];
  PoolDimensions dims;
  TF_RETURN_IF_ERROR(ComputePoolDimensions(attrs, images, &dims));
  if (outputs[0].num_elements() == 0) {
    return KernelChoice{"nothing", "the output is empty"};
  }
  KernelChoice choice = Explained(kKind, kPass, dtype, dims);
  // core/graph/passes/pool_places_pass.cc makes this choice.
  if (kKind == PoolKind::kMax && kRank == 4 && dtype == DT_FLOAT &&
      HasPlaces(attrs)) {
    constexpr bool is_grad = kPass == PoolPass::kGrad;
    absl::StrAppend(&choice.why, "; in a run with its ",
                    is_grad ? "pool, _MaxPoolGrad" : "gradient, _MaxPool",
                    " runs in its place: ", Named(PoolAlgorithm::kPlaces).name);
  }
  return choice;
}

// The ops that the pass puts in the place of a max pool and of its gradient.
std::vector<KernelAlgorithm> KeptPlaces(DataType) {
  return {Named(PoolAlgorithm::kPlaces)};
}

template <PoolPass kPass>
StatusOr<KernelChoice> ChooseKeptPlaces(const NodeDef& node,
                                        absl::Span<const TensorShape> inputs,
                                        absl::Span<const TensorShape> outputs) {
  if (inputs.empty() || outputs.empty()) {
    return errors::InvalidArgument(node.op(), ": shapes are missing");
  }
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadPoolAttrs(WindowAttrSource(node), 4, &attrs));
  PoolDimensions dims;
  TF_RETURN_IF_ERROR(ComputePoolDimensions(attrs, inputs[0], &dims));
  if (outputs[0].num_elements() == 0) {
    return KernelChoice{"nothing", "the output is empty"};
  }
  KernelChoice choice = Windows(PoolAlgorithm::kPlaces, dims);
  absl::StrAppend(&choice.why, kPass == PoolPass::kGrad
                                   ? "; the pool has kept their maxima's places"
                                   : "; it keeps the maxima's places for its "
                                     "gradient");
  return choice;
}

template <PoolKind kKind, PoolPass kPass, int kRank>
KernelChooserRegistrar Registered(const char* op) {
  return KernelChooserRegistrar(
      op, {&Algorithms<kKind, kPass, kRank>, &Choose<kKind, kPass, kRank>});
}

[[maybe_unused]] const KernelChooserRegistrar registered[] = {
    Registered<PoolKind::kMax, PoolPass::kForward, 4>("MaxPool"),
    Registered<PoolKind::kMax, PoolPass::kGrad, 4>("MaxPoolGrad"),
    KernelChooserRegistrar(
        "_MaxPool", {&KeptPlaces, &ChooseKeptPlaces<PoolPass::kForward>}),
    KernelChooserRegistrar("_MaxPoolGrad",
                           {&KeptPlaces, &ChooseKeptPlaces<PoolPass::kGrad>}),
    Registered<PoolKind::kAverage, PoolPass::kForward, 4>("AvgPool"),
    Registered<PoolKind::kAverage, PoolPass::kGrad, 4>("AvgPoolGrad"),
    Registered<PoolKind::kMax, PoolPass::kForward, 5>("MaxPool3D"),
    Registered<PoolKind::kMax, PoolPass::kGrad, 5>("MaxPool3DGrad"),
    Registered<PoolKind::kAverage, PoolPass::kForward, 5>("AvgPool3D"),
    Registered<PoolKind::kAverage, PoolPass::kGrad, 5>("AvgPool3DGrad"),
};

}  // namespace
}  // namespace tensorwright
