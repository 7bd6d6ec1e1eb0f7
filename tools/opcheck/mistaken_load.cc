// SPDX-License-Identifier: Apache-2.0
// A library whose static initializer throws, for docs/adding_an_op.md.
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace {

const int first = std::vector<int>().at(0);

}  // namespace

REGISTER_OP("MistakenLoad")
    .Output("y: float")
    .SetShapeFn(tensorwright::shape_inference::ScalarShape)
    .Doc("Has no kernel.");
