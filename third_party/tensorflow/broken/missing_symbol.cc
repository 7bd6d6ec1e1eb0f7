// SPDX-License-Identifier: Apache-2.0
// A function that nobody defines.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

int BrokenForgotten(int x);

REGISTER_OP("BrokenSymbol").Input("x: float");

int broken_symbol = BrokenForgotten(3);
