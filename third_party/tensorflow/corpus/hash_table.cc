// SPDX-License-Identifier: Apache-2.0
// A table of one's own behind TensorFlow's interface of tables.
#include <unordered_map>

#include "tensorflow/core/framework/lookup_interface.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/kernels/lookup_table_op.h"
#include "tensorflow/core/kernels/lookup_util.h"
#include "tensorflow/core/lib/gtl/map_util.h"
#include "tensorflow/core/lib/hash/hash.h"
#include "tensorflow/core/platform/thread_annotations.h"

namespace tensorflow {
namespace lookup {

template <class K, class V>
class CorpusTable final : public LookupInterface {
 public:
  CorpusTable(OpKernelContext* ctx, OpKernel* kernel) {}

  size_t size() const override {
    tf_shared_lock l(mu_);
    return table_.size();
  }

  Status Find(OpKernelContext* ctx, const Tensor& keys, Tensor* values,
              const Tensor& default_value) override {
    const V fallback = default_value.flat<V>()(0);
    const auto key_values = keys.flat<K>();
    auto value_values = values->flat<V>();
    tf_shared_lock l(mu_);
    for (int64 i = 0; i < key_values.size(); ++i) {
      value_values(i) = gtl::FindWithDefault(table_, key_values(i), fallback);
    }
    return Status::OK();
  }

  Status Insert(OpKernelContext* ctx, const Tensor& keys,
                const Tensor& values) override {
    const auto key_values = keys.flat<K>();
    const auto value_values = values.flat<V>();
    mutex_lock l(mu_);
    for (int64 i = 0; i < key_values.size(); ++i) {
      gtl::InsertOrUpdate(&table_, key_values(i), value_values(i));
    }
    return Status::OK();
  }

  Status Remove(OpKernelContext* ctx, const Tensor& keys) override {
    mutex_lock l(mu_);
    const auto key_values = keys.flat<K>();
    for (int64 i = 0; i < key_values.size(); ++i) table_.erase(key_values(i));
    return Status::OK();
  }

  Status ImportValues(OpKernelContext* ctx, const Tensor& keys,
                      const Tensor& values) override {
    {
      mutex_lock l(mu_);
      table_.clear();
    }
    return Insert(ctx, keys, values);
  }

  Status ExportValues(OpKernelContext* ctx) override {
    tf_shared_lock l(mu_);
    const int64 size = table_.size();
    Tensor *keys, *values;
    TF_RETURN_IF_ERROR(
        ctx->allocate_output("keys", TensorShape({size}), &keys));
    TF_RETURN_IF_ERROR(
        ctx->allocate_output("values", TensorShape({size}), &values));
    int64 i = 0;
    for (auto it = table_.begin(); it != table_.end(); ++it, ++i) {
      keys->flat<K>()(i) = it->first;
      values->flat<V>()(i) = it->second;
    }
    return Status::OK();
  }

  DataType key_dtype() const override { return DataTypeToEnum<K>::v(); }
  DataType value_dtype() const override { return DataTypeToEnum<V>::v(); }
  TensorShape key_shape() const final { return TensorShape(); }
  TensorShape value_shape() const override { return TensorShape(); }
  int64 MemoryUsed() const override {
    return sizeof(CorpusTable) + size() * (sizeof(K) + sizeof(V));
  }

 private:
  mutable mutex mu_;
  std::unordered_map<K, V, hash<K>> table_ TF_GUARDED_BY(mu_);
};

}  // namespace lookup

REGISTER_OP("CorpusTable")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = true")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

#define REGISTER_KERNEL(key_dtype, value_dtype)                             \
  REGISTER_KERNEL_BUILDER(                                                  \
      Name("CorpusTable")                                                   \
          .Device(DEVICE_CPU)                                               \
          .TypeConstraint<key_dtype>("key_dtype")                           \
          .TypeConstraint<value_dtype>("value_dtype"),                      \
      LookupTableOp<lookup::CorpusTable<key_dtype, value_dtype>, key_dtype, \
                    value_dtype>)
REGISTER_KERNEL(tstring, int64);
REGISTER_KERNEL(int64, float);
#undef REGISTER_KERNEL

REGISTER_OP("CorpusTableInsert")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .SetShapeFn(shape_inference::NoOutputs);

class CorpusTableInsertOp : public OpKernel {
 public:
  explicit CorpusTableInsertOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    lookup::LookupInterface* table;
    OP_REQUIRES_OK(ctx, lookup::GetLookupTable("table_handle", ctx, &table));
    core::ScopedUnref unref_me(table);
    OP_REQUIRES_OK(ctx, table->CheckKeyAndValueTensorsForInsert(ctx->input(1),
                                                                ctx->input(2)));
    OP_REQUIRES_OK(ctx, table->Insert(ctx, ctx->input(1), ctx->input(2)));
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusTableInsert").Device(DEVICE_CPU),
                        CorpusTableInsertOp);

REGISTER_OP("CorpusTableFind")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("default_value: Tout")
    .Output("values: Tout")
    .Output("size: int64")
    .Attr("Tin: type")
    .Attr("Tout: type");

class CorpusTableFindOp : public OpKernel {
 public:
  explicit CorpusTableFindOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<lookup::LookupInterface> table;
    OP_REQUIRES_OK(ctx, lookup::GetLookupTable("table_handle", ctx, &table));
    OP_REQUIRES_OK(ctx,
                   table->CheckFindArguments(ctx->input(1), ctx->input(2)));
    Tensor* out;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output("values", ctx->input(1).shape(), &out));
    OP_REQUIRES_OK(ctx, table->Find(ctx, ctx->input(1), out, ctx->input(2)));
    Tensor* size;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("size", TensorShape({}), &size));
    size->flat<int64>().setConstant(table->size());
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusTableFind").Device(DEVICE_CPU),
                        CorpusTableFindOp);

}  // namespace tensorflow
