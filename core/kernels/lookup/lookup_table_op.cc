// SPDX-License-Identifier: Apache-2.0
// The ops on tables of any kind, Find, Insert, Size, Export, Import, for
// handles of both kinds.

#include "core/framework/lookup_interface.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lookup/lookup_util.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/refcount.h"

namespace tensorwright {
namespace {

using lookup::LookupInterface;
using TablePtr = core::RefCountPtr<LookupInterface>;

DataType HandleType(OpKernelContext* ctx) {
  return ctx->input_dtype(0) == DT_RESOURCE ? DT_RESOURCE : DT_STRING_REF;
}

class LookupTableFindOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TablePtr table;
    OP_REQUIRES_OK(ctx, lookup::GetLookupTable("table_handle", ctx, &table));
    OP_REQUIRES_OK(
        ctx, ctx->MatchSignature(
                 {HandleType(ctx), table->key_dtype(), table->value_dtype()},
                 {table->value_dtype()}));
    const Tensor& keys = ctx->input(1);
    const Tensor& default_value = ctx->input(2);
    OP_REQUIRES_OK(ctx, table->CheckFindArguments(keys, default_value));
    TensorShape shape = keys.shape();
    shape.RemoveLastDims(table->key_shape().dims());
    OP_REQUIRES_OK(ctx, shape.AppendShapeWithStatus(table->value_shape()));
    Tensor* values = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &values));
    OP_REQUIRES_OK(ctx, table->Find(ctx, keys, values, default_value));
  }
};
REGISTER_KERNEL_BUILDER(Name("LookupTableFind").Device(DEVICE_CPU),
                        LookupTableFindOp);
REGISTER_KERNEL_BUILDER(Name("LookupTableFindV2").Device(DEVICE_CPU),
                        LookupTableFindOp);

class LookupTableInsertOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TablePtr table;
    OP_REQUIRES_OK(ctx, lookup::GetLookupTable("table_handle", ctx, &table));
    OP_REQUIRES_OK(
        ctx,
        ctx->MatchSignature(
            {HandleType(ctx), table->key_dtype(), table->value_dtype()}, {}));
    const Tensor& keys = ctx->input(1);
    const Tensor& values = ctx->input(2);
    OP_REQUIRES_OK(ctx, table->CheckKeyAndValueTensorsForInsert(keys, values));
    OP_REQUIRES_OK(ctx, table->Insert(ctx, keys, values));
  }
};
REGISTER_KERNEL_BUILDER(Name("LookupTableInsert").Device(DEVICE_CPU),
                        LookupTableInsertOp);
REGISTER_KERNEL_BUILDER(Name("LookupTableInsertV2").Device(DEVICE_CPU),
                        LookupTableInsertOp);

class LookupTableImportOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TablePtr table;
    OP_REQUIRES_OK(ctx, lookup::GetLookupTable("table_handle", ctx, &table));
    OP_REQUIRES_OK(
        ctx,
        ctx->MatchSignature(
            {HandleType(ctx), table->key_dtype(), table->value_dtype()}, {}));
    const Tensor& keys = ctx->input(1);
    const Tensor& values = ctx->input(2);
    OP_REQUIRES_OK(ctx, table->CheckKeyAndValueTensorsForImport(keys, values));
    OP_REQUIRES_OK(ctx, table->ImportValues(ctx, keys, values));
  }
};
REGISTER_KERNEL_BUILDER(Name("LookupTableImport").Device(DEVICE_CPU),
                        LookupTableImportOp);
REGISTER_KERNEL_BUILDER(Name("LookupTableImportV2").Device(DEVICE_CPU),
                        LookupTableImportOp);

class LookupTableExportOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TablePtr table;
    OP_REQUIRES_OK(ctx, lookup::GetLookupTable("table_handle", ctx, &table));
    OP_REQUIRES_OK(
        ctx, ctx->MatchSignature({HandleType(ctx)},
                                 {table->key_dtype(), table->value_dtype()}));
    OP_REQUIRES_OK(ctx, table->ExportValues(ctx));
  }
};
REGISTER_KERNEL_BUILDER(Name("LookupTableExport").Device(DEVICE_CPU),
                        LookupTableExportOp);
REGISTER_KERNEL_BUILDER(Name("LookupTableExportV2").Device(DEVICE_CPU),
                        LookupTableExportOp);

class LookupTableSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TablePtr table;
    OP_REQUIRES_OK(ctx, lookup::GetLookupTable("table_handle", ctx, &table));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &size));
    *size->base<int64_t>() = static_cast<int64_t>(table->size());
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("LookupTableSize").Device(DEVICE_CPU),
                        LookupTableSizeOp);
REGISTER_KERNEL_BUILDER(Name("LookupTableSizeV2").Device(DEVICE_CPU),
                        LookupTableSizeOp);

}  // namespace
}  // namespace tensorwright
