// SPDX-License-Identifier: Apache-2.0
// Checks that the shape functions of all TensorArray ops share.
#ifndef TENSORWRIGHT_CORE_OPS_DATA_FLOW_OPS_TENSOR_ARRAY_H_
#define TENSORWRIGHT_CORE_OPS_DATA_FLOW_OPS_TENSOR_ARRAY_H_

#include "core/framework/shape_inference.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Checks input 0, a handle: a resource is a scalar; a string handle has two
// elements, the names of container and array.
Status CheckTensorArray(shape_inference::InferenceContext* c);

// The same, and checks that the last input, `flow`, is a scalar.
Status CheckTensorArrayAndFlow(shape_inference::InferenceContext* c);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_OPS_DATA_FLOW_OPS_TENSOR_ARRAY_H_
