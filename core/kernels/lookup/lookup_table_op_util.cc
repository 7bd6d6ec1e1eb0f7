// SPDX-License-Identifier: Apache-2.0
// Finds the table of a handle, of either kind.
#include "core/framework/resource_mgr.h"
#include "core/kernels/lookup/lookup_util.h"
#include "core/platform/tstring.h"

namespace tensorwright {
namespace lookup {

Status GetLookupTable(absl::string_view input_name, OpKernelContext* ctx,
                      LookupInterface** table) {
  DataType dtype;
  TF_RETURN_IF_ERROR(ctx->input_dtype(input_name, &dtype));
  if (dtype == DT_RESOURCE) {
    ResourceHandle handle;
    TF_RETURN_IF_ERROR(HandleFromInput(ctx, input_name, &handle));
    return LookupResource(ctx, handle, table);
  }
  Tensor names;
  mutex* mu = nullptr;
  TF_RETURN_IF_ERROR(ctx->input_ref_mutex(input_name, &mu));
  mutex_lock l(*mu);
  TF_RETURN_IF_ERROR(ctx->mutable_input(input_name, &names, true));
  if (names.NumElements() != 2) {
    return errors::InvalidArgument(
        input_name, ": a table's handle is container and name, got shape ",
        names.shape().DebugString());
  }
  const tstring* parts = names.base<const tstring>();
  return ctx->resource_manager()->Lookup(std::string(parts[0]),
                                         std::string(parts[1]), table);
}

Status CheckTableDataTypes(const LookupInterface& table, DataType key_dtype,
                           DataType value_dtype,
                           const std::string& table_name) {
  if (table.key_dtype() != key_dtype || table.value_dtype() != value_dtype) {
    return errors::InvalidArgument(
        "the table ", table_name, " is of ", DataTypeString(table.key_dtype()),
        " -> ", DataTypeString(table.value_dtype()), ", asked for ",
        DataTypeString(key_dtype), " -> ", DataTypeString(value_dtype));
  }
  return Status();
}

}  // namespace lookup
}  // namespace tensorwright
