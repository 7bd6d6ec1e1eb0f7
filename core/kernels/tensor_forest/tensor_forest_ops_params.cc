// SPDX-License-Identifier: Apache-2.0
// Reads and checks the parameters of a forest.

#include "core/kernels/tensor_forest/tensor_forest_ops_params.h"

#include <algorithm>
#include <cmath>

#include "core/lib/core/errors.h"

namespace tensorwright {
namespace forest {
namespace {

using tensorforest::DepthDependentParam;

constexpr int kMaxOutputs = 1 << 24;
// No number of examples or candidates is larger, so sums of a few fit.
constexpr double kMaxCount = 1e9;

double AtDepth(const DepthDependentParam& param, int depth) {
  switch (param.ParamType_case()) {
    case DepthDependentParam::kConstantValue:
      return param.constant_value();
    case DepthDependentParam::kLinear: {
      const auto& p = param.linear();
      const double value = double{p.slope()} * depth + p.y_intercept();
      return std::min<double>(std::max<double>(value, p.min_val()),
                              p.max_val());
    }
    case DepthDependentParam::kExponential: {
      const auto& p = param.exponential();
      return p.bias() +
             p.multiplier() * std::pow(double{p.base()},
                                       double{p.depth_multiplier()} * depth);
    }
    case DepthDependentParam::kThreshold: {
      const auto& p = param.threshold();
      return depth >= p.threshold() ? p.on_value() : p.off_value();
    }
    case DepthDependentParam::PARAMTYPE_NOT_SET:
      return 0;
  }
  return 0;
}

// The number between `low` and kMaxCount; NaN is `low`.
double Count(const DepthDependentParam& param, int depth, double low) {
  return std::min(std::max(low, AtDepth(param, depth)), kMaxCount);
}

// Refuses a constant below `low`; others are limited where they are used.
Status CheckConstant(const char* name, const DepthDependentParam& param,
                     double low) {
  if (param.ParamType_case() == DepthDependentParam::kConstantValue &&
      !(param.constant_value() >= low && param.constant_value() <= kMaxCount)) {
    return errors::InvalidArgument("TensorForestParams: ", name,
                                   " must be in [", low, ", ", kMaxCount,
                                   "], got ", param.constant_value());
  }
  return OkStatus();
}

}  // namespace

Status ForestParams::FromAttr(OpKernelConstruction* ctx) {
  std::string serialized;
  TF_RETURN_IF_ERROR(ctx->GetAttr("params", &serialized));
  return Parse(serialized);
}

Status ForestParams::Parse(const std::string& serialized) {
  if (!proto_.ParseFromString(serialized)) {
    return errors::InvalidArgument(
        "params is no serialized TensorForestParams");
  }
  if (proto_.num_outputs() < 1 || proto_.num_outputs() > kMaxOutputs) {
    return errors::InvalidArgument(
        "TensorForestParams: num_outputs must be in [1, ", kMaxOutputs,
        "], got ", proto_.num_outputs());
  }
  if (proto_.max_nodes() < 0 || proto_.num_features() < 0) {
    return errors::InvalidArgument(
        "TensorForestParams: max_nodes and num_features must not be negative, "
        "got ",
        proto_.max_nodes(), " and ", proto_.num_features());
  }
  TF_RETURN_IF_ERROR(CheckConstant("num_splits_to_consider",
                                   proto_.num_splits_to_consider(), 1));
  TF_RETURN_IF_ERROR(
      CheckConstant("split_after_samples", proto_.split_after_samples(), 1));
  TF_RETURN_IF_ERROR(CheckConstant(
      "prune_every_samples", proto_.pruning_type().prune_every_samples(), 0));
  TF_RETURN_IF_ERROR(CheckConstant(
      "check_every_steps", proto_.finish_type().check_every_steps(), 0));
  return CheckKinds();
}

Status ForestParams::CheckKinds() const {
  if (proto_.collection_type() != tensorforest::COLLECTION_BASIC ||
      !proto_.graph_dir().empty()) {
    return errors::InvalidArgument(
        "TensorForestParams: collection_type must be COLLECTION_BASIC, "
        "without a graph_dir");
  }
  if (proto_.drop_final_class()) {
    return errors::InvalidArgument(
        "TensorForestParams: drop_final_class is not supported");
  }
  const bool has_means = proto_.leaf_type() == tensorforest::MODEL_REGRESSION;
  const bool has_squares =
      proto_.stats_type() == tensorforest::STATS_LEAST_SQUARES_REGRESSION;
  if (has_means != is_regression() || has_squares != is_regression()) {
    return errors::InvalidArgument("TensorForestParams: leaf_type ",
                                   proto_.leaf_type(), " and stats_type ",
                                   proto_.stats_type(), " do not belong to is_",
                                   "regression ", is_regression());
  }
  const bool compares =
      proto_.finish_type().type() != tensorforest::SPLIT_FINISH_BASIC;
  const bool bounds =
      proto_.pruning_type().type() == tensorforest::SPLIT_PRUNE_HOEFFDING;
  if (is_regression() && (compares || bounds)) {
    return errors::InvalidArgument(
        "TensorForestParams: finish_type must be SPLIT_FINISH_BASIC and "
        "pruning_type not SPLIT_PRUNE_HOEFFDING for a regression, whose "
        "errors have no bound");
  }
  if (compares || bounds) {
    const auto& fraction = proto_.dominate_fraction();
    if (!(fraction.constant_value() > 0 && fraction.constant_value() < 1) &&
        (fraction.ParamType_case() == DepthDependentParam::kConstantValue ||
         fraction.ParamType_case() == DepthDependentParam::PARAMTYPE_NOT_SET)) {
      return errors::InvalidArgument(
          "TensorForestParams: dominate_fraction must be in (0, 1), got ",
          fraction.constant_value());
    }
  }
  return OkStatus();
}

int64_t ForestParams::NumSplits(int depth) const {
  return static_cast<int64_t>(Count(proto_.num_splits_to_consider(), depth, 1));
}

double ForestParams::SplitAfterSamples(int depth) const {
  return Count(proto_.split_after_samples(), depth, 1);
}

double ForestParams::PruneEverySamples(int depth) const {
  return Count(proto_.pruning_type().prune_every_samples(), depth, 0);
}

double ForestParams::CompareEverySamples(int depth) const {
  return Count(proto_.finish_type().check_every_steps(), depth, 0);
}

double ForestParams::DominateFraction(int depth) const {
  const double fraction = AtDepth(proto_.dominate_fraction(), depth);
  return std::min(std::max(fraction, 1e-6), 1 - 1e-6);
}

Status CheckSameKind(const ForestParams& made, const ForestParams& used) {
  if (made.is_regression() != used.is_regression() ||
      made.num_outputs() != used.num_outputs()) {
    return errors::InvalidArgument(
        "params have num_outputs ", used.num_outputs(), " and is_regression ",
        used.is_regression(), ", the tree was made with ", made.num_outputs(),
        " and ", made.is_regression());
  }
  return OkStatus();
}

}  // namespace forest
}  // namespace tensorwright
