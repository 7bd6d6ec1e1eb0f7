// SPDX-License-Identifier: Apache-2.0
// Ops that run functions of the graph's library.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {

namespace {

using shape_inference::InferenceContext;

// Gradients have the shapes of what they are of, where the types show that the
// inputs begin with it.
Status SymbolicGradientShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, i < c->num_inputs() ? c->input(i) : c->UnknownShape());
  }
  return OkStatus();
}

}  // namespace

REGISTER_OP("SymbolicGradient")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("f: func")
    .SetShapeFn(SymbolicGradientShape)
    .Doc(
        "The gradients of f, a function of N tensors with M results, by its "
        "arguments: input is the N arguments and then the gradients of the M "
        "results, output [shapes of the arguments].  The graph's library says "
        "which function computes them.");

}  // namespace tensorwright
