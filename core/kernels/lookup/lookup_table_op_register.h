// SPDX-License-Identifier: Apache-2.0
// The dtypes that tables have, and the registration of a table's kernels for
// them.
#ifndef TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_REGISTER_H_
#define TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_REGISTER_H_

#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/kernels/lookup/lookup_table_op.h"
#include "core/lib/core/source_location.h"

namespace tensorwright {
namespace lookup {

// Registers the kernels of `op` and `op`V2 that make a Table, one for each pair
// of dtypes.
template <typename Table>
class TableRegistrar {
 public:
  TableRegistrar(const std::string& op, SourceLocation location) {
    for (const std::string& name : {op, op + "V2"}) {
      Values<std::string, bool, double, float, int32_t, int64_t, std::string>(
          name, location);
      Values<int64_t, bool, double, float, int32_t, int64_t, std::string>(
          name, location);
      Values<int32_t, double, float, int32_t, int64_t, std::string>(name,
                                                                    location);
    }
  }

 private:
  template <typename K, typename... V>
  static void Values(const std::string& op, SourceLocation location) {
    (One<K, V>(op, location), ...);
  }
  template <typename K, typename V>
  static void One(const std::string& op, SourceLocation location) {
    register_kernel::Name builder(op.c_str());
    builder.Device(DEVICE_CPU)
        .template TypeConstraint<K>("key_dtype")
        .template TypeConstraint<V>("value_dtype");
    kernel_factory::OpKernelRegistrar(
        builder,
        "LookupTableOp<" + DataTypeString(DataTypeToEnum<K>::v()) + ", " +
            DataTypeString(DataTypeToEnum<V>::v()) + ">",
        nullptr, &kernel_factory::MakeKernel<LookupTableOp<Table, K, V>>,
        location);
  }
};

}  // namespace lookup
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LOOKUP_LOOKUP_TABLE_OP_REGISTER_H_
