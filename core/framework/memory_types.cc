// SPDX-License-Identifier: Apache-2.0
// Which of a node's inputs and outputs live in host memory on a device.
#include "core/framework/memory_types.h"

#include <algorithm>

#include "core/framework/kernel_def.pb.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op.h"
#include "core/framework/op_def.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

void SetMemoryTypes(const ArgRanges& ranges, const KernelDef& kernel_def,
                    DataTypeSlice types, MemoryTypeVector* memory_types) {
  memory_types->clear();
  for (DataType type : types) {
    memory_types->push_back(
        DataTypeAlwaysOnHost(BaseType(type)) ? HOST_MEMORY : DEVICE_MEMORY);
  }
  for (const ArgRange& range : ranges) {
    const auto& host = kernel_def.host_memory_arg();
    if (std::find(host.begin(), host.end(), range.name) == host.end()) continue;
    for (int i = range.start; i < range.stop; ++i) {
      (*memory_types)[i] = HOST_MEMORY;
    }
  }
}

}  // namespace

Status MemoryTypesForKernel(const OpDef& op_def, const KernelDef& kernel_def,
                            const DeviceType& device_type,
                            const NodeDef& node_def, DataTypeSlice input_types,
                            DataTypeSlice output_types,
                            MemoryTypeVector* input_memory_types,
                            MemoryTypeVector* output_memory_types) {
  if (device_type.type_string() == DEVICE_CPU) {
    input_memory_types->assign(input_types.size(), DEVICE_MEMORY);
    output_memory_types->assign(output_types.size(), DEVICE_MEMORY);
    return OkStatus();
  }
  ArgRanges inputs, outputs;
  TF_RETURN_IF_ERROR(NameRangesForNode(node_def, op_def, &inputs, &outputs));
  SetMemoryTypes(inputs, kernel_def, input_types, input_memory_types);
  SetMemoryTypes(outputs, kernel_def, output_types, output_memory_types);
  return OkStatus();
}

Status MemoryTypesForNode(const OpRegistryInterface* op_registry,
                          const DeviceType& device_type,
                          const NodeDef& node_def,
                          MemoryTypeVector* input_memory_types,
                          MemoryTypeVector* output_memory_types) {
  const OpDef* op_def;
  TF_RETURN_IF_ERROR(op_registry->LookUpOpDef(node_def.op(), &op_def));
  const KernelDef* kernel_def;
  TF_RETURN_IF_ERROR(
      FindKernelDef(device_type, node_def, &kernel_def, nullptr));
  DataTypeVector input_types, output_types;
  TF_RETURN_IF_ERROR(
      InOutTypesForNode(node_def, *op_def, &input_types, &output_types));
  return MemoryTypesForKernel(*op_def, *kernel_def, device_type, node_def,
                              input_types, output_types, input_memory_types,
                              output_memory_types);
}

}  // namespace tensorwright
