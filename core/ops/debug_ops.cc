// SPDX-License-Identifier: Apache-2.0
// Nodes that a debugger puts into a graph to see its tensors: copies, and nodes
// that publish their input, or numbers about it.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// May a server close the gate of the node, which then gives an empty vector?
Status HasGate(InferenceContext* c, bool* gated) {
  return c->GetAttr("gated_grpc", gated);
}

Status DebugIdentityShape(InferenceContext* c) {
  bool gated;
  TF_RETURN_IF_ERROR(HasGate(c, &gated));
  c->set_output(0, gated ? c->UnknownShape() : c->input(0));
  return OkStatus();
}

Status DebugNanCountShape(InferenceContext* c) {
  bool gated;
  TF_RETURN_IF_ERROR(HasGate(c, &gated));
  c->set_output(0, c->Vector(gated ? c->UnknownDim() : c->MakeDim(1)));
  return OkStatus();
}

// 14 numbers, and the sizes of the input.
Status DebugNumericSummaryShape(InferenceContext* c) {
  bool gated;
  TF_RETURN_IF_ERROR(HasGate(c, &gated));
  const bool known = !gated && c->RankKnown(c->input(0));
  c->set_output(0, c->Vector(known ? c->MakeDim(14 + c->Rank(c->input(0)))
                                   : c->UnknownDim()));
  return OkStatus();
}

}  // namespace

REGISTER_OP("Copy")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("tensor_name: string = ''")
    .Attr("debug_ops_spec: list(string) = []")
    .SetAllowsUninitializedInput()
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "A copy of input [...] on its device, for debug ops: attrs name the "
        "tensor and, as 'op;url;gated', each op behind it.");

REGISTER_OP("CopyHost")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("tensor_name: string = ''")
    .Attr("debug_ops_spec: list(string) = []")
    .SetAllowsUninitializedInput()
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("As Copy; input [...] is in host memory.");

REGISTER_OP("DebugIdentity")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("device_name: string = ''")
    .Attr("tensor_name: string = ''")
    .Attr("debug_urls: list(string) = []")
    .Attr("gated_grpc: bool = false")
    .SetAllowsUninitializedInput()
    .Touches("files written")
    .SetShapeFn(DebugIdentityShape)
    .Doc(
        "input [...], written to each of debug_urls: a folder, "
        "'file:///path'.");

REGISTER_OP("DebugNanCount")
    .Input("input: T")
    .Output("output: int64")
    .Attr("T: type")
    .Attr("device_name: string = ''")
    .Attr("tensor_name: string = ''")
    .Attr("debug_urls: list(string) = []")
    .Attr("gated_grpc: bool = false")
    .SetAllowsUninitializedInput()
    .Touches("files written")
    .SetShapeFn(DebugNanCountShape)
    .Doc(
        "How many elements of input [...] are NaN -> [1], written to each of "
        "debug_urls: a folder, 'file:///path'.");

REGISTER_OP("DebugNumericSummary")
    .Input("input: T")
    .Output("output: double")
    .Attr("T: type")
    .Attr("device_name: string = ''")
    .Attr("tensor_name: string = ''")
    .Attr("debug_urls: list(string) = []")
    .Attr("lower_bound: float = -inf")
    .Attr("upper_bound: float = inf")
    .Attr("mute_if_healthy: bool = false")
    .Attr("gated_grpc: bool = false")
    .SetAllowsUninitializedInput()
    .Touches("files written")
    .SetShapeFn(DebugNumericSummaryShape)
    .Doc(R"doc(
Numbers about the elements of input [...] -> [14 + rank], written to each of debug_urls: a folder, 'file:///path'.

They are: 1 if the tensor has a value, the number of elements, of NaNs, of elements up to lower_bound (or of -inf), of
other negative ones, zeros, positive ones, of elements from upper_bound on (or of inf); the least and largest finite
element, their mean and variance; the dtype as a number, the rank, and the sizes.  With mute_if_healthy nothing is
written unless there are NaNs or elements out of bounds.
)doc");

}  // namespace tensorwright
