// SPDX-License-Identifier: Apache-2.0
// The ops of trees: they make, save, read and update one, and walk down it.

#include <algorithm>
#include <cstring>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/resource_op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_data.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_params.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_tree.h"
#include "core/lib/core/errors.h"
#include "core/lib/hash/hash.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace forest {
namespace {

// Cycles that a walk down a tree takes, about.
constexpr int64_t kWalkCost = 500;

REGISTER_KERNEL_BUILDER(Name("DecisionTreeResourceHandleOp").Device(DEVICE_CPU),
                        ResourceHandleOp<DecisionTreeResource>);
REGISTER_KERNEL_BUILDER(Name("TreeIsInitializedOp").Device(DEVICE_CPU),
                        IsResourceInitialized<DecisionTreeResource>);

class CreateTreeVariableOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    const std::string& config = *ctx->input(1).base<std::string>();
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(
        ctx,
        LookupOrCreateResource<DecisionTreeResource>(
            ctx, handle, &resource, [&](DecisionTreeResource** out) -> Status {
              core::RefCountPtr<DecisionTreeResource> made(
                  new DecisionTreeResource(params_));
              mutex_lock l(made->mu);
              if (!config.empty()) {
                TF_RETURN_IF_ERROR(made->tree.FromString(config));
              }
              *out = made.release();
              return OkStatus();
            }));
  }
};
REGISTER_KERNEL_BUILDER(Name("CreateTreeVariable").Device(DEVICE_CPU),
                        CreateTreeVariableOp);

class TreeSerializeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &resource));
    Tensor* config = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &config));
    tf_shared_lock l(resource->mu);
    OP_REQUIRES_OK(ctx, resource->tree.ToString(config->base<std::string>()));
  }
};
REGISTER_KERNEL_BUILDER(Name("TreeSerialize").Device(DEVICE_CPU),
                        TreeSerializeOp);

class TreeDeserializeOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &resource));
    mutex_lock l(resource->mu);
    OP_REQUIRES_OK(ctx, CheckSameKind(resource->tree.params(), params_));
    OP_REQUIRES_OK(
        ctx, resource->tree.FromString(*ctx->input(1).base<std::string>()));
  }
};
REGISTER_KERNEL_BUILDER(Name("TreeDeserialize").Device(DEVICE_CPU),
                        TreeDeserializeOp);

class TreeSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &resource));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &size));
    tf_shared_lock l(resource->mu);
    *size->base<int32>() = resource->tree.size();
  }
};
REGISTER_KERNEL_BUILDER(Name("TreeSize").Device(DEVICE_CPU), TreeSizeOp);

class TreeAverageImpurityOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &resource));
    tf_shared_lock l(resource->mu);
    const DecisionTree& tree = resource->tree;
    OP_REQUIRES(ctx, !tree.params().is_regression(),
                errors::InvalidArgument("tree_handle: a tree of a regression "
                                        "has no classes, and no impurity"));
    double sum = 0;
    int64_t leaves = 0;
    for (int32_t i = 0; i < tree.size(); ++i) {
      if (!tree.is_leaf(i)) continue;
      ++leaves;
      const LeafModel& model = tree.leaf(i);
      if (!(model.weight > 0)) continue;
      double squares = 0;
      for (const float value : model.values) squares += double{value} * value;
      sum += std::max(0.0, model.weight - squares / model.weight);
    }
    Tensor* impurity = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &impurity));
    *impurity->base<float>() =
        static_cast<float>(sum / static_cast<double>(leaves));
  }
};
REGISTER_KERNEL_BUILDER(Name("TreeAverageImpurity").Device(DEVICE_CPU),
                        TreeAverageImpurityOp);

class TreePredictionsOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &resource));
    ForestExamples examples;
    OP_REQUIRES_OK(ctx, examples.Read(ctx, 1));
    tf_shared_lock l(resource->mu);
    const DecisionTree& tree = resource->tree;
    OP_REQUIRES_OK(ctx, CheckSameKind(tree.params(), params_));
    const int64_t outputs = params_.num_outputs();
    Tensor *predictions = nullptr, *paths = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, {examples.size(), outputs}, &predictions));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, {examples.size()}, &paths));
    const absl::Span<float> rows = Flat<float>(predictions);
    std::string* const path = paths->base<std::string>();
    const bool has_paths = params_.proto().inference_tree_paths();
    ParallelFor(ctx, examples.size(), kWalkCost + outputs,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    tree.Predict(tree.FindLeaf(examples, i),
                                 rows.subspan(i * outputs, outputs));
                    if (has_paths) path[i] = tree.Path(examples, i);
                  }
                });
  }
};
REGISTER_KERNEL_BUILDER(Name("TreePredictionsV4").Device(DEVICE_CPU),
                        TreePredictionsOp);

class TraverseTreeOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &resource));
    ForestExamples examples;
    OP_REQUIRES_OK(ctx, examples.Read(ctx, 1));
    Tensor* leaves = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {examples.size()}, &leaves));
    int32* const leaf = leaves->base<int32>();
    tf_shared_lock l(resource->mu);
    const DecisionTree& tree = resource->tree;
    ParallelFor(ctx, examples.size(), kWalkCost,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    leaf[i] = tree.FindLeaf(examples, i);
                  }
                });
  }
};
REGISTER_KERNEL_BUILDER(Name("TraverseTreeV4").Device(DEVICE_CPU),
                        TraverseTreeOp);

class FeatureUsageCountsOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &resource));
    const int64_t features = params_.proto().num_features();
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {features}, &output));
    const absl::Span<int32> counts = Flat<int32>(output);
    std::fill(counts.begin(), counts.end(), 0);
    tf_shared_lock l(resource->mu);
    const DecisionTree& tree = resource->tree;
    for (int32_t i = 0; i < tree.size(); ++i) {
      if (tree.is_leaf(i)) continue;
      const int32_t feature = tree.split(i).feature;
      OP_REQUIRES(
          ctx, feature < features,
          errors::InvalidArgument("The tree tests feature ", feature,
                                  ", and params have num_features ", features));
      ++counts[feature];
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("FeatureUsageCounts").Device(DEVICE_CPU),
                        FeatureUsageCountsOp);

class UpdateModelOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &resource));
    ForestLabels labels;
    OP_REQUIRES_OK(ctx, labels.Read(ctx, 2, params_.is_regression(),
                                    params_.num_outputs()));
    const absl::Span<const int32> leaves = Flat<int32>(ctx->input(1));
    mutex_lock l(resource->mu);
    DecisionTree& tree = resource->tree;
    OP_REQUIRES_OK(ctx, CheckSameKind(tree.params(), params_));
    for (const int32 leaf : leaves) {
      OP_REQUIRES(
          ctx, tree.has(leaf),
          errors::InvalidArgument("leaf_ids: ", leaf,
                                  " is no node of the tree's ", tree.size()));
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      // A leaf that was split meanwhile says nothing any more.
      if (!tree.is_leaf(leaves[i])) continue;
      const auto row = static_cast<int64_t>(i);
      tree.Update(leaves[i], labels.Label(row), labels.Weight(row));
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("UpdateModelV4").Device(DEVICE_CPU),
                        UpdateModelOp);

class ReinterpretStringToFloatOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const absl::Span<const std::string> in = Flat<std::string>(ctx->input(0));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, ctx->input(0).shape(), &output));
    float* const out = output->base<float>();
    ParallelFor(ctx, static_cast<int64_t>(in.size()), 50,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    // Without this bit of the exponent every number is finite.
                    constexpr uint32_t kFinite = 0xbfffffff;
                    const uint32_t bits =
                        static_cast<uint32_t>(Hash64(in[i])) & kFinite;
                    std::memcpy(&out[i], &bits, sizeof(bits));
                  }
                });
  }
};
REGISTER_KERNEL_BUILDER(Name("ReinterpretStringToFloat").Device(DEVICE_CPU),
                        ReinterpretStringToFloatOp);

}  // namespace
}  // namespace forest
}  // namespace tensorwright
