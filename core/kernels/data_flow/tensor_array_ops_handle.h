// SPDX-License-Identifier: Apache-2.0
// Finds the array of a handle, for the TensorArray kernels.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_TENSOR_ARRAY_OPS_HANDLE_H_
#define TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_TENSOR_ARRAY_OPS_HANDLE_H_

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/data_flow/tensor_array.h"
#include "core/lib/core/status.h"

namespace tensorwright {

using TensorArrayPtr = core::RefCountPtr<TensorArray>;

// Sets *array to the array that input 0 names: a resource, a string, or a
// reference to a string.  InvalidArgument if the input is no such handle,
// NotFound if there is no such array, Internal if the run has no container.
Status FindTensorArray(OpKernelContext* ctx, TensorArrayPtr* array);

// 0, 1, ..., n - 1.
std::vector<int32_t> AllIndices(int32_t n);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_TENSOR_ARRAY_OPS_HANDLE_H_
