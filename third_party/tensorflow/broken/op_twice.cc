// SPDX-License-Identifier: Apache-2.0
// Two ops of one name.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

REGISTER_OP("BrokenTwiceFirst").Input("x: float");
REGISTER_OP("BrokenTwice").Input("x: float");
REGISTER_OP("BrokenTwice").Input("y: float");
