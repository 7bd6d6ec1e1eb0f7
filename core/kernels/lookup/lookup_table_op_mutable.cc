// SPDX-License-Identifier: Apache-2.0
// MutableHashTable and MutableHashTableOfTensors: entries come and change while
// the program runs; many threads may read at once.

#include <vector>

#include "core/framework/node_def_util.h"
#include "core/kernels/lookup/lookup_table_op_entries.h"
#include "core/kernels/lookup/lookup_table_op_register.h"
#include "core/lib/core/errors.h"
#include "core/platform/mutex.h"
#include "core/platform/thread_annotations.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace lookup {
namespace {

// The nanoseconds of a look-up: a miss of the caches.
constexpr int64_t kCostPerKey = 50;

class MutableHashTable : public LookupInterface {
 public:
  MutableHashTable(OpKernelContext* ctx, OpKernel* kernel)
      : MutableHashTable(Types::Of(ctx, kernel), TensorShape()) {}

  size_t size() const override {
    tf_shared_lock lock(mu_);
    return map_.size();
  }

  Status Find(OpKernelContext* ctx, const Tensor& keys, Tensor* values,
              const Tensor& default_value) override {
    tf_shared_lock lock(mu_);
    ParallelFor(
        ctx, keys.NumElements(), kCostPerKey,
        [&](int64_t start, int64_t limit) ABSL_NO_THREAD_SAFETY_ANALYSIS {
          FindRows(map_, store_, keys, default_value, start, limit, values);
        });
    return OkStatus();
  }

  // If a key comes twice, the last value counts.
  Status Insert(OpKernelContext* /*ctx*/, const Tensor& keys,
                const Tensor& values) override {
    mutex_lock lock(mu_);
    InsertAll(keys, values);
    return OkStatus();
  }

  Status ImportValues(OpKernelContext* /*ctx*/, const Tensor& keys,
                      const Tensor& values) override {
    mutex_lock lock(mu_);
    map_.Clear();
    store_.Clear();
    InsertAll(keys, values);
    return OkStatus();
  }

  Status ExportValues(OpKernelContext* ctx) override {
    tf_shared_lock lock(mu_);
    Tensor *keys, *values;
    TensorShape shape({map_.size()});
    TF_RETURN_IF_ERROR(ctx->allocate_output("keys", shape, &keys));
    shape.AppendShape(value_shape_);
    TF_RETURN_IF_ERROR(ctx->allocate_output("values", shape, &values));
    std::vector<uint64_t> numbers;
    map_.Export(keys, &numbers);
    for (size_t i = 0; i < numbers.size(); ++i) {
      store_.Get(numbers[i], values, static_cast<int64_t>(i));
    }
    return OkStatus();
  }

  DataType key_dtype() const override { return types_.key; }
  DataType value_dtype() const override { return types_.value; }
  TensorShape key_shape() const override { return TensorShape(); }
  TensorShape value_shape() const override { return value_shape_; }
  int64_t MemoryUsed() const override {
    tf_shared_lock lock(mu_);
    return map_.MemoryUsed() + store_.MemoryUsed();
  }

 protected:
  struct Types {
    static Types Of(OpKernelContext* ctx, OpKernel* kernel) {
      Types types;
      ctx->SetStatus(GetNodeAttr(kernel->def(), "key_dtype", &types.key));
      ctx->SetStatus(GetNodeAttr(kernel->def(), "value_dtype", &types.value));
      return types;
    }
    DataType key = DT_INVALID;
    DataType value = DT_INVALID;
  };

  MutableHashTable(const Types& types, const TensorShape& value_shape)
      : types_(types),
        value_shape_(value_shape),
        map_(types.key),
        store_(types.value, value_shape) {}

 private:
  void InsertAll(const Tensor& keys, const Tensor& values)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    for (int64_t i = 0; i < keys.NumElements(); ++i) {
      if (uint64_t* there = map_.Find(keys, i); there != nullptr) {
        *there = store_.Replace(*there, values, i);
      } else {
        map_.Insert(keys, i, store_.Add(values, i));
      }
    }
  }

  const Types types_;
  const TensorShape value_shape_;
  mutable mutex mu_;
  KeyMap map_ TF_GUARDED_BY(mu_);
  ValueStore store_ TF_GUARDED_BY(mu_);
};

// Values are vectors.
class MutableHashTableOfTensors final : public MutableHashTable {
 public:
  MutableHashTableOfTensors(OpKernelContext* ctx, OpKernel* kernel)
      : MutableHashTable(Types::Of(ctx, kernel), ValueShape(ctx, kernel)) {}

 private:
  static TensorShape ValueShape(OpKernelContext* ctx, OpKernel* kernel) {
    TensorShape shape;
    ctx->SetStatus(GetNodeAttr(kernel->def(), "value_shape", &shape));
    if (ctx->status().ok() && shape.dims() != 1) {
      ctx->SetStatus(errors::InvalidArgument(
          kernel->type_string(),
          ": value_shape: Default value must be a vector, got shape ",
          shape.DebugString()));
    }
    return shape;
  }
};

const TableRegistrar<MutableHashTable> of_scalars("MutableHashTable",
                                                  SourceLocation{__FILE__,
                                                                 __LINE__});
const TableRegistrar<MutableHashTableOfTensors> of_tensors(
    "MutableHashTableOfTensors", SourceLocation{__FILE__, __LINE__});

}  // namespace
}  // namespace lookup
}  // namespace tensorwright
