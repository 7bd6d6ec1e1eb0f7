// SPDX-License-Identifier: Apache-2.0
// Space moved into batch or channels and back, and patches of images.

#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/util/int_elements.h"
#include "core/util/padding.h"
#include "core/util/tensor_format.h"
#include "core/util/window_attrs.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The part that SpaceToBatchND and its inverse share.  `blocks` has one entry
// for each block dimension; `edges` (paddings or crops, [m, 2]) is null if it
// is not known.
struct SpaceBlocks {
  bool to_batch;
  absl::InlinedVector<int64_t, 4> blocks;
  const Tensor* edges;
};

// One space dimension of the output.
Status SpaceDim(InferenceContext* c, const SpaceBlocks& space, int i,
                DimensionHandle in, DimensionHandle* out) {
  const int64_t block = space.blocks[i];
  if (!space.to_batch) TF_RETURN_IF_ERROR(c->Multiply(in, block, &in));
  if (space.edges == nullptr) {
    *out = c->UnknownDim();
    return OkStatus();
  }
  const int64_t start = IntAt(*space.edges, 2 * i);
  const int64_t end = IntAt(*space.edges, 2 * i + 1);
  const char* what = space.to_batch ? "paddings" : "crops";
  if (start < 0 || end < 0) {
    return errors::InvalidArgument(
        what, "[", i, "] must be non-negative, got [", start, ", ", end, "]");
  }
  if (space.to_batch) {
    TF_RETURN_IF_ERROR(c->Add(in, start, &in));
    TF_RETURN_IF_ERROR(c->Add(in, end, &in));
    return c->Divide(in, block, /*evenly_divisible=*/true, out);
  }
  TF_RETURN_IF_ERROR(c->Subtract(in, start, &in));
  return c->Subtract(in, end, out);
}

// input: [batch, space_1 ... space_m, rest].  Multiplies or divides the batch
// by the product of the blocks, and divides or multiplies space by them, with
// edges added or cut off.
Status SpaceBatchShape(InferenceContext* c, ShapeHandle input,
                       const SpaceBlocks& space) {
  const int m = static_cast<int>(space.blocks.size());
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(input, m + 1, &input));
  int64_t product = 1;
  for (int i = 0; i < m; ++i) {
    if (space.blocks[i] < 1) {
      return errors::InvalidArgument("block_shape[", i, "] must be >= 1, got ",
                                     space.blocks[i]);
    }
    if (__builtin_mul_overflow(product, space.blocks[i], &product)) {
      return errors::InvalidArgument("block_shape's product is too large");
    }
  }
  absl::InlinedVector<DimensionHandle, 8> dims(m + 1);
  const DimensionHandle batch = c->Dim(input, 0);
  TF_RETURN_IF_ERROR(space.to_batch
                         ? c->Multiply(batch, product, &dims[0])
                         : c->Divide(batch, product, true, &dims[0]));
  for (int i = 0; i < m; ++i) {
    TF_RETURN_IF_ERROR(
        SpaceDim(c, space, i, c->Dim(input, i + 1), &dims[i + 1]));
  }
  ShapeHandle out = c->UnknownShape();
  if (c->RankKnown(input)) {
    ShapeHandle rest;
    TF_RETURN_IF_ERROR(c->Subshape(input, m + 1, &rest));
    TF_RETURN_IF_ERROR(
        c->Concatenate(c->MakeShape(absl::MakeConstSpan(dims)), rest, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

// As SpaceBatchShape for m blocks of which no size is known: what follows the
// space stays.
Status UnknownBlocksShape(InferenceContext* c, ShapeHandle input,
                          DimensionHandle m) {
  ShapeHandle out = c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input))
                                        : c->UnknownShape();
  if (c->RankKnown(input) && c->ValueKnown(m)) {
    ShapeHandle rest;
    TF_RETURN_IF_ERROR(c->Subshape(input, c->Value(m) + 1, &rest));
    TF_RETURN_IF_ERROR(
        c->Concatenate(c->UnknownShapeOfRank(c->Value(m) + 1), rest, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

// input, block_shape [m], paddings or crops [m, 2].
Status SpaceBatchNDShape(InferenceContext* c, bool to_batch) {
  ShapeHandle block_shape, edges, input = c->input(0);
  DimensionHandle m, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &block_shape));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 2, &edges));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(edges, 1), 2, &unused));
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(block_shape, 0), c->Dim(edges, 0), &m));
  const int64_t min_rank = c->ValueKnown(m) ? c->Value(m) + 1 : 1;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(input, min_rank, &input));
  const Tensor* blocks = c->input_tensor(1);
  SpaceBlocks space{to_batch, {}, c->input_tensor(2)};
  if (blocks == nullptr) {
    return UnknownBlocksShape(c, input, m);
  }
  for (int64_t i = 0; i < blocks->NumElements(); ++i) {
    space.blocks.push_back(IntAt(*blocks, i));
  }
  return SpaceBatchShape(c, input, space);
}

Status SpaceToBatchNDShape(InferenceContext* c) {
  return SpaceBatchNDShape(c, /*to_batch=*/true);
}
Status BatchToSpaceNDShape(InferenceContext* c) {
  return SpaceBatchNDShape(c, /*to_batch=*/false);
}

// The older form: [batch, height, width, depth], one block_size, edges [2, 2].
Status SpaceBatch2DShape(InferenceContext* c, bool to_batch) {
  ShapeHandle input, edges, two_by_two;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TF_RETURN_IF_ERROR(c->Merge(c->input(1), c->Matrix(2, 2), &two_by_two));
  int64_t block_size = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("block_size", &block_size));
  return SpaceBatchShape(
      c, input, {to_batch, {block_size, block_size}, c->input_tensor(1)});
}

Status SpaceToBatchShape(InferenceContext* c) {
  return SpaceBatch2DShape(c, /*to_batch=*/true);
}
Status BatchToSpaceShape(InferenceContext* c) {
  return SpaceBatch2DShape(c, /*to_batch=*/false);
}

// Divides space by block_size and multiplies channels by its square, or the
// reverse.
Status SpaceDepthShape(InferenceContext* c, bool to_depth) {
  std::string format_name;
  TensorFormat format;
  int64_t block = 0, area = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("data_format", &format_name));
  if (!FormatFromString(format_name, &format)) {
    return errors::InvalidArgument("Invalid data format: ", format_name);
  }
  TF_RETURN_IF_ERROR(c->GetAttr("block_size", &block));
  if (block < 2 || __builtin_mul_overflow(block, block, &area)) {
    return errors::InvalidArgument("block_size must be >= 2, got ", block);
  }
  const bool vect = format == FORMAT_NCHW_VECT_C;
  ShapeHandle in;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), vect ? 5 : 4, &in));
  const int channels = format == FORMAT_NHWC ? 3 : 1;
  const int space = format == FORMAT_NHWC ? 1 : 2;
  absl::InlinedVector<DimensionHandle, 5> dims;
  for (int d = 0; d < (vect ? 5 : 4); ++d) dims.push_back(c->Dim(in, d));
  for (int d : {space, space + 1}) {
    TF_RETURN_IF_ERROR(to_depth
                           ? c->Divide(c->Dim(in, d), block, true, &dims[d])
                           : c->Multiply(c->Dim(in, d), block, &dims[d]));
  }
  TF_RETURN_IF_ERROR(
      to_depth ? c->Multiply(c->Dim(in, channels), area, &dims[channels])
               : c->Divide(c->Dim(in, channels), area, true, &dims[channels]));
  c->set_output(0, c->MakeShape(absl::MakeConstSpan(dims)));
  return OkStatus();
}

Status SpaceToDepthShape(InferenceContext* c) {
  return SpaceDepthShape(c, /*to_depth=*/true);
}
Status DepthToSpaceShape(InferenceContext* c) {
  return SpaceDepthShape(c, /*to_depth=*/false);
}

// images: [batch, rows, cols, depth] -> one patch a window.
Status ExtractImagePatchesShape(InferenceContext* c) {
  ShapeHandle images;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(ReadPatchAttrs(c, &attrs));
  DimensionHandle space[2];
  for (int i = 0; i < 2; ++i) {
    const DimensionHandle size = c->Dim(images, i + 1);
    space[i] = c->UnknownDim();
    if (!c->ValueKnown(size)) continue;
    WindowDim window;
    TF_RETURN_IF_ERROR(attrs.ComputeWindow(i + 1, c->Value(size),
                                           attrs.ksize[i + 1], &window));
    space[i] = c->MakeDim(window.output);
  }
  DimensionHandle depth;
  TF_RETURN_IF_ERROR(c->Multiply(c->Dim(images, 3), attrs.ksize[1], &depth));
  TF_RETURN_IF_ERROR(c->Multiply(depth, attrs.ksize[2], &depth));
  c->set_output(0,
                c->MakeShape({c->Dim(images, 0), space[0], space[1], depth}));
  return OkStatus();
}

}  // namespace

REGISTER_OP("SpaceToBatchND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Needs("unbounded memory")
    .SetShapeFn(SpaceToBatchNDShape)
    .Doc(
        "input [batch, s1 ... sm, ...], zero-padded by paddings [m, 2] -> "
        "[batch * prod(block_shape), s1 / block_shape[0] ..., ...]: the "
        "elements of each block [m] in batches of their own.");

REGISTER_OP("SpaceToBatch")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("block_size: int >= 2")
    .Needs("unbounded memory")
    .SetShapeFn(SpaceToBatchShape)
    .Doc(
        "input [batch, height, width, depth], zero-padded by paddings [2, 2] "
        "-> [batch * block_size^2, height / block_size, width / block_size, "
        "depth].");

REGISTER_OP("BatchToSpaceND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("crops: Tcrops")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tcrops: {int32, int64} = DT_INT32")
    .SetShapeFn(BatchToSpaceNDShape)
    .Doc(
        "The inverse of SpaceToBatchND: input [batch, s1 ... sm, ...] -> "
        "[batch / prod(block_shape), s1 * block_shape[0] ..., ...], of which "
        "crops [m, 2] are cut off.");

REGISTER_OP("BatchToSpace")
    .Input("input: T")
    .Input("crops: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(BatchToSpaceShape)
    .Doc(
        "The inverse of SpaceToBatch: input [batch, height, width, depth] -> "
        "[batch / block_size^2, height * block_size, width * block_size, "
        "depth], of which crops [2, 2] are cut off.");

REGISTER_OP("SpaceToDepth")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .SetShapeFn(SpaceToDepthShape)
    .Doc(
        "input [batch, height, width, depth] -> [batch, height / block_size, "
        "width / block_size, depth * block_size^2]: each block's elements as "
        "channels.");

REGISTER_OP("DepthToSpace")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .SetShapeFn(DepthToSpaceShape)
    .Doc(
        "The inverse of SpaceToDepth: input [batch, height, width, depth] -> "
        "[batch, height * block_size, width * block_size, depth / "
        "block_size^2].");

REGISTER_OP("ExtractImagePatches")
    .Input("images: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
        "uint16, uint32, uint64, complex64, complex128, bool}")
    .Attr(GetPaddingAttrString())
    .SetShapeFn(ExtractImagePatchesShape)
    .Doc(
        "images [batch, rows, cols, depth] -> patches [batch, out_rows, "
        "out_cols, ksizes[1] * ksizes[2] * depth]: the elements of each "
        "window, "
        "zero outside the image.");

}  // namespace tensorwright
