// SPDX-License-Identifier: Apache-2.0
// Text as bytes and as code points.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// [...] -> [n + 1], and [characters] for each of the others.
Status DecodeShape(InferenceContext* c) {
  DimensionHandle splits;
  TF_RETURN_IF_ERROR(c->Add(c->NumElements(c->input(0)), 1, &splits));
  c->set_output(0, c->Vector(splits));
  const DimensionHandle characters = c->UnknownDim();
  for (int i = 1; i < c->num_outputs(); ++i) {
    c->set_output(i, c->Vector(characters));
  }
  return OkStatus();
}

// [characters] and [n + 1] -> [n].
Status EncodeShape(InferenceContext* c) {
  ShapeHandle unused, splits;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &splits));
  DimensionHandle n;
  TF_RETURN_IF_ERROR(c->Subtract(c->Dim(splits, 0), 1, &n));
  c->set_output(0, c->Vector(n));
  return OkStatus();
}

}  // namespace

REGISTER_OP("UnicodeTranscode")
    .Input("input: string")
    .Output("output: string")
    .Attr("input_encoding: string")
    .Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
    .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
    .Attr("replacement_char: int = 65533")
    .Attr("replace_control_characters: bool = false")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "Each string from input_encoding (UTF-8, UTF-16, UTF-32, US-ASCII, "
        "ISO-8859-1) in output_encoding: [...] -> [...].");

REGISTER_OP("UnicodeDecode")
    .Input("input: string")
    .Output("row_splits: Tsplits")
    .Output("char_values: int32")
    .Attr("input_encoding: string")
    .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
    .Attr("replacement_char: int = 65533")
    .Attr("replace_control_characters: bool = false")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .SetShapeFn(DecodeShape)
    .Doc(
        "The code points of n strings [...], one string after the other, "
        "[characters], and where each string's begin, [n + 1].");

REGISTER_OP("UnicodeDecodeWithOffsets")
    .Input("input: string")
    .Output("row_splits: Tsplits")
    .Output("char_values: int32")
    .Output("char_to_byte_starts: int64")
    .Attr("input_encoding: string")
    .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
    .Attr("replacement_char: int = 65533")
    .Attr("replace_control_characters: bool = false")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .SetShapeFn(DecodeShape)
    .Doc(
        "The same, and the byte of its string at which each character begins: "
        "[characters].");

REGISTER_OP("UnicodeEncode")
    .Input("input_values: int32")
    .Input("input_splits: Tsplits")
    .Output("output: string")
    .Attr("errors: {'ignore', 'replace', 'strict'} = 'replace'")
    .Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
    .Attr("replacement_char: int = 65533")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .SetShapeFn(EncodeShape)
    .Doc(
        "Strings [n] of the code points [characters] that begin where splits "
        "[n + 1] say.");

}  // namespace tensorwright
