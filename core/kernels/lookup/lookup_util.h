// SPDX-License-Identifier: Apache-2.0
// Helpers by which ops find the table that a handle names.
#ifndef TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_UTIL_H_
#define TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_UTIL_H_

#include "core/framework/lookup_interface.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/refcount.h"

namespace tensorwright {
namespace lookup {

// Finds the table of the input `input_name`, a resource handle or TensorFlow
// 1.x's reference to two strings; the caller gets a reference.
Status GetLookupTable(absl::string_view input_name, OpKernelContext* ctx,
                      LookupInterface** table);
inline Status GetLookupTable(absl::string_view input_name, OpKernelContext* ctx,
                             core::RefCountPtr<LookupInterface>* table) {
  LookupInterface* found = nullptr;
  TF_RETURN_IF_ERROR(GetLookupTable(input_name, ctx, &found));
  table->reset(found);
  return Status();
}

// InvalidArgument if the table has other dtypes.
Status CheckTableDataTypes(const LookupInterface& table, DataType key_dtype,
                           DataType value_dtype, const std::string& table_name);

}  // namespace lookup
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_UTIL_H_
