// SPDX-License-Identifier: Apache-2.0
// An attr whose type does not exist.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

REGISTER_OP("BrokenAttrFirst").Input("x: float");
REGISTER_OP("BrokenAttr").Input("x: float").Attr("n: integer = 3");
