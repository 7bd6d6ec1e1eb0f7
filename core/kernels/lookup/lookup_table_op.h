// SPDX-License-Identifier: Apache-2.0
// LookupTableOp: the kernel of an op that makes a table.
#ifndef TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_H_
#define TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_H_

#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor_types.h"
#include "core/framework/types.h"
#include "core/kernels/lookup/lookup_util.h"
#include "core/platform/mutex.h"
#include "core/platform/tstring.h"

namespace tensorwright {

// Container is a LookupInterface with a constructor (OpKernelContext*,
// OpKernel*).  The output is a resource handle, or TensorFlow 1.x's reference
// to two strings.
template <class Container, class key_dtype, class value_dtype>
class LookupTableOp : public OpKernel {
 public:
  explicit LookupTableOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(
        ctx, ctx->allocate_temp(DT_STRING, TensorShape({2}), &string_handle_));
    OP_REQUIRES_OK(
        ctx, ctx->allocate_temp(DT_RESOURCE, TensorShape(), &resource_handle_));
    OP_REQUIRES_OK(
        ctx, ctx->GetAttr("use_node_name_sharing", &use_node_name_sharing_));
  }

  ~LookupTableOp() override {
    // Somebody may have deleted it already.
    if (is_made_ && cinfo_.resource_is_private_to_kernel()) {
      cinfo_.resource_manager()
          ->template Delete<lookup::LookupInterface>(cinfo_.container(),
                                                     cinfo_.name())
          .IgnoreError();
    }
  }

  void Compute(OpKernelContext* ctx) override {
    mutex_lock l(mu_);
    if (!is_made_) {
      OP_REQUIRES_OK(ctx, cinfo_.Init(ctx->resource_manager(), def(),
                                      use_node_name_sharing_));
    }
    lookup::LookupInterface* table = nullptr;
    OP_REQUIRES_OK(
        ctx, cinfo_.resource_manager()->LookupOrCreate<lookup::LookupInterface>(
                 cinfo_.container(), cinfo_.name(), &table,
                 [ctx, this](lookup::LookupInterface** made) {
                   auto* container = new Container(ctx, this);
                   if (!ctx->status().ok()) {
                     container->Unref();
                     return ctx->status();
                   }
                   *made = container;
                   return Status();
                 }));
    core::ScopedUnref unref(table);
    OP_REQUIRES_OK(ctx, lookup::CheckTableDataTypes(
                            *table, DataTypeToEnum<key_dtype>::v(),
                            DataTypeToEnum<value_dtype>::v(), cinfo_.name()));
    if (ctx->expected_output_dtype(0) == DT_RESOURCE) {
      resource_handle_.scalar<ResourceHandle>()() =
          MakeResourceHandle<lookup::LookupInterface>(ctx, cinfo_.container(),
                                                      cinfo_.name());
      ctx->set_output(0, resource_handle_);
    } else {
      string_handle_.flat<tstring>()(0) = cinfo_.container();
      string_handle_.flat<tstring>()(1) = cinfo_.name();
      ctx->set_output_ref(0, &mu_, &string_handle_);
    }
    is_made_ = true;
  }

 private:
  mutex mu_;
  Tensor string_handle_, resource_handle_;
  bool is_made_ = false;
  ContainerInfo cinfo_;
  bool use_node_name_sharing_ = false;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_H_
