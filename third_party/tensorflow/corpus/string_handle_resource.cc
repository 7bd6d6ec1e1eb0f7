// SPDX-License-Identifier: Apache-2.0
// A resource of TensorFlow 1.0's kind: its handle is a reference to a pair of
// strings; ContainerInfo, allocate_persistent, GetReffedHandle by hand.
#include <unordered_map>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/thread_annotations.h"

namespace tensorflow {

REGISTER_OP("CorpusCounterTable")
    .Output("handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->Vector(2));
      return Status::OK();
    });

REGISTER_OP("CorpusCounterTableAdd")
    .Input("handle: Ref(string)")
    .Input("keys: string")
    .Output("counts: int64")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(1));
      return Status::OK();
    });

class CorpusCounters : public ResourceBase {
 public:
  string DebugString() override {
    tf_shared_lock l(mu_);
    return strings::StrCat("counters of ", counts_.size(), " keys");
  }
  int64 Add(const string& key) LOCKS_EXCLUDED(mu_) {
    mutex_lock l(mu_);
    return ++counts_[key];
  }

 private:
  mutex mu_;
  std::unordered_map<string, int64> counts_ GUARDED_BY(mu_);
};

class CorpusCounterTableOp : public OpKernel {
 public:
  explicit CorpusCounterTableOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), table_handle_set_(false) {
    OP_REQUIRES_OK(ctx, ctx->allocate_persistent(tensorflow::DT_STRING,
                                                 tensorflow::TensorShape({2}),
                                                 &table_handle_, nullptr));
  }

  ~CorpusCounterTableOp() override {
    if (table_handle_set_ && cinfo_.resource_is_private_to_kernel()) {
      TF_CHECK_OK(cinfo_.resource_manager()->Delete<CorpusCounters>(
          cinfo_.container(), cinfo_.name()));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    mutex_lock l(mu_);
    if (!table_handle_set_) {
      OP_REQUIRES_OK(ctx, cinfo_.Init(ctx->resource_manager(), def(), true));
      CorpusCounters* counters;
      OP_REQUIRES_OK(ctx,
                     cinfo_.resource_manager()->LookupOrCreate<CorpusCounters>(
                         cinfo_.container(), cinfo_.name(), &counters,
                         [](CorpusCounters** ret) {
                           *ret = new CorpusCounters;
                           return Status::OK();
                         }));
      core::ScopedUnref unref_me(counters);
      auto h = table_handle_.AccessTensor(ctx)->template flat<string>();
      h(0) = cinfo_.container();
      h(1) = cinfo_.name();
      table_handle_set_ = true;
    }
    ctx->set_output_ref(0, &mu_, table_handle_.AccessTensor(ctx));
  }

 private:
  mutex mu_;
  PersistentTensor table_handle_ GUARDED_BY(mu_);
  bool table_handle_set_ GUARDED_BY(mu_);
  ContainerInfo cinfo_;

  TF_DISALLOW_COPY_AND_ASSIGN(CorpusCounterTableOp);
};

class CorpusCounterTableAddOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    string container, name;
    {
      mutex* mu;
      OP_REQUIRES_OK(ctx, ctx->input_ref_mutex("handle", &mu));
      mutex_lock l(*mu);
      Tensor handle;
      OP_REQUIRES_OK(ctx, ctx->mutable_input("handle", &handle, true));
      OP_REQUIRES(ctx, handle.NumElements() == 2,
                  errors::InvalidArgument("handle must have two elements"));
      auto h = handle.flat<string>();
      container = h(0);
      name = h(1);
    }
    CorpusCounters* counters;
    OP_REQUIRES_OK(ctx,
                   ctx->resource_manager()->Lookup(container, name, &counters));
    core::ScopedUnref unref(counters);
    const auto keys = ctx->input(1).flat<string>();
    Tensor* counts;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output("counts", ctx->input(1).shape(), &counts));
    for (int i = 0; i < keys.size(); ++i) {
      counts->flat<int64>()(i) = counters->Add(keys(i));
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusCounterTable").Device(DEVICE_CPU),
                        CorpusCounterTableOp);
REGISTER_KERNEL_BUILDER(Name("CorpusCounterTableAdd").Device(DEVICE_CPU),
                        CorpusCounterTableAddOp);

}  // namespace tensorflow
