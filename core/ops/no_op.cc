// SPDX-License-Identifier: Apache-2.0
// The op that does nothing.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

REGISTER_OP("NoOp")
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc("Does nothing; a place for control dependencies.");

}  // namespace tensorwright
