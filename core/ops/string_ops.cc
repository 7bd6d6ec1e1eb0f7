// SPDX-License-Identifier: Apache-2.0
// Joining and matching strings.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

// Tensors of one shape, and scalars, which go with each element of those.
Status StringJoinShape(InferenceContext* c) {
  ShapeHandle out = c->Scalar();
  bool rank_known = true;
  for (int i = 0; i < c->num_inputs(); ++i) {
    const ShapeHandle input = c->input(i);
    if (!c->RankKnown(input)) {
      rank_known = false;
    } else if (c->Rank(input) != 0) {
      ShapeHandle both = input;
      if (c->Rank(out) != 0) TF_RETURN_IF_ERROR(c->Merge(out, input, &both));
      out = both;
    }
  }
  // An input of unknown rank may be a scalar, or give the shape.
  const bool found = c->Rank(out) != 0;
  c->set_output(0, found || rank_known ? out : c->UnknownShape());
  return OkStatus();
}

Status RegexFullMatchShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  return shape_inference::UnchangedShape(c);
}

}  // namespace

REGISTER_OP("StringJoin")
    .Input("inputs: N * string")
    .Output("output: string")
    .Attr("N: int >= 1")
    .Attr("separator: string = ''")
    .SetShapeFn(StringJoinShape)
    .Doc(
        "The strings of the inputs behind one another, separator between them: "
        "N times [...] or [] -> [...].");

REGISTER_OP("RegexFullMatch")
    .Input("input: string")
    .Input("pattern: string")
    .Output("output: bool")
    .SetShapeFn(RegexFullMatchShape)
    .Doc(
        "Whether the regular expression pattern [], in RE2's syntax, matches "
        "all "
        "of each string: [...] -> [...].");

REGISTER_OP("StaticRegexFullMatch")
    .Input("input: string")
    .Output("output: bool")
    .Attr("pattern: string")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "Whether the regular expression pattern, in RE2's syntax, matches all "
        "of "
        "each string: [...] -> [...].");

}  // namespace tensorwright
