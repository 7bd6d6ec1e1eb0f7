// SPDX-License-Identifier: Apache-2.0
// The ops of the statistics of leaves, and of growth by them.

#include <algorithm>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/resource_op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_data.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_leaf.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_params.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_tree.h"
#include "core/lib/core/errors.h"
#include "core/lib/random/random.h"

namespace tensorwright {
namespace forest {
namespace {

REGISTER_KERNEL_BUILDER(Name("FertileStatsResourceHandleOp").Device(DEVICE_CPU),
                        ResourceHandleOp<FertileStatsResource>);
REGISTER_KERNEL_BUILDER(Name("FertileStatsIsInitializedOp").Device(DEVICE_CPU),
                        IsResourceInitialized<FertileStatsResource>);

// May two more nodes be added?
bool HasRoom(const DecisionTree& tree, const ForestParams& params) {
  return tree.size() <= int64_t{params.proto().max_nodes()} - 2;
}

class CreateFertileStatsVariableOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(ctx, HandleFromInput(ctx, 0, &handle));
    core::RefCountPtr<FertileStatsResource> resource;
    OP_REQUIRES_OK(ctx, LookupOrCreateResource<FertileStatsResource>(
                            ctx, handle, &resource,
                            [&](FertileStatsResource** out) -> Status {
                              core::RefCountPtr<FertileStatsResource> made(
                                  new FertileStatsResource);
                              mutex_lock l(made->mu);
                              TF_RETURN_IF_ERROR(made->FromString(
                                  params_, *ctx->input(1).base<std::string>()));
                              *out = made.release();
                              return OkStatus();
                            }));
  }
};
REGISTER_KERNEL_BUILDER(Name("CreateFertileStatsVariable").Device(DEVICE_CPU),
                        CreateFertileStatsVariableOp);

class FertileStatsSerializeOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<FertileStatsResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "stats_handle", &resource));
    Tensor* config = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &config));
    if (!params_.proto().checkpoint_stats()) return;
    mutex_lock l(resource->mu);
    OP_REQUIRES_OK(ctx, resource->ToString(config->base<std::string>()));
  }
};
REGISTER_KERNEL_BUILDER(Name("FertileStatsSerialize").Device(DEVICE_CPU),
                        FertileStatsSerializeOp);

class FertileStatsDeserializeOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<FertileStatsResource> resource;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "stats_handle", &resource));
    mutex_lock l(resource->mu);
    OP_REQUIRES_OK(
        ctx, resource->FromString(params_, *ctx->input(1).base<std::string>()));
  }
};
REGISTER_KERNEL_BUILDER(Name("FertileStatsDeserialize").Device(DEVICE_CPU),
                        FertileStatsDeserializeOp);

class ProcessInputOp final : public ForestOp {
 public:
  explicit ProcessInputOp(OpKernelConstruction* ctx) : ForestOp(ctx) {
    if (!ctx->status().ok()) return;
    OP_REQUIRES_OK(ctx, kinds_.FromAttr(ctx));
    int64_t seed = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("random_seed", &seed));
    seed_ = seed == 0 ? random::New64() : static_cast<uint64_t>(seed);
  }

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> tree;
    core::RefCountPtr<FertileStatsResource> stats;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &tree));
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "stats_handle", &stats));
    ForestExamples examples;
    OP_REQUIRES_OK(ctx, examples.Read(ctx, 2));
    ForestLabels labels;
    OP_REQUIRES_OK(ctx, labels.Read(ctx, 6, params_.is_regression(),
                                    params_.num_outputs()));
    const absl::Span<const int32> leaf_ids = Flat<int32>(ctx->input(8));
    OP_REQUIRES(ctx, static_cast<int64_t>(leaf_ids.size()) == examples.size(),
                errors::InvalidArgument("leaf_ids has ", leaf_ids.size(),
                                        " elements for ", examples.size(),
                                        " examples"));
    std::vector<int32> finished;
    {
      tf_shared_lock tree_lock(tree->mu);
      mutex_lock stats_lock(stats->mu);
      OP_REQUIRES_OK(ctx, Check(tree->tree, leaf_ids, *stats));
      finished = Add(tree->tree, examples, labels, leaf_ids, stats.get());
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, {static_cast<int64_t>(finished.size())},
                                  &output));
    std::copy(finished.begin(), finished.end(), output->base<int32>());
  }

 private:
  Status Check(const DecisionTree& tree, absl::Span<const int32> leaf_ids,
               const FertileStatsResource& stats) const {
    TF_RETURN_IF_ERROR(CheckSameKind(tree.params(), params_));
    for (const int32 leaf : leaf_ids) {
      if (!tree.has(leaf)) {
        return errors::InvalidArgument(
            "leaf_ids: ", leaf, " is no node of the tree's ", tree.size());
      }
    }
    return stats.CheckKind(params_);
  }

  // Returns the leaves that should be split, in the order in which they came to
  // that.
  std::vector<int32> Add(const DecisionTree& tree,
                         const ForestExamples& examples,
                         const ForestLabels& labels,
                         absl::Span<const int32> leaf_ids,
                         FertileStatsResource* stats) const {
    const GrowthContext context{params_, kinds_, examples, seed_};
    const bool has_room = HasRoom(tree, params_);
    std::vector<int32> finished;
    for (size_t i = 0; i < leaf_ids.size(); ++i) {
      const int32 id = leaf_ids[i];
      if (!tree.is_leaf(id)) continue;  // It was split meanwhile.
      FertileLeaf& leaf =
          stats->leaves.try_emplace(id, params_, id, tree.depth(id))
              .first->second;
      const auto row = static_cast<int64_t>(i);
      if (!has_room) {
        leaf.AddToSums(params_, labels.Label(row), labels.Weight(row));
      } else if (leaf.Add(context, row, labels.Label(row),
                          labels.Weight(row)) &&
                 std::find(finished.begin(), finished.end(), id) ==
                     finished.end()) {
        finished.push_back(id);
      }
    }
    return finished;
  }

  FeatureKinds kinds_;
  uint64_t seed_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("ProcessInputV4").Device(DEVICE_CPU),
                        ProcessInputOp);

class GrowTreeOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> tree;
    core::RefCountPtr<FertileStatsResource> stats;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &tree));
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "stats_handle", &stats));
    mutex_lock tree_lock(tree->mu);
    mutex_lock stats_lock(stats->mu);
    OP_REQUIRES_OK(ctx, CheckSameKind(tree->tree.params(), params_));
    OP_REQUIRES_OK(ctx, stats->CheckKind(params_));
    for (const int32 id : Flat<int32>(ctx->input(2))) {
      if (!HasRoom(tree->tree, params_)) return;
      const auto found = stats->leaves.find(id);
      // Another run may have split it.
      if (found == stats->leaves.end() || !tree->tree.has(id) ||
          !tree->tree.is_leaf(id)) {
        continue;
      }
      Split split;
      LeafModel left, right;
      if (found->second.Best(params_, &split, &left, &right)) {
        tree->tree.SplitLeaf(id, split, left, right);
        stats->leaves.erase(found);
      } else {
        found->second.Reset(params_);
      }
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("GrowTreeV4").Device(DEVICE_CPU), GrowTreeOp);

class FinalizeTreeOp final : public ForestOp {
 public:
  using ForestOp::ForestOp;

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<DecisionTreeResource> tree;
    core::RefCountPtr<FertileStatsResource> stats;
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "tree_handle", &tree));
    OP_REQUIRES_OK(ctx, GetResourceFromContext(ctx, "stats_handle", &stats));
    mutex_lock tree_lock(tree->mu);
    mutex_lock stats_lock(stats->mu);
    OP_REQUIRES_OK(ctx, CheckSameKind(tree->tree.params(), params_));
    OP_REQUIRES_OK(ctx, stats->CheckKind(params_));
    for (const auto& [id, leaf] : stats->leaves) {
      if (tree->tree.has(id) && tree->tree.is_leaf(id) && leaf.sums()[0] > 0) {
        tree->tree.SetLeaf(id, ToModel(params_, leaf.sums()));
      }
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("FinalizeTree").Device(DEVICE_CPU),
                        FinalizeTreeOp);

}  // namespace
}  // namespace forest
}  // namespace tensorwright
