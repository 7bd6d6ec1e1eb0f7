// SPDX-License-Identifier: Apache-2.0
// Matrices of checkpoints, whose rows and columns stand for words of
// vocabularies, remapped to other vocabularies.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status RemappingShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  int64_t num_new_vocab;
  TF_RETURN_IF_ERROR(c->GetAttr("num_new_vocab", &num_new_vocab));
  c->set_output(0, c->Vector(num_new_vocab));
  c->set_output(1, c->Scalar());
  return OkStatus();
}

// The path has one element, of any rank, and the values any shape, as in
// TensorFlow: the kernel checks these.
Status RemappedMatrixShape(InferenceContext* c) {
  ShapeHandle unused, rows, cols;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &rows));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 1, &cols));
  int64_t num_rows, num_cols;
  TF_RETURN_IF_ERROR(c->GetAttr("num_rows", &num_rows));
  TF_RETURN_IF_ERROR(c->GetAttr("num_cols", &num_cols));
  DimensionHandle size;
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(rows, 0), num_rows, &size));
  const DimensionHandle given = c->Dim(cols, 0);
  if (c->ValueKnown(given) && c->Value(given) != 0) {
    TF_RETURN_IF_ERROR(c->WithValue(given, num_cols, &size));
  }
  c->set_output(0, c->Matrix(num_rows, num_cols));
  return OkStatus();
}

}  // namespace

REGISTER_OP("GenerateVocabRemapping")
    .Input("new_vocab_file: string")
    .Input("old_vocab_file: string")
    .Output("remapping: int64")
    .Output("num_present: int32")
    .Attr("new_vocab_offset: int >= 0")
    .Attr("num_new_vocab: int >= 0")
    .Attr("old_vocab_size: int >= -1 = -1")
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(RemappingShape)
    .Doc(
        "For each of num_new_vocab lines of new_vocab_file [], from line "
        "new_vocab_offset on, its line in old_vocab_file [], of which "
        "old_vocab_size lines count (-1: all), or -1: remapping "
        "[num_new_vocab]; and how many were found, num_present [].");

REGISTER_OP("LoadAndRemapMatrix")
    .Input("ckpt_path: string")
    .Input("old_tensor_name: string")
    .Input("row_remapping: int64")
    .Input("col_remapping: int64")
    .Input("initializing_values: float")
    .Output("output_matrix: float")
    .Attr("num_rows: int >= 0")
    .Attr("num_cols: int >= 1")
    .Attr("max_rows_in_memory: int = -1")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(RemappedMatrixShape)
    .Doc(
        "Rows row_remapping [num_rows] and columns col_remapping [num_cols] "
        "([0]: all) of the matrix old_tensor_name [] of the checkpoint "
        "ckpt_path []; cells of row or column -1 are initializing_values "
        "[...], in order: -> [num_rows, num_cols].");

}  // namespace tensorwright
