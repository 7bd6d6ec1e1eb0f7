// SPDX-License-Identifier: Apache-2.0
// Runs a shape function on real shapes, before a kernel does.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_CONTRACT_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_CONTRACT_H_

#include <vector>

#include "absl/types/span.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_def_builder.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Checks the shapes of one call of a node and predicts those of its outputs.
//   attrs         the node's (a NodeDef converts);
//   input_shapes  one per data input, lists flattened;
//   host_inputs   empty, or one per input: its value if it is in host memory,
//                 else null.
// *out gets one entry per output, unknown if the function cannot tell.
// *used_values says whether the function asked for a value: if not, the result
// holds for these shapes whatever the values.  OK, with unknown outputs, for an
// op that has no shape function.
Status RunShapeFn(const OpRegistrationData& op, const AttrSlice& attrs,
                  absl::Span<const TensorShape> input_shapes,
                  absl::Span<const Tensor* const> host_inputs,
                  std::vector<PartialTensorShape>* out, bool* used_values);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_CONTRACT_H_
