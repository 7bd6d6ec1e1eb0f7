// SPDX-License-Identifier: Apache-2.0
// Two gradients of one op, both in C++.
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op.h"

namespace tensorflow {

REGISTER_OP("BrokenTwoGradients").Input("x: float").Output("y: float");

Status BrokenGradient(const AttrSlice&, FunctionDef*) { return Status::OK(); }
REGISTER_OP_GRADIENT("BrokenTwoGradients", BrokenGradient);
REGISTER_OP_NO_GRADIENT("BrokenTwoGradients");

}  // namespace tensorflow
