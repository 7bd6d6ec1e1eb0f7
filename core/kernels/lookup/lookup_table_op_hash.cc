// SPDX-License-Identifier: Apache-2.0
// HashTable: filled once; look-ups take no locks.

#include <atomic>
#include <vector>

#include "core/framework/node_def_util.h"
#include "core/kernels/lookup/initializable_lookup_table.h"
#include "core/kernels/lookup/lookup_table_op_entries.h"
#include "core/kernels/lookup/lookup_table_op_register.h"
#include "core/lib/core/errors.h"
#include "core/platform/mutex.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace lookup {
namespace {

// The nanoseconds of a look-up: a miss of the caches.
constexpr int64_t kCostPerKey = 50;

DataType TypeAttr(OpKernelContext* ctx, OpKernel* kernel, const char* name) {
  DataType type = DT_INVALID;
  ctx->SetStatus(GetNodeAttr(kernel->def(), name, &type));
  return type;
}

class HashTable final : public InitializableLookupTable {
 public:
  HashTable(OpKernelContext* ctx, OpKernel* kernel)
      : key_dtype_(TypeAttr(ctx, kernel, "key_dtype")),
        value_dtype_(TypeAttr(ctx, kernel, "value_dtype")),
        map_(key_dtype_),
        store_(value_dtype_, TensorShape()) {}

  Status Initialize(const Tensor& keys, const Tensor& values) override {
    mutex_lock lock(mu_);
    if (is_initialized()) return CheckSame(keys, values);
    const int64_t n = keys.NumElements();
    map_.Reserve(n);
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t* there = map_.Find(keys, i);
      if (there == nullptr) {
        map_.Insert(keys, i, store_.Add(values, i));
      } else if (!store_.Equals(*there, values, i)) {
        const Status failed = TwoValues(keys, values, i, *there);
        map_.Clear();
        store_.Clear();
        return failed;
      }
    }
    initialized_.store(true, std::memory_order_release);
    return OkStatus();
  }

  bool is_initialized() const override {
    return initialized_.load(std::memory_order_acquire);
  }

  size_t size() const override { return is_initialized() ? map_.size() : 0; }

  Status Find(OpKernelContext* ctx, const Tensor& keys, Tensor* values,
              const Tensor& default_value) override {
    if (!is_initialized()) {
      return errors::FailedPrecondition("Table not initialized.");
    }
    ParallelFor(ctx, keys.NumElements(), kCostPerKey,
                [&](int64_t start, int64_t limit) {
                  FindRows(map_, store_, keys, default_value, start, limit,
                           values);
                });
    return OkStatus();
  }

  Status Insert(OpKernelContext* /*ctx*/, const Tensor& /*keys*/,
                const Tensor& /*values*/) override {
    return errors::Unimplemented(
        "Insert not supported by InitializableLookupTable implementations");
  }

  // A checkpoint holds the entries that the table is filled with.
  Status ImportValues(OpKernelContext* /*ctx*/, const Tensor& keys,
                      const Tensor& values) override {
    return Initialize(keys, values);
  }

  Status ExportValues(OpKernelContext* ctx) override {
    if (!is_initialized()) {
      return errors::Aborted("HashTable is not initialized.");
    }
    Tensor *keys, *values;
    const TensorShape shape({map_.size()});
    TF_RETURN_IF_ERROR(ctx->allocate_output("keys", shape, &keys));
    TF_RETURN_IF_ERROR(ctx->allocate_output("values", shape, &values));
    std::vector<uint64_t> numbers;
    map_.Export(keys, &numbers);
    for (size_t i = 0; i < numbers.size(); ++i) {
      store_.Get(numbers[i], values, static_cast<int64_t>(i));
    }
    return OkStatus();
  }

  DataType key_dtype() const override { return key_dtype_; }
  DataType value_dtype() const override { return value_dtype_; }
  TensorShape key_shape() const override { return TensorShape(); }
  TensorShape value_shape() const override { return TensorShape(); }
  int64_t MemoryUsed() const override {
    return is_initialized() ? map_.MemoryUsed() + store_.MemoryUsed() : 0;
  }

 private:
  Status CheckSame(const Tensor& keys, const Tensor& values) {
    bool same = true;
    for (int64_t i = 0; i < keys.NumElements() && same; ++i) {
      const uint64_t* there = map_.Find(keys, i);
      same = there != nullptr && store_.Equals(*there, values, i);
    }
    // Every key asked for exists, and each key counts once.
    KeyMap distinct(key_dtype_);
    for (int64_t i = 0; i < keys.NumElements() && same; ++i) {
      if (distinct.Find(keys, i) == nullptr) distinct.Insert(keys, i, 0);
    }
    if (same && distinct.size() == map_.size()) return OkStatus();
    return errors::FailedPrecondition(
        "Table was already initialized with different data.");
  }

  Status TwoValues(const Tensor& keys, const Tensor& values, int64_t i,
                   uint64_t there) const {
    Tensor key(key_dtype_, TensorShape());
    Tensor had(value_dtype_, TensorShape());
    Tensor got(value_dtype_, TensorShape());
    store_.Get(there, &had, 0);
    ValueStore one(value_dtype_, TensorShape());
    one.Get(one.Add(values, i), &got, 0);
    ValueStore of_key(key_dtype_, TensorShape());
    of_key.Get(of_key.Add(keys, i), &key, 0);
    return errors::FailedPrecondition(
        "HashTable has different value for same key. Key ",
        key.SummarizeValue(1), " has ", had.SummarizeValue(1),
        " and trying to add value ", got.SummarizeValue(1));
  }

  const DataType key_dtype_;
  const DataType value_dtype_;
  mutex mu_;  // For calls that fill it.
  std::atomic<bool> initialized_{false};
  // Constant once it is initialized.
  KeyMap map_;
  ValueStore store_;
};

const TableRegistrar<HashTable> registered("HashTable",
                                           SourceLocation{__FILE__, __LINE__});

}  // namespace
}  // namespace lookup
}  // namespace tensorwright
