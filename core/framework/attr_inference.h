// SPDX-License-Identifier: Apache-2.0
// Fills in a new node's attrs from the dtypes of its inputs.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_ATTR_INFERENCE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_ATTR_INFERENCE_H_

#include "absl/types/span.h"
#include "core/framework/node_def_util.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class OpDef;

// Completes *attrs, which holds what the caller gave, for a node of op
// `op_def` with these inputs:
//   input_types  the dtype of every data input, lists flattened;
//   arg_sizes    one entry per OpDef input_arg: -1 for a single tensor, else
//                the length of the list given.
// "T"-, "N"- and "list(type)"-attrs that an input names are set from it, the
// others from their defaults.  Types are compared without their Ref-ness,
// except that an input declared Ref(T) needs a Ref.
// InvalidArgument, naming the op, the argument and both values, if
//   - a given or implied value disagrees with another one, or with what the
//     attr allows,
//   - the number of arguments or of tensors is wrong,
//   - an attr is unknown, has a wrong type, or nothing gives its value.
Status InferAttrs(const OpDef& op_def, absl::Span<const DataType> input_types,
                  absl::Span<const int> arg_sizes, AttrValueMap* attrs);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_ATTR_INFERENCE_H_
