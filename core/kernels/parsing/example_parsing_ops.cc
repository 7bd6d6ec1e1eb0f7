// SPDX-License-Identifier: Apache-2.0
// ParseExample, ParseExampleV2 and ParseSingleExample: they parse Examples into
// tensors.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/parsing/example_parsing_ops_columns.h"
#include "core/lib/core/errors.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

// The attrs and the places of outputs that the three kernels share.
class ParseExampleBase : public OpKernel {
 public:
  explicit ParseExampleBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("sparse_types", &sparse_types_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Tdense", &dense_types_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dense_shapes", &dense_shapes_));
    OP_REQUIRES(ctx, dense_types_.size() == dense_shapes_.size(),
                errors::InvalidArgument(
                    type_string(), ": len(dense_types) != len(dense_shapes): ",
                    dense_types_.size(), " vs. ", dense_shapes_.size()));
    if (HasNodeAttr(def(), "ragged_value_types")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("ragged_value_types", &ragged_types_));
      OP_REQUIRES_OK(ctx, ctx->GetAttr("ragged_split_types", &split_types_));
      OP_REQUIRES(ctx, ragged_types_.size() == split_types_.size(),
                  errors::InvalidArgument(
                      type_string(),
                      ": len(ragged_value_types) != len(ragged_split_types): ",
                      ragged_types_.size(), " vs. ", split_types_.size()));
    }
  }

 protected:
  // Makes a table of keys in the order sparse, dense, ragged.
  Status MakeTable(const std::vector<std::string>& keys,
                   FeatureTable* table) const {
    const size_t sparse = sparse_types_.size(), dense = dense_types_.size(),
                 ragged = ragged_types_.size();
    if (keys.size() != sparse + dense + ragged) {
      return errors::InvalidArgument(type_string(), ": ", keys.size(),
                                     " keys for ", sparse + dense + ragged,
                                     " types");
    }
    std::vector<FeatureSpec> specs(keys.size());
    for (size_t i = 0; i < specs.size(); ++i) {
      FeatureSpec& spec = specs[i];
      spec.key = keys[i];
      if (i < sparse) {
        spec.dtype = sparse_types_[i];
        spec.indices = static_cast<int>(i);
        spec.values = static_cast<int>(sparse + i);
        spec.dense_shape = static_cast<int>(2 * sparse + i);
      } else if (i < sparse + dense) {
        const size_t d = i - sparse;
        spec.dtype = dense_types_[d];
        spec.values = static_cast<int>(3 * sparse + d);
        TF_RETURN_IF_ERROR(SetDenseShape(dense_shapes_[d], &spec));
      } else {
        const size_t r = i - sparse - dense;
        spec.layout = FeatureLayout::kRagged;
        spec.dtype = ragged_types_[r];
        spec.values = static_cast<int>(3 * sparse + dense + r);
        spec.splits = static_cast<int>(3 * sparse + dense + ragged + r);
        spec.splits_dtype = split_types_[r];
      }
    }
    return table->Init(std::move(specs));
  }

  // Parses a batch; the inputs from `first` on are the defaults.
  void Parse(OpKernelContext* ctx, const FeatureTable& table, int first,
             const ExampleBatch& batch) const {
    OP_REQUIRES(
        ctx,
        batch.names.empty() || ctx->input(1).shape() == ctx->input(0).shape(),
        errors::InvalidArgument(type_string(),
                                ": Expected names have the same shape as "
                                "serialized, got ",
                                ctx->input(1).shape().DebugString(), " and ",
                                ctx->input(0).shape().DebugString()));
    std::vector<const Tensor*> defaults(table.specs().size(), nullptr);
    for (size_t d = 0; d < dense_types_.size(); ++d) {
      const size_t i = sparse_types_.size() + d;
      defaults[i] = &ctx->input(first + static_cast<int>(d));
      OP_REQUIRES_OK(ctx, CheckDefault(table.specs()[i], *defaults[i],
                                       static_cast<int>(d)));
    }
    OP_REQUIRES_OK(ctx, table.Parse(ctx, batch, defaults));
  }

  DataTypeVector sparse_types_, dense_types_, ragged_types_, split_types_;
  std::vector<PartialTensorShape> dense_shapes_;
};

// Keys are inputs, mostly the same ones in each run, so the table of the last
// keys is kept.
class ParseKeyedExampleOp : public ParseExampleBase {
 public:
  using ParseExampleBase::ParseExampleBase;

 protected:
  Status TableOf(std::vector<std::string> keys,
                 std::shared_ptr<const FeatureTable>* table) {
    mutex_lock lock(mu_);
    if (table_ == nullptr || keys != keys_) {
      auto made = std::make_shared<FeatureTable>();
      TF_RETURN_IF_ERROR(MakeTable(keys, made.get()));
      table_ = std::move(made);
      keys_ = std::move(keys);
    }
    *table = table_;
    return OkStatus();
  }

 private:
  mutex mu_;
  std::vector<std::string> keys_ TF_GUARDED_BY(mu_);
  std::shared_ptr<const FeatureTable> table_ TF_GUARDED_BY(mu_);
};

class ParseExampleOp final : public ParseKeyedExampleOp {
 public:
  explicit ParseExampleOp(OpKernelConstruction* ctx)
      : ParseKeyedExampleOp(ctx) {
    // The counts say how many keys there are, the types how many are read.
    int64_t sparse = 0, dense = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Nsparse", &sparse));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Ndense", &dense));
    OP_REQUIRES(ctx,
                sparse == static_cast<int64_t>(sparse_types_.size()) &&
                    dense == static_cast<int64_t>(dense_types_.size()),
                errors::InvalidArgument(
                    "ParseExample: Nsparse is ", sparse, " for ",
                    sparse_types_.size(), " sparse_types, and Ndense is ",
                    dense, " for ", dense_types_.size(), " types in Tdense"));
  }

  void Compute(OpKernelContext* ctx) override {
    const int n = static_cast<int>(sparse_types_.size() + dense_types_.size());
    std::vector<std::string> keys;
    for (int i = 2; i < 2 + n; ++i) {
      keys.push_back(ctx->input(i).scalar_value<std::string>());
    }
    std::shared_ptr<const FeatureTable> table;
    OP_REQUIRES_OK(ctx, TableOf(std::move(keys), &table));
    ExampleBatch batch;
    batch.serialized = Flat<std::string>(ctx->input(0));
    batch.names = Flat<std::string>(ctx->input(1));
    Parse(ctx, *table, 2 + n, batch);
  }
};
REGISTER_KERNEL_BUILDER(Name("ParseExample").Device(DEVICE_CPU),
                        ParseExampleOp);

class ParseExampleV2Op final : public ParseKeyedExampleOp {
 public:
  using ParseKeyedExampleOp::ParseKeyedExampleOp;

  void Compute(OpKernelContext* ctx) override {
    std::vector<std::string> keys;
    for (int i = 2; i < 5; ++i) {
      const auto some = Flat<std::string>(ctx->input(i));
      const size_t types = i == 2   ? sparse_types_.size()
                           : i == 3 ? dense_types_.size()
                                    : ragged_types_.size();
      OP_REQUIRES(ctx, some.size() == types,
                  errors::InvalidArgument("ParseExampleV2: ",
                                          i == 2   ? "sparse"
                                          : i == 3 ? "dense"
                                                   : "ragged",
                                          "_keys has ", some.size(),
                                          " elements for ", types, " types"));
      keys.insert(keys.end(), some.begin(), some.end());
    }
    std::shared_ptr<const FeatureTable> table;
    OP_REQUIRES_OK(ctx, TableOf(std::move(keys), &table));
    ExampleBatch batch;
    batch.serialized = Flat<std::string>(ctx->input(0));
    batch.names = Flat<std::string>(ctx->input(1));
    batch.single = ctx->input(0).dims() == 0;
    Parse(ctx, *table, 5, batch);
  }
};
REGISTER_KERNEL_BUILDER(Name("ParseExampleV2").Device(DEVICE_CPU),
                        ParseExampleV2Op);

class ParseSingleExampleOp final : public ParseExampleBase {
 public:
  explicit ParseSingleExampleOp(OpKernelConstruction* ctx)
      : ParseExampleBase(ctx) {
    std::vector<std::string> keys, dense_keys;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("sparse_keys", &keys));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dense_keys", &dense_keys));
    OP_REQUIRES(ctx, keys.size() == sparse_types_.size(),
                errors::InvalidArgument("ParseSingleExample: ", keys.size(),
                                        " sparse_keys for ",
                                        sparse_types_.size(), " sparse_types"));
    keys.insert(keys.end(), dense_keys.begin(), dense_keys.end());
    if (!ctx->status().ok()) return;
    OP_REQUIRES_OK(ctx, MakeTable(keys, &table_));
  }

  void Compute(OpKernelContext* ctx) override {
    ExampleBatch batch;
    batch.serialized = Flat<std::string>(ctx->input(0));
    batch.single = true;
    Parse(ctx, table_, 1, batch);
  }

 private:
  FeatureTable table_;
};
REGISTER_KERNEL_BUILDER(Name("ParseSingleExample").Device(DEVICE_CPU),
                        ParseSingleExampleOp);

}  // namespace
}  // namespace tensorwright
