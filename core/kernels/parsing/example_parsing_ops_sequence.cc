// SPDX-License-Identifier: Apache-2.0
// ParseSingleSequenceExample, ParseSequenceExample and ParseSequenceExampleV2:
// they parse SequenceExamples into tensors.
//
// A context stands in a SequenceExample where the features stand in an Example,
// as field 1; feature lists are field 2.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/parsing/example_parsing_ops_columns.h"
#include "core/kernels/parsing/example_parsing_ops_lists.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using Keys = std::vector<std::string>;

// The attrs and the places of outputs that the kernels share.
class ParseSequenceExampleBase : public OpKernel {
 public:
  explicit ParseSequenceExampleBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("context_sparse_types", &sparse_types_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tcontext_dense", &dense_types_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("context_dense_shapes", &dense_shapes_));
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("feature_list_sparse_types", &list_sparse_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("feature_list_dense_types", &list_dense_));
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("feature_list_dense_shapes", &list_shapes_));
    OP_REQUIRES(
        ctx, dense_types_.size() == dense_shapes_.size(),
        errors::InvalidArgument(type_string(), ": ", dense_types_.size(),
                                " context_dense_types, but ",
                                dense_shapes_.size(), " context_dense_shapes"));
    OP_REQUIRES(ctx, list_dense_.size() == list_shapes_.size(),
                errors::InvalidArgument(type_string(), ": ", list_dense_.size(),
                                        " feature_list_dense_types, but ",
                                        list_shapes_.size(),
                                        " feature_list_dense_shapes"));
    RequireCount(ctx, "Ncontext_sparse", sparse_types_.size());
    if (ctx->HasAttr("Ncontext_dense")) {
      RequireCount(ctx, "Ncontext_dense", dense_types_.size());
    }
    if (ctx->HasAttr("context_ragged_value_types")) {
      RequireSplits(ctx, "context_ragged", &ragged_, &splits_);
      RequireSplits(ctx, "feature_list_ragged", &list_ragged_, &list_splits_);
    }
    RequireCount(ctx, "Nfeature_list_sparse", list_sparse_.size());
    RequireCount(ctx, "Nfeature_list_dense", list_dense_.size());
  }

 protected:
  // Keys of the four kinds, in the order of the types.
  struct AllKeys {
    Keys sparse, dense, ragged, list_sparse, list_dense, list_ragged;
    // Lists that examples may lack.
    Keys maybe_empty;
  };

  Status MakeTables(const AllKeys& keys, FeatureTable* context,
                    FeatureListTable* lists, bool lengths) const {
    TF_RETURN_IF_ERROR(CheckKeys("context_sparse", keys.sparse, sparse_types_));
    TF_RETURN_IF_ERROR(CheckKeys("context_dense", keys.dense, dense_types_));
    TF_RETURN_IF_ERROR(CheckKeys("context_ragged", keys.ragged, ragged_));
    TF_RETURN_IF_ERROR(
        CheckKeys("feature_list_sparse", keys.list_sparse, list_sparse_));
    TF_RETURN_IF_ERROR(
        CheckKeys("feature_list_dense", keys.list_dense, list_dense_));
    TF_RETURN_IF_ERROR(
        CheckKeys("feature_list_ragged", keys.list_ragged, list_ragged_));
    std::vector<FeatureSpec> specs;
    int next = 0;
    TF_RETURN_IF_ERROR(ContextSpecs(keys, &next, &specs));
    TF_RETURN_IF_ERROR(context->Init(std::move(specs)));
    std::vector<FeatureListSpec> list_specs;
    TF_RETURN_IF_ERROR(ListSpecs(keys, next, lengths, &list_specs));
    return lists->Init(std::move(list_specs));
  }

  // Makes the specs of the contexts, whose outputs begin at 0, and leaves the
  // first output behind them, for the lists, in *next.
  Status ContextSpecs(const AllKeys& keys, int* next,
                      std::vector<FeatureSpec>* specs) const {
    const int s = Size(keys.sparse), d = Size(keys.dense),
              r = Size(keys.ragged);
    for (int i = 0; i < s; ++i) {
      FeatureSpec& spec = specs->emplace_back();
      spec.key = keys.sparse[i];
      spec.dtype = sparse_types_[i];
      spec.indices = i;
      spec.values = s + i;
      spec.dense_shape = 2 * s + i;
    }
    for (int i = 0; i < d; ++i) {
      FeatureSpec& spec = specs->emplace_back();
      spec.key = keys.dense[i];
      spec.dtype = dense_types_[i];
      spec.values = 3 * s + i;
      TF_RETURN_IF_ERROR(SetDenseShape(dense_shapes_[i], &spec));
    }
    for (int i = 0; i < r; ++i) {
      FeatureSpec& spec = specs->emplace_back();
      spec.layout = FeatureLayout::kRagged;
      spec.key = keys.ragged[i];
      spec.dtype = ragged_[i];
      spec.values = 3 * s + d + i;
      spec.splits = 3 * s + d + r + i;
      spec.splits_dtype = splits_[i];
    }
    *next = 3 * s + d + 2 * r;
    return OkStatus();
  }

  Status ListSpecs(const AllKeys& keys, int first, bool lengths,
                   std::vector<FeatureListSpec>* specs) const {
    const int s = Size(keys.list_sparse), d = Size(keys.list_dense),
              r = Size(keys.list_ragged);
    for (int i = 0; i < s; ++i) {
      FeatureListSpec& spec = specs->emplace_back();
      spec.key = keys.list_sparse[i];
      spec.dtype = list_sparse_[i];
      spec.indices = first + i;
      spec.values = first + s + i;
      spec.dense_shape = first + 2 * s + i;
    }
    first += 3 * s;
    for (int i = 0; i < d; ++i) {
      FeatureListSpec& spec = specs->emplace_back();
      spec.dense = true;
      spec.key = keys.list_dense[i];
      spec.dtype = list_dense_[i];
      spec.values = first + i;
      if (lengths) spec.lengths = first + d + i;
      if (!list_shapes_[i].AsTensorShape(&spec.shape)) {
        return errors::InvalidArgument(
            type_string(), ": feature_list_dense_shapes[", i,
            "] must be known in full, got ", list_shapes_[i].DebugString());
      }
      spec.num_elements = spec.shape.num_elements();
      spec.may_be_missing =
          std::find(keys.maybe_empty.begin(), keys.maybe_empty.end(),
                    spec.key) != keys.maybe_empty.end();
    }
    first += 2 * d;
    for (int i = 0; i < r; ++i) {
      FeatureListSpec& spec = specs->emplace_back();
      spec.ragged = true;
      spec.key = keys.list_ragged[i];
      spec.dtype = list_ragged_[i];
      spec.values = first + i;
      spec.outer_splits = first + r + i;
      spec.inner_splits = first + 2 * r + i;
    }
    return OkStatus();
  }

  // Parses a batch; the inputs from `first` on are the defaults.
  void Parse(OpKernelContext* ctx, const FeatureTable& context,
             const FeatureListTable& lists, int first,
             ExampleBatch* batch) const {
    std::vector<const Tensor*> defaults(context.specs().size(), nullptr);
    for (size_t d = 0; d < dense_types_.size(); ++d) {
      const size_t i = sparse_types_.size() + d;
      defaults[i] = &ctx->input(first + static_cast<int>(d));
      OP_REQUIRES_OK(ctx, CheckDefault(context.specs()[i], *defaults[i],
                                       static_cast<int>(d)));
    }
    batch->word = batch->missing = "Context feature";
    OP_REQUIRES_OK(ctx, context.Parse(ctx, *batch, defaults));
    OP_REQUIRES_OK(ctx, lists.Parse(ctx, *batch));
  }

  DataTypeVector sparse_types_, dense_types_, ragged_, splits_;
  DataTypeVector list_sparse_, list_dense_, list_ragged_, list_splits_;
  std::vector<PartialTensorShape> dense_shapes_, list_shapes_;

 private:
  static int Size(const Keys& keys) { return static_cast<int>(keys.size()); }

  Status CheckKeys(const char* kind, const Keys& keys,
                   const DataTypeVector& types) const {
    if (keys.size() == types.size()) return OkStatus();
    return errors::InvalidArgument(
        type_string(), ": as many ", kind, "_keys as types are needed, got ",
        keys.size(), " keys for ", types.size(), " types");
  }

  void RequireSplits(OpKernelConstruction* ctx, const std::string& kind,
                     DataTypeVector* values, DataTypeVector* splits) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr(kind + "_value_types", values));
    OP_REQUIRES_OK(ctx, ctx->GetAttr(kind + "_split_types", splits));
    OP_REQUIRES(
        ctx, values->size() == splits->size(),
        errors::InvalidArgument(type_string(), ": ", values->size(), " ", kind,
                                "_value_types, but ", splits->size(), " ", kind,
                                "_split_types"));
  }

  void RequireCount(OpKernelConstruction* ctx, const char* attr, size_t types) {
    int64_t n = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr(attr, &n));
    OP_REQUIRES(ctx, n == static_cast<int64_t>(types),
                errors::InvalidArgument(type_string(), ": ", attr, " is ", n,
                                        ", but there are ", types, " types"));
  }
};

class ParseSingleSequenceExampleOp final : public ParseSequenceExampleBase {
 public:
  using ParseSequenceExampleBase::ParseSequenceExampleBase;

  void Compute(OpKernelContext* ctx) override {
    AllKeys keys;
    const auto missing = Flat<std::string>(ctx->input(1));
    keys.maybe_empty.assign(missing.begin(), missing.end());
    int next = 2;
    const auto take = [&](size_t n, Keys* some) {
      for (; n > 0; --n) {
        some->push_back(ctx->input(next++).scalar_value<std::string>());
      }
    };
    take(sparse_types_.size(), &keys.sparse);
    take(dense_types_.size(), &keys.dense);
    take(list_sparse_.size(), &keys.list_sparse);
    take(list_dense_.size(), &keys.list_dense);
    for (const std::string& key : keys.maybe_empty) {
      OP_REQUIRES(ctx,
                  std::find(keys.list_dense.begin(), keys.list_dense.end(),
                            key) != keys.list_dense.end(),
                  errors::InvalidArgument(
                      "ParseSingleSequenceExample: '", key.substr(0, 200),
                      "' of feature_list_dense_missing_assumed_empty is none "
                      "of feature_list_dense_keys"));
    }
    FeatureTable context;
    FeatureListTable lists;
    OP_REQUIRES_OK(ctx, MakeTables(keys, &context, &lists, false));
    ExampleBatch batch;
    batch.serialized = Flat<std::string>(ctx->input(0));
    batch.names = Flat<std::string>(ctx->input(ctx->num_inputs() - 1));
    batch.single = true;
    Parse(ctx, context, lists, next, &batch);
  }
};
REGISTER_KERNEL_BUILDER(Name("ParseSingleSequenceExample").Device(DEVICE_CPU),
                        ParseSingleSequenceExampleOp);

class ParseSequenceExampleOp final : public ParseSequenceExampleBase {
 public:
  explicit ParseSequenceExampleOp(OpKernelConstruction* ctx)
      : ParseSequenceExampleBase(ctx) {
    AllKeys keys;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("feature_list_dense_missing_assumed_empty",
                                     &keys.maybe_empty));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("context_sparse_keys", &keys.sparse));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("context_dense_keys", &keys.dense));
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("feature_list_sparse_keys", &keys.list_sparse));
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("feature_list_dense_keys", &keys.list_dense));
    if (!ctx->status().ok()) return;
    OP_REQUIRES_OK(ctx, MakeTables(keys, &context_, &lists_, true));
  }

  void Compute(OpKernelContext* ctx) override {
    ExampleBatch batch;
    batch.serialized = Flat<std::string>(ctx->input(0));
    batch.names = Flat<std::string>(ctx->input(1));
    batch.single = ctx->input(0).dims() == 0;
    OP_REQUIRES(
        ctx,
        batch.names.empty() || batch.names.size() == batch.serialized.size(),
        errors::InvalidArgument(
            "ParseSequenceExample: debug_name must be empty or have "
            "the shape of serialized, got ",
            batch.names.size(), " and ", batch.serialized.size(), " elements"));
    Parse(ctx, context_, lists_, 2, &batch);
  }

 private:
  FeatureTable context_;
  FeatureListTable lists_;
};
REGISTER_KERNEL_BUILDER(Name("ParseSequenceExample").Device(DEVICE_CPU),
                        ParseSequenceExampleOp);

// Keys are inputs, and features may be ragged.
class ParseSequenceExampleV2Op final : public ParseSequenceExampleBase {
 public:
  using ParseSequenceExampleBase::ParseSequenceExampleBase;

  void Compute(OpKernelContext* ctx) override {
    AllKeys keys;
    Keys* const kinds[] = {&keys.sparse,     &keys.dense,
                           &keys.ragged,     &keys.list_sparse,
                           &keys.list_dense, &keys.list_ragged};
    for (int i = 0; i < 6; ++i) {
      const auto given = Flat<std::string>(ctx->input(2 + i));
      kinds[i]->assign(given.begin(), given.end());
    }
    const auto may_miss = Flat<bool>(ctx->input(8));
    OP_REQUIRES(
        ctx, may_miss.size() == keys.list_dense.size(),
        errors::InvalidArgument(
            "ParseSequenceExampleV2: "
            "feature_list_dense_missing_assumed_empty must have an "
            "element for each of ",
            keys.list_dense.size(), " dense lists, got ", may_miss.size()));
    for (size_t i = 0; i < may_miss.size(); ++i) {
      if (may_miss[i]) keys.maybe_empty.push_back(keys.list_dense[i]);
    }
    FeatureTable context;
    FeatureListTable lists;
    OP_REQUIRES_OK(ctx, MakeTables(keys, &context, &lists, true));
    ExampleBatch batch;
    batch.serialized = Flat<std::string>(ctx->input(0));
    batch.names = Flat<std::string>(ctx->input(1));
    batch.single = ctx->input(0).dims() == 0;
    OP_REQUIRES(
        ctx,
        batch.names.empty() || batch.names.size() == batch.serialized.size(),
        errors::InvalidArgument(
            "ParseSequenceExampleV2: debug_name must be empty or have "
            "the shape of serialized, got ",
            batch.names.size(), " and ", batch.serialized.size(), " elements"));
    Parse(ctx, context, lists, 9, &batch);
  }
};
REGISTER_KERNEL_BUILDER(Name("ParseSequenceExampleV2").Device(DEVICE_CPU),
                        ParseSequenceExampleV2Op);

}  // namespace
}  // namespace tensorwright
