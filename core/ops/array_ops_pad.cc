// SPDX-License-Identifier: Apache-2.0
// Ops that pad a tensor with zeros, a constant, or its own mirror image.

#include <algorithm>
#include <string>

#include "absl/container/inlined_vector.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Calls resize(dimension, before, after, &result) for each dimension of input,
// whose paddings are [rank, 2], none negative.
template <typename Resize>
Status ResizedShape(InferenceContext* c, Resize resize) {
  ShapeHandle input = c->input(0), paddings;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &paddings));
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(paddings, 1), 2, &unused));
  const DimensionHandle n = c->Dim(paddings, 0);
  if (c->ValueKnown(n)) {
    TF_RETURN_IF_ERROR(c->WithRank(input, c->Value(n), &input));
  } else if (c->RankKnown(input)) {
    TF_RETURN_IF_ERROR(c->WithValue(n, c->Rank(input), &unused));
  }
  const Tensor* values = c->input_tensor(1);
  if (values == nullptr || !c->RankKnown(input)) {
    c->set_output(0, c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input))
                                         : c->UnknownShape());
    return OkStatus();
  }
  const int32_t rank = c->Rank(input);
  absl::InlinedVector<DimensionHandle, 8> dims(rank);
  for (int i = 0; i < rank; ++i) {
    const int64_t before = IntAt(*values, 2 * i);
    const int64_t after = IntAt(*values, 2 * i + 1);
    if (before < 0 || after < 0) {
      return errors::InvalidArgument("Paddings must be non-negative: ", before,
                                     " ", after);
    }
    TF_RETURN_IF_ERROR(resize(c->Dim(input, i), before, after, &dims[i]));
  }
  c->set_output(0, c->MakeShape(absl::MakeConstSpan(dims)));
  return OkStatus();
}

Status PadShape(InferenceContext* c) {
  return ResizedShape(c, [c](DimensionHandle dim, int64_t before, int64_t after,
                             DimensionHandle* out) {
    TF_RETURN_IF_ERROR(c->Add(dim, before, out));
    return c->Add(*out, after, out);
  });
}

// constant_values: a scalar.
Status PadV2Shape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  return PadShape(c);
}

// A dimension can mirror at most as many elements as it has, without the edge
// itself for REFLECT; an empty one has none.
Status CheckMirror(InferenceContext* c, DimensionHandle size, int64_t before,
                   int64_t after, bool reflect) {
  if (!c->ValueKnown(size)) return OkStatus();
  const int64_t most = std::max<int64_t>(c->Value(size) - (reflect ? 1 : 0), 0);
  if (before <= most && after <= most) return OkStatus();
  return errors::InvalidArgument(
      "paddings must be no greater than the dimension size",
      reflect ? " less 1" : "", ": ", before, ", ", after, " greater than ",
      most);
}

Status GetReflect(InferenceContext* c, bool* reflect) {
  std::string mode;
  TF_RETURN_IF_ERROR(c->GetAttr("mode", &mode));
  *reflect = mode == "REFLECT";
  return OkStatus();
}

Status MirrorPadShape(InferenceContext* c) {
  bool reflect = false;
  TF_RETURN_IF_ERROR(GetReflect(c, &reflect));
  return ResizedShape(c, [c, reflect](DimensionHandle dim, int64_t before,
                                      int64_t after, DimensionHandle* out) {
    TF_RETURN_IF_ERROR(CheckMirror(c, dim, before, after, reflect));
    TF_RETURN_IF_ERROR(c->Add(dim, before, out));
    return c->Add(*out, after, out);
  });
}

// input: the output of a MirrorPad; the result has the shape of that
// MirrorPad's input.
Status MirrorPadGradShape(InferenceContext* c) {
  bool reflect = false;
  TF_RETURN_IF_ERROR(GetReflect(c, &reflect));
  return ResizedShape(c, [c, reflect](DimensionHandle dim, int64_t before,
                                      int64_t after, DimensionHandle* out) {
    TF_RETURN_IF_ERROR(c->Subtract(dim, before, out));
    TF_RETURN_IF_ERROR(c->Subtract(*out, after, out));
    return CheckMirror(c, *out, before, after, reflect);
  });
}

}  // namespace

REGISTER_OP("Pad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(PadShape)
    .Doc(
        "input [d0, ..., dn-1], paddings [n, 2] -> input with that many zeros "
        "before and after it in each dimension.");

REGISTER_OP("PadV2")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Input("constant_values: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(PadV2Shape)
    .Doc(
        "input [d0, ..., dn-1], paddings [n, 2] -> input with that many "
        "constant_values [] before and after it in each dimension.");

REGISTER_OP("MirrorPad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Needs("unbounded memory")
    .SetShapeFn(MirrorPadShape)
    .Doc(
        "input [d0, ..., dn-1], paddings [n, 2] -> input with that many of its "
        "own elements before and after it, mirrored at the edge, which mode "
        "SYMMETRIC repeats.");

REGISTER_OP("MirrorPadGrad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .SetShapeFn(MirrorPadGradShape)
    .Doc(
        "The gradient of MirrorPad: input [d0, ..., dn-1], paddings [n, 2] -> "
        "its middle, to which the mirrored edges are added back.");

}  // namespace tensorwright
