// SPDX-License-Identifier: Apache-2.0
// A part of a graph that another executor than kernels runs.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

// The shapes in the attr are defaults, for inputs of default shapes: an
// executor may take others.
REGISTER_OP("RemoteFusedGraphExecute")
    .Input("inputs: Tinputs")
    .Output("outputs: Toutputs")
    .Attr("Tinputs: list(type) >= 0")
    .Attr("Toutputs: list(type) >= 0")
    .Attr("serialized_remote_fused_graph_execute_info: string")
    .Touches("native code")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc(
        "Runs a graph on the executor that the attr, a serialized "
        "RemoteFusedGraphExecuteInfo, names: inputs [...] each to outputs "
        "[...] each.");

}  // namespace tensorwright
