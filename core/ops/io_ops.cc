// SPDX-License-Identifier: Apache-2.0
// Whole files, and the names of shards.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

// Every input is a scalar, and so is every output.
Status ScalarsToScalars(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
  return OkStatus();
}

// [] or [patterns] -> [files].
Status MatchingFilesShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &unused));
  c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
  return OkStatus();
}

}  // namespace

REGISTER_OP("MatchingFiles")
    .Input("pattern: string")
    .Output("filenames: string")
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(MatchingFilesShape)
    .Doc(
        "The paths that match a shell pattern, or one of several, sorted: [] "
        "or "
        "[patterns] -> [files].  Wildcards do not match slashes.");

REGISTER_OP("ReadFile")
    .Input("filename: string")
    .Output("contents: string")
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(ScalarsToScalars)
    .Doc("All bytes of a file: [] -> [].");

REGISTER_OP("WriteFile")
    .Input("filename: string")
    .Input("contents: string")
    .Touches("files written")
    .SetShapeFn(ScalarsToScalars)
    .Doc(
        "Makes a file of contents [], or replaces what filename [] has; makes "
        "the folders above it.");

REGISTER_OP("ShardedFilename")
    .Input("basename: string")
    .Input("shard: int32")
    .Input("num_shards: int32")
    .Output("filename: string")
    .SetShapeFn(ScalarsToScalars)
    .Doc(
        "The name of one file of several, basename-00001-of-00004: [], [], [] "
        "-> "
        "[].");

REGISTER_OP("ShardedFilespec")
    .Input("basename: string")
    .Input("num_shards: int32")
    .Output("filename: string")
    .SetShapeFn(ScalarsToScalars)
    .Doc(
        "The pattern of the names of several files, basename-, five question "
        "marks and -of-00004: [], [] -> [].");

}  // namespace tensorwright
