// SPDX-License-Identifier: Apache-2.0
// MutableDenseHashTable: keys and values are scalars or vectors, and one key
// stands for an empty bucket.
//
// Programs see only the number of buckets, a power of two that grows with the
// entries, and an export of them all, the empty ones included, which a
// checkpoint holds.  Entries themselves are kept in the order in which they
// came.

#include <bit>
#include <cstring>
#include <string>

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

struct DenseOptions {
  static DenseOptions Of(OpKernelContext* ctx, OpKernel* kernel) {
    DenseOptions options;
    ctx->SetStatus(options.Read(ctx, kernel));
    return options;
  }

  Status Read(OpKernelContext* ctx, OpKernel* kernel) {
    const NodeDef& node = kernel->def();
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "key_dtype", &key_dtype));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "value_dtype", &value_dtype));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "value_shape", &value_shape));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "initial_num_buckets", &num_buckets));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "max_load_factor", &max_load_factor));
    // The program may change its variable, so the table keeps a copy.
    empty_key = ctx->input(0).DeepCopy();
    const std::string& op = kernel->type_string();
    if (empty_key.dims() > 1) {
      return errors::InvalidArgument(
          op, ": Empty key must be a scalar or a vector, got shape ",
          empty_key.shape().DebugString());
    }
    if (value_shape.dims() > 1) {
      return errors::InvalidArgument(
          op, ": Empty value must be a scalar or a vector, got shape ",
          value_shape.DebugString());
    }
    if (!(max_load_factor > 0 && max_load_factor < 1)) {
      return errors::InvalidArgument(
          op,
          ": max_load_factor must be between 0 and 1, got: ", max_load_factor);
    }
    if (num_buckets < 1 ||
        !std::has_single_bit(static_cast<uint64_t>(num_buckets))) {
      return errors::InvalidArgument(
          op, ": initial_num_buckets must be a power of 2, got: ", num_buckets);
    }
    return OkStatus();
  }

  DataType key_dtype = DT_INVALID;
  DataType value_dtype = DT_INVALID;
  TensorShape value_shape;
  Tensor empty_key;
  int64_t num_buckets = 0;
  float max_load_factor = 0;
};

// A vector as one string, which differs from that of every other vector.
std::string Encoded(const Tensor& keys, int64_t width, int64_t row) {
  std::string text;
  if (keys.dtype() != DT_STRING) {
    const int64_t bytes = width * DataTypeSize(keys.dtype());
    return std::string(keys.base<char>() + row * bytes, bytes);
  }
  for (int64_t i = row * width; i < (row + 1) * width; ++i) {
    const std::string& part = keys.base<std::string>()[i];
    const uint64_t length = part.size();
    text.append(reinterpret_cast<const char*>(&length), sizeof(length));
    text.append(part);
  }
  return text;
}

class MutableDenseHashTable final : public LookupInterface {
 public:
  MutableDenseHashTable(OpKernelContext* ctx, OpKernel* kernel)
      : options_(DenseOptions::Of(ctx, kernel)),
        map_(options_.empty_key.dims() == 0 ? options_.key_dtype : DT_STRING),
        keys_(options_.key_dtype, key_shape(), /*by_place=*/true),
        values_(options_.value_dtype, options_.value_shape, /*by_place=*/true),
        num_buckets_(options_.num_buckets) {}

  size_t size() const override {
    tf_shared_lock lock(mu_);
    return map_.size();
  }

  Status Find(OpKernelContext* ctx, const Tensor& keys, Tensor* values,
              const Tensor& default_value) override {
    const int64_t n = Rows(keys);
    TF_RETURN_IF_ERROR(CheckNoneIsEmpty(keys, n));
    const Tensor scalars = AsScalars(keys, n);
    tf_shared_lock lock(mu_);
    ParallelFor(
        ctx, n, kCostPerKey,
        [&](int64_t start, int64_t limit) ABSL_NO_THREAD_SAFETY_ANALYSIS {
          FindRows(map_, values_, scalars, default_value, start, limit, values);
        });
    return OkStatus();
  }

  Status Insert(OpKernelContext* /*ctx*/, const Tensor& keys,
                const Tensor& values) override {
    const int64_t n = Rows(keys);
    TF_RETURN_IF_ERROR(CheckNoneIsEmpty(keys, n));
    const Tensor scalars = AsScalars(keys, n);
    mutex_lock lock(mu_);
    Grow(map_.size() + n);
    for (int64_t i = 0; i < n; ++i) InsertOne(keys, scalars, values, i);
    return OkStatus();
  }

  // Takes the buckets of an export; empty ones need not be kept.
  Status ImportValues(OpKernelContext* /*ctx*/, const Tensor& keys,
                      const Tensor& values) override {
    const int64_t n = Rows(keys);
    const Tensor scalars = AsScalars(keys, n);
    mutex_lock lock(mu_);
    map_.Clear();
    keys_.Clear();
    values_.Clear();
    for (int64_t i = 0; i < n; ++i) {
      if (!IsEmpty(keys, i)) InsertOne(keys, scalars, values, i);
    }
    num_buckets_ = static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
    Grow(map_.size());
    return OkStatus();
  }

  Status ExportValues(OpKernelContext* ctx) override {
    tf_shared_lock lock(mu_);
    Tensor *keys, *values;
    TensorShape shape({num_buckets_});
    TF_RETURN_IF_ERROR(shape.AppendShapeWithStatus(key_shape()));
    TF_RETURN_IF_ERROR(ctx->allocate_output("keys", shape, &keys));
    shape = TensorShape({num_buckets_});
    TF_RETURN_IF_ERROR(shape.AppendShapeWithStatus(options_.value_shape));
    TF_RETURN_IF_ERROR(ctx->allocate_output("values", shape, &values));
    if (DataTypeCanUseMemcpy(values->dtype()) && values->TotalBytes() > 0) {
      std::memset(values->data(), 0, values->TotalBytes());
    }
    ValueStore empty(options_.key_dtype, key_shape(), /*by_place=*/true);
    empty.Add(options_.empty_key, 0);
    for (int64_t i = 0; i < num_buckets_; ++i) {
      if (i < map_.size()) {
        keys_.Get(i, keys, i);
        values_.Get(i, values, i);
      } else {
        empty.Get(0, keys, i);
      }
    }
    return OkStatus();
  }

  DataType key_dtype() const override { return options_.key_dtype; }
  DataType value_dtype() const override { return options_.value_dtype; }
  TensorShape key_shape() const override { return options_.empty_key.shape(); }
  TensorShape value_shape() const override { return options_.value_shape; }
  int64_t MemoryUsed() const override {
    tf_shared_lock lock(mu_);
    return map_.MemoryUsed() + keys_.MemoryUsed() + values_.MemoryUsed();
  }

 private:
  int64_t Rows(const Tensor& keys) const {
    int64_t n = 1;
    for (int d = 0; d < keys.dims() - key_shape().dims(); ++d) {
      n *= keys.dim_size(d);
    }
    return n;
  }

  bool IsEmpty(const Tensor& keys, int64_t row) const {
    const int64_t width = options_.empty_key.NumElements();
    if (keys.dtype() == DT_STRING) {
      const std::string* empty = options_.empty_key.base<std::string>();
      return std::equal(empty, empty + width,
                        keys.base<std::string>() + row * width);
    }
    const int64_t bytes = width * DataTypeSize(keys.dtype());
    return bytes == 0 ||
           std::memcmp(options_.empty_key.data(),
                       keys.base<char>() + row * bytes, bytes) == 0;
  }

  Status CheckNoneIsEmpty(const Tensor& keys, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) {
      if (!IsEmpty(keys, i)) continue;
      return errors::InvalidArgument(
          "Using the empty_key as a table key is not allowed");
    }
    return OkStatus();
  }

  // The keys in the form that the map has.
  Tensor AsScalars(const Tensor& keys, int64_t n) const {
    if (key_shape().dims() == 0) return keys;
    const int64_t width = options_.empty_key.NumElements();
    Tensor scalars(DT_STRING, TensorShape({n}));
    for (int64_t i = 0; i < n; ++i) {
      scalars.base<std::string>()[i] = Encoded(keys, width, i);
    }
    return scalars;
  }

  void InsertOne(const Tensor& keys, const Tensor& scalars,
                 const Tensor& values, int64_t i)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (const uint64_t* there = map_.Find(scalars, i); there != nullptr) {
      values_.Replace(*there, values, i);
      return;
    }
    map_.Insert(scalars, i, map_.size());
    keys_.Add(keys, i);
    values_.Add(values, i);
  }

  // Grows to as many buckets as `entries` may need.
  void Grow(int64_t entries) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    while (static_cast<double>(entries) >
           static_cast<double>(num_buckets_) * options_.max_load_factor) {
      num_buckets_ *= 2;
    }
  }

  const DenseOptions options_;
  mutable mutex mu_;
  KeyMap map_ TF_GUARDED_BY(mu_);  // Maps to positions of keys_ and values_.
  ValueStore keys_ TF_GUARDED_BY(mu_);
  ValueStore values_ TF_GUARDED_BY(mu_);
  int64_t num_buckets_ TF_GUARDED_BY(mu_);
};

const TableRegistrar<MutableDenseHashTable> registered("MutableDenseHashTable",
                                                       SourceLocation{
                                                           __FILE__, __LINE__});

}  // namespace
}  // namespace lookup
}  // namespace tensorwright
