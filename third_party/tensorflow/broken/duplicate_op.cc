// SPDX-License-Identifier: Apache-2.0
// An op that has the name of one that is there.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

REGISTER_OP("BrokenDuplicateFirst").Input("x: float");
REGISTER_OP("MatMul").Input("x: float").Output("y: float");
