// SPDX-License-Identifier: Apache-2.0
// Saving tensors to checkpoints of both formats, and restoring them.

#include <string>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor.h"
#include "core/util/saved_tensor_slice_util.h"

namespace tensorwright {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

// Inputs [first, end) are vectors of `n` elements each.
Status CheckVectors(InferenceContext* c, int first, int end, int64_t n) {
  for (int i = first; i < end; ++i) {
    ShapeHandle vector;
    DimensionHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    TF_RETURN_IF_ERROR(c->WithValue(c->Dim(vector, 0), n, &unused));
  }
  return OkStatus();
}

// The inputs are a file's name [], `num_lists` lists with an entry for each
// tensor, and the tensors.
template <int num_lists>
Status SaveShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  return CheckVectors(c, 1, 1 + num_lists, c->num_inputs() - 1 - num_lists);
}

// The shape that a shape-and-slice text gives; unknown if it is empty.
Status ShapeOfSlice(InferenceContext* c, const std::string& text,
                    ShapeHandle* out) {
  *out = c->UnknownShape();
  if (text.empty()) return OkStatus();
  TensorShape full, shape;
  TensorSlice slice;
  TF_RETURN_IF_ERROR(
      checkpoint::ParseShapeAndSlice(text, &full, &slice, &shape));
  return c->MakeShapeFromTensorShape(shape, out);
}

Status RestoreShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  ShapeHandle shape = c->UnknownShape();
  const Tensor* text = c->num_inputs() > 2 ? c->input_tensor(2) : nullptr;
  if (text != nullptr) {
    TF_RETURN_IF_ERROR(
        ShapeOfSlice(c, text->scalar_value<std::string>(), &shape));
  }
  c->set_output(0, shape);
  return OkStatus();
}

Status RestoreV2Shape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TF_RETURN_IF_ERROR(CheckVectors(c, 1, 3, c->num_outputs()));
  const Tensor* texts = c->input_tensor(2);
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle shape = c->UnknownShape();
    if (texts != nullptr) {
      TF_RETURN_IF_ERROR(ShapeOfSlice(c, Flat<std::string>(*texts)[i], &shape));
    }
    c->set_output(i, shape);
  }
  return OkStatus();
}

Status MergeShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  return c->WithRank(c->input(1), 0, &unused);
}

}  // namespace

REGISTER_OP("Save")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .SetIsStateful()
    .Touches("files written")
    .SetShapeFn(SaveShape<1>)
    .Doc(
        "Writes data, any tensors, under tensor_names [n] to a checkpoint file "
        "filename [] of the V1 format.");

REGISTER_OP("SaveSlices")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("shapes_and_slices: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .SetIsStateful()
    .Touches("files written")
    .SetShapeFn(SaveShape<2>)
    .Doc(
        "As Save; where shapes_and_slices [n] is not empty, '4 6 0,2:-', a "
        "tensor is that slice of one of the shape in front.");

REGISTER_OP("SaveV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Input("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .SetIsStateful()
    .Touches("files written")
    .SetShapeFn(SaveShape<2>)
    .Doc(
        "Writes tensors, of any shapes, under tensor_names [n] to a checkpoint "
        "prefix [] of the V2 format; shape_and_slices [n] as of SaveSlices.");

REGISTER_OP("Restore")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Output("tensor: dt")
    .Attr("dt: type")
    .Attr("preferred_shard: int = -1")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(RestoreShape)
    .Doc(
        "The tensor that Save wrote as tensor_name [], from the V1 files that "
        "file_pattern [] matches.");

REGISTER_OP("RestoreSlice")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Input("shape_and_slice: string")
    .Output("tensor: dt")
    .Attr("dt: type")
    .Attr("preferred_shard: int = -1")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(RestoreShape)
    .Doc(
        "As Restore; shape_and_slice [], if not empty, says the tensor's shape "
        "and the slice of it that is wanted.");

REGISTER_OP("RestoreV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Output("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(RestoreV2Shape)
    .Doc(
        "The tensors tensor_names [n] of a checkpoint prefix [], of the V2 "
        "format or, if there is none, the V1 format; shape_and_slices [n] as "
        "of "
        "RestoreSlice.");

REGISTER_OP("MergeV2Checkpoints")
    .Input("checkpoint_prefixes: string")
    .Input("destination_prefix: string")
    .Attr("delete_old_dirs: bool = true")
    .Attr("allow_missing_files: bool = false")
    .SetIsStateful()
    .Touches("files read")
    .Touches("files written")
    .SetShapeFn(MergeShape)
    .Doc(
        "Makes one V2 checkpoint destination_prefix [] of checkpoint_prefixes "
        "[n], whose data files it renames; if delete_old_dirs, removes the "
        "folders that were left empty.");

}  // namespace tensorwright
