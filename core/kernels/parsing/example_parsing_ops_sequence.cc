// SPDX-License-Identifier: Apache-2.0
// ParseSingleSequenceExample and ParseSequenceExample: SequenceExamples as
// tensors.
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

// What the two have in common: attrs, and where outputs are.
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
    RequireCount(ctx, "Ncontext_dense", dense_types_.size());
    RequireCount(ctx, "Nfeature_list_sparse", list_sparse_.size());
    RequireCount(ctx, "Nfeature_list_dense", list_dense_.size());
  }

 protected:
  // Keys of the four kinds, in the order of the types.
  struct AllKeys {
    Keys sparse, dense, list_sparse, list_dense;
    // Lists that may be missing.
    Keys maybe_empty;
  };

  Status MakeTables(const AllKeys& keys, FeatureTable* context,
                    FeatureListTable* lists, bool lengths) const {
    const size_t s = sparse_types_.size(), d = dense_types_.size(),
                 ls = list_sparse_.size(), ld = list_dense_.size();
    if (keys.sparse.size() != s || keys.dense.size() != d ||
        keys.list_sparse.size() != ls || keys.list_dense.size() != ld) {
      return errors::InvalidArgument(
          type_string(), ": as many keys as types are needed, got ",
          keys.sparse.size(), ", ", keys.dense.size(), ", ",
          keys.list_sparse.size(), " and ", keys.list_dense.size(),
          " keys for ", s, ", ", d, ", ", ls, " and ", ld, " types");
    }
    std::vector<FeatureSpec> specs(s + d);
    for (size_t i = 0; i < s + d; ++i) {
      FeatureSpec& spec = specs[i];
      if (i < s) {
        spec.key = keys.sparse[i];
        spec.dtype = sparse_types_[i];
        spec.indices = static_cast<int>(i);
        spec.values = static_cast<int>(s + i);
        spec.dense_shape = static_cast<int>(2 * s + i);
        continue;
      }
      spec.key = keys.dense[i - s];
      spec.dtype = dense_types_[i - s];
      spec.values = static_cast<int>(2 * s + i);
      TF_RETURN_IF_ERROR(SetDenseShape(dense_shapes_[i - s], &spec));
    }
    TF_RETURN_IF_ERROR(context->Init(std::move(specs)));
    const size_t first = 3 * s + d;
    std::vector<FeatureListSpec> list_specs(ls + ld);
    for (size_t i = 0; i < ls + ld; ++i) {
      FeatureListSpec& spec = list_specs[i];
      if (i < ls) {
        spec.key = keys.list_sparse[i];
        spec.dtype = list_sparse_[i];
        spec.indices = static_cast<int>(first + i);
        spec.values = static_cast<int>(first + ls + i);
        spec.dense_shape = static_cast<int>(first + 2 * ls + i);
        continue;
      }
      const size_t k = i - ls;
      spec.dense = true;
      spec.key = keys.list_dense[k];
      spec.dtype = list_dense_[k];
      spec.values = static_cast<int>(first + 3 * ls + k);
      if (lengths) spec.lengths = static_cast<int>(first + 3 * ls + ld + k);
      if (!list_shapes_[k].AsTensorShape(&spec.shape)) {
        return errors::InvalidArgument(
            type_string(), ": feature_list_dense_shapes[", k,
            "] must be known in full, got ", list_shapes_[k].DebugString());
      }
      spec.num_elements = spec.shape.num_elements();
      spec.may_be_missing =
          std::find(keys.maybe_empty.begin(), keys.maybe_empty.end(),
                    spec.key) != keys.maybe_empty.end();
    }
    return lists->Init(std::move(list_specs));
  }

  // The defaults are inputs from `first` on.
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

  DataTypeVector sparse_types_, dense_types_, list_sparse_, list_dense_;
  std::vector<PartialTensorShape> dense_shapes_, list_shapes_;

 private:
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

}  // namespace
}  // namespace tensorwright
