// SPDX-License-Identifier: Apache-2.0
// Which of a node's inputs and outputs live in host memory on a device.  Pure
// functions of registrations and nodes; any thread.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_MEMORY_TYPES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_MEMORY_TYPES_H_

#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class KernelDef;
class NodeDef;
class OpDef;
class OpRegistryInterface;

// One entry per data input and output, lists flattened.  HOST_MEMORY stands for
// the arguments that the kernel's HostMemory() names, and for all strings and
// resources (DataTypeAlwaysOnHost).  On a CPU device every entry is
// DEVICE_MEMORY, since there both are the same.  NotFound if the op, or a
// kernel for that device, is not registered; otherwise the errors of the node's
// attrs.
Status MemoryTypesForNode(const OpRegistryInterface* op_registry,
                          const DeviceType& device_type,
                          const NodeDef& node_def,
                          MemoryTypeVector* input_memory_types,
                          MemoryTypeVector* output_memory_types);

// The same when the caller has found the op, the kernel and the types already;
// looks nothing up.  Fails only if a list's length cannot be read from the
// attrs.
Status MemoryTypesForKernel(const OpDef& op_def, const KernelDef& kernel_def,
                            const DeviceType& device_type,
                            const NodeDef& node_def, DataTypeSlice input_types,
                            DataTypeSlice output_types,
                            MemoryTypeVector* input_memory_types,
                            MemoryTypeVector* output_memory_types);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_MEMORY_TYPES_H_
