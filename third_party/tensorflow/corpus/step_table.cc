// SPDX-License-Identifier: Apache-2.0
// A table behind TensorFlow's interface of tables that is a step function: a
// key has the value of the greatest key that is not greater.
#include <map>

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

template <typename K, typename V>
class StepTable : public lookup::LookupInterface {
 public:
  StepTable(OpKernelContext*, OpKernel*) {}

  DataType key_dtype() const final { return DataTypeToEnum<K>::value; }
  DataType value_dtype() const final { return DataTypeToEnum<V>::value; }
  TensorShape key_shape() const final { return {}; }
  TensorShape value_shape() const final { return {}; }
  size_t size() const final {
    tf_shared_lock reading(mu_);
    return steps_.size();
  }
  int64 MemoryUsed() const final { return 64 * static_cast<int64>(size()); }

  Status Find(OpKernelContext*, const Tensor& keys, Tensor* values,
              const Tensor& before_the_first) final {
    tf_shared_lock reading(mu_);
    for (int64 i = 0; i < keys.NumElements(); ++i) {
      auto step = steps_.upper_bound(keys.flat<K>()(i));
      values->flat<V>()(i) = step == steps_.begin()
                                 ? before_the_first.scalar<V>()()
                                 : std::prev(step)->second;
    }
    return Status::OK();
  }
  Status Insert(OpKernelContext*, const Tensor& keys,
                const Tensor& values) final {
    mutex_lock writing(mu_);
    Add(keys, values);
    return Status::OK();
  }
  Status Remove(OpKernelContext*, const Tensor& keys) final {
    mutex_lock writing(mu_);
    for (int64 i = 0; i < keys.NumElements(); ++i) {
      steps_.erase(keys.flat<K>()(i));
    }
    return Status::OK();
  }
  Status ImportValues(OpKernelContext*, const Tensor& keys,
                      const Tensor& values) final {
    mutex_lock writing(mu_);
    steps_.clear();
    Add(keys, values);
    return Status::OK();
  }
  Status ExportValues(OpKernelContext* c) final {
    tf_shared_lock reading(mu_);
    Tensor* keys = nullptr;
    Tensor* values = nullptr;
    const TensorShape shape({static_cast<int64>(steps_.size())});
    TF_RETURN_IF_ERROR(c->allocate_output("keys", shape, &keys));
    TF_RETURN_IF_ERROR(c->allocate_output("values", shape, &values));
    int64 at = 0;
    for (const auto& step : steps_) {
      keys->vec<K>()(at) = step.first;
      values->vec<V>()(at++) = step.second;
    }
    return Status::OK();
  }

 private:
  void Add(const Tensor& keys, const Tensor& values)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    for (int64 i = 0; i < keys.NumElements(); ++i) {
      gtl::InsertOrUpdate(&steps_, keys.flat<K>()(i), values.flat<V>()(i));
    }
  }

  mutable mutex mu_;
  std::map<K, V> steps_ TF_GUARDED_BY(mu_);
};

REGISTER_OP("CorpusStepTable")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = true")
    .Output("table: resource")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);
#define STEP_TABLE(K, V)                                         \
  REGISTER_KERNEL_BUILDER(Name("CorpusStepTable")                \
                              .Device(DEVICE_CPU)                \
                              .TypeConstraint<K>("key_dtype")    \
                              .TypeConstraint<V>("value_dtype"), \
                          LookupTableOp<StepTable<K, V>, K, V>)
STEP_TABLE(tstring, int64);
STEP_TABLE(int64, float);
#undef STEP_TABLE

REGISTER_OP("CorpusStepTableSet")
    .Attr("K: type")
    .Attr("V: type")
    .Input("table: resource")
    .Input("keys: K")
    .Input("values: V")
    .SetShapeFn(shape_inference::NoOutputs);
struct StepTableSetOp : public OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* c) override {
    lookup::LookupInterface* table = nullptr;
    OP_REQUIRES_OK(c, lookup::GetLookupTable("table", c, &table));
    core::ScopedUnref release(table);
    const Tensor &keys = c->input(1), &values = c->input(2);
    OP_REQUIRES_OK(c, table->CheckKeyAndValueTensorsForInsert(keys, values));
    OP_REQUIRES_OK(c, table->Insert(c, keys, values));
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusStepTableSet").Device(DEVICE_CPU),
                        StepTableSetOp);

REGISTER_OP("CorpusStepTableGet")
    .Attr("K: type")
    .Attr("V: type")
    .Input("table: resource")
    .Input("keys: K")
    .Input("before_the_first: V")
    .Output("values: V")
    .Output("steps: int64");
struct StepTableGetOp : public OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* c) override {
    core::RefCountPtr<lookup::LookupInterface> table;
    OP_REQUIRES_OK(c, lookup::GetLookupTable("table", c, &table));
    const Tensor& keys = c->input(1);
    OP_REQUIRES_OK(c, table->CheckFindArguments(keys, c->input(2)));
    Tensor *values, *steps;
    OP_REQUIRES_OK(c, c->allocate_output("values", keys.shape(), &values));
    OP_REQUIRES_OK(c, table->Find(c, keys, values, c->input(2)));
    OP_REQUIRES_OK(c, c->allocate_output("steps", TensorShape(), &steps));
    steps->scalar<int64>()() = table->size();
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusStepTableGet").Device(DEVICE_CPU),
                        StepTableGetOp);

}  // namespace tensorflow
