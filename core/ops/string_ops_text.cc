// SPDX-License-Identifier: Apache-2.0
// Ops on each string by itself: encodings, case, lengths and parts of it, and
// replacements by a pattern.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;
using shape_inference::UnchangedShape;

namespace {

// [...], [] and [] -> [...].
Status RegexReplaceShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  return UnchangedShape(c);
}

// pos and len have one shape, which broadcasts against the strings' shape.
Status SubstrShape(InferenceContext* c) {
  ShapeHandle part;
  TF_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &part));
  return shape_inference::BroadcastBinaryOpShapeFn(c);
}

}  // namespace

REGISTER_OP("EncodeBase64")
    .Input("input: string")
    .Output("output: string")
    .Attr("pad: bool = false")
    .SetShapeFn(UnchangedShape)
    .Doc(
        "Each string in Base64 with '-' and '_', with '=' at the end if attr "
        "pad says so: [...] -> [...].");

REGISTER_OP("DecodeBase64")
    .Input("input: string")
    .Output("output: string")
    .SetShapeFn(UnchangedShape)
    .Doc(
        "What each string says in Base64 with '-' and '_'; '=' at the end may "
        "be left out: [...] -> [...].");

REGISTER_OP("StringLower")
    .Input("input: string")
    .Output("output: string")
    .Attr("encoding: string = ''")
    .SetShapeFn(UnchangedShape)
    .Doc(
        "Each string in lower case, of ASCII letters or, where attr encoding "
        "is 'utf-8', of all: [...] -> [...].");

REGISTER_OP("StringUpper")
    .Input("input: string")
    .Output("output: string")
    .Attr("encoding: string = ''")
    .SetShapeFn(UnchangedShape)
    .Doc(
        "Each string in upper case, of ASCII letters or, where attr encoding "
        "is 'utf-8', of all: [...] -> [...].");

REGISTER_OP("StringStrip")
    .Input("input: string")
    .Output("output: string")
    .SetShapeFn(UnchangedShape)
    .Doc("Each string without the white space at its ends: [...] -> [...].");

REGISTER_OP("StringLength")
    .Input("input: string")
    .Output("output: int32")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .SetShapeFn(UnchangedShape)
    .Doc(
        "How many bytes, or characters of UTF-8, each string has: [...] -> "
        "[...].");

REGISTER_OP("Substr")
    .Input("input: string")
    .Input("pos: T")
    .Input("len: T")
    .Output("output: string")
    .Attr("T: {int32, int64}")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .SetShapeFn(SubstrShape)
    .Doc(
        "Up to len bytes, or characters, of each string from pos on; a pos "
        "below 0 counts from the end: [...], and pos and len of a shape that "
        "broadcasts against it, -> [...].");

REGISTER_OP("RegexReplace")
    .Input("input: string")
    .Input("pattern: string")
    .Input("rewrite: string")
    .Output("output: string")
    .Attr("replace_global: bool = true")
    .SetShapeFn(RegexReplaceShape)
    .Doc(
        "Each string with rewrite [] in the place of what pattern [] matches, "
        "everywhere or once; \\1 is what the first group matched: [...] -> "
        "[...].");

REGISTER_OP("StaticRegexReplace")
    .Input("input: string")
    .Output("output: string")
    .Attr("pattern: string")
    .Attr("rewrite: string")
    .Attr("replace_global: bool = true")
    .SetShapeFn(UnchangedShape)
    .Doc(
        "Each string with attr rewrite in the place of what attr pattern "
        "matches, everywhere or once: [...] -> [...].");

}  // namespace tensorwright
