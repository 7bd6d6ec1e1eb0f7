// SPDX-License-Identifier: Apache-2.0
// One string from many, and many from one.

#include <string>
#include <utility>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor.h"

namespace tensorwright {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

// [n] and [] -> a sparse matrix: indices, values, shape.
Status SplitShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const DimensionHandle parts = c->UnknownDim();
  c->set_output(0, c->Matrix(parts, 2));
  c->set_output(1, c->Vector(parts));
  c->set_output(2, c->Vector(2));
  return OkStatus();
}

Status UnsortedSegmentJoinShape(InferenceContext* c) {
  const ShapeHandle inputs = c->input(0), ids = c->input(1);
  ShapeHandle unused, slice, output;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  DimensionHandle num_segments;
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &num_segments));
  if (!c->RankKnown(ids)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(c->MergePrefix(inputs, ids, &unused, &unused));
  TF_RETURN_IF_ERROR(c->Subshape(inputs, c->Rank(ids), &slice));
  TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(num_segments), slice, &output));
  c->set_output(0, output);
  return OkStatus();
}

// data [n] and splits [rows + 1] -> [m] and [rows + 1].
Status NGramsShape(InferenceContext* c) {
  ShapeHandle splits, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &splits));
  c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
  c->set_output(1, splits);
  return OkStatus();
}

}  // namespace

REGISTER_OP("ReduceJoin")
    .Input("inputs: string")
    .Input("reduction_indices: int32")
    .Output("output: string")
    .Attr("keep_dims: bool = false")
    .Attr("separator: string = ''")
    .SetShapeFn(shape_inference::ReductionShape)
    .Doc(
        "The strings along the dimensions reduction_indices behind one "
        "another, separator between them; the first of the dimensions varies "
        "fastest: [...] -> [...].");

REGISTER_OP("UnsortedSegmentJoin")
    .Input("inputs: string")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: string")
    .Attr("separator: string = ''")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(UnsortedSegmentJoinShape)
    .Doc(
        "The slices of inputs with equal segment_ids behind one another, "
        "string by string, separator between them; negative ids are dropped: "
        "inputs [ids..., ...], segment_ids [ids...] -> [num_segments, ...].");

REGISTER_OP("StringSplit")
    .Input("input: string")
    .Input("delimiter: string")
    .Output("indices: int64")
    .Output("values: string")
    .Output("shape: int64")
    .Attr("skip_empty: bool = true")
    .SetShapeFn(SplitShape)
    .Doc(
        "The parts of each string of [n] between characters of delimiter [], "
        "or its single bytes if that is empty, as a sparse matrix with a row "
        "for each string: indices [parts, 2], values [parts], shape [2].");

REGISTER_OP("StringSplitV2")
    .Input("input: string")
    .Input("sep: string")
    .Output("indices: int64")
    .Output("values: string")
    .Output("shape: int64")
    .Attr("maxsplit: int = -1")
    .SetShapeFn(SplitShape)
    .Doc(
        "The parts of each string of [n] between the separators sep [], or "
        "between white space if that is empty, split at most attr maxsplit "
        "times, as a sparse matrix with a row for each string: indices "
        "[parts, 2], values [parts], shape [2].");

REGISTER_OP("StringNGrams")
    .Input("data: string")
    .Input("data_splits: Tsplits")
    .Output("ngrams: string")
    .Output("ngrams_splits: Tsplits")
    .Attr("separator: string")
    .Attr("ngram_widths: list(int) >= 0")
    .Attr("left_pad: string")
    .Attr("right_pad: string")
    .Attr("pad_width: int")
    .Attr("preserve_short_sequences: bool")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .SetShapeFn(NGramsShape)
    .Doc(
        "For each row of data [n], which begins and ends at neighbouring "
        "data_splits [rows + 1]: each run of as many of its strings as an "
        "element of attr ngram_widths says, joined; ngrams [m] and their "
        "splits [rows + 1].");

REGISTER_OP("StringFormat")
    .Input("inputs: T")
    .Output("output: string")
    .Attr("T: list(type) >= 0")
    .Attr("template: string = '%s'")
    .Attr("placeholder: string = '%s'")
    .Attr("summarize: int = 3")
    .SetShapeFn([](InferenceContext* c) {
      std::string text, placeholder;
      TF_RETURN_IF_ERROR(c->GetAttr("template", &text));
      TF_RETURN_IF_ERROR(c->GetAttr("placeholder", &placeholder));
      int found = 0;
      for (size_t at = 0; !placeholder.empty() &&
                          (at = text.find(placeholder, at)) != text.npos;
           at += placeholder.size()) {
        ++found;
      }
      if (found != c->num_inputs()) {
        return errors::InvalidArgument("StringFormat: template has ", found,
                                       " placeholders, but there are ",
                                       c->num_inputs(), " inputs");
      }
      c->set_output(0, c->Scalar());
      return OkStatus();
    })
    .Doc(
        "attr template with the values of each input, of any shape, in the "
        "place of a placeholder; of a dimension no more than attr summarize "
        "elements at each end, all if that is -1: [].");

}  // namespace tensorwright
