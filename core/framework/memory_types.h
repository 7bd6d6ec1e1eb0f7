// SPDX-License-Identifier: Apache-2.0
// Which of a node's inputs and outputs live in host memory on a device.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_MEMORY_TYPES_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_MEMORY_TYPES_H_

#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class KernelDef;
class NodeDef;
class OpDef;
class OpRegistryInterface;

// One entry per data input and output, lists flattened.  Host memory is what
// the kernel's HostMemory() says, and always strings, resources and variants.
// On a CPU device everything counts as DEVICE_MEMORY, since there it is the
// same.  Fails if the op or a kernel of it for that device is not registered.
Status MemoryTypesForNode(const OpRegistryInterface* op_registry,
                          const DeviceType& device_type,
                          const NodeDef& node_def,
                          MemoryTypeVector* input_memory_types,
                          MemoryTypeVector* output_memory_types);

// The same when the caller has found the op, the kernel and the types already.
Status MemoryTypesForKernel(const OpDef& op_def, const KernelDef& kernel_def,
                            const DeviceType& device_type,
                            const NodeDef& node_def, DataTypeSlice input_types,
                            DataTypeSlice output_types,
                            MemoryTypeVector* input_memory_types,
                            MemoryTypeVector* output_memory_types);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_MEMORY_TYPES_H_
