// SPDX-License-Identifier: Apache-2.0
// Shape functions as sources for TensorFlow 2.13 and later have them.
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/status.h"
#include "tensorflow/core/platform/statusor.h"

namespace {

using ::tensorflow::shape_inference::DimensionHandle;
using ::tensorflow::shape_inference::InferenceContext;
using ::tensorflow::shape_inference::ShapeHandle;

absl::StatusOr<int64_t> HalfOf(InferenceContext* c, DimensionHandle d) {
  if (!c->ValueKnown(d)) return -1;
  if (c->Value(d) % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("odd: ", c->DebugString(d)));
  }
  return c->Value(d) / 2;
}

absl::Status HalvesShape(InferenceContext* c) {
  ShapeHandle in;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  TF_ASSIGN_OR_RETURN(int64_t half, HalfOf(c, c->Dim(in, -1)));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->ReplaceDim(in, -1, c->MakeDim(half), &out));
  c->set_output(0, out);
  return absl::OkStatus();
}

}  // namespace

REGISTER_OP("CorpusHalves")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: numbertype")
    .SetShapeFn(HalvesShape);

REGISTER_OP("CorpusMixedStatuses")
    .Input("x: float")
    .Input("n: int64")
    .Output("y: float")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle x;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
      ShapeHandle n;
      if (absl::Status s = c->WithRank(c->input(1), 0, &n); !s.ok()) {
        return s;
      }
      if (c->Value(c->Dim(x, 0)) == 13) {
        return tensorflow::errors::InvalidArgument("unlucky");
      }
      if (c->Value(c->Dim(x, 0)) == 14) {
        return absl::UnimplementedError("14");
      }
      const tensorflow::Tensor* value = c->input_tensor(1);
      if (value != nullptr) {
        c->set_output(0, c->Vector(value->scalar<int64_t>()()));
        return absl::OkStatus();
      }
      return tensorflow::shape_inference::UnknownShape(c);
    });

REGISTER_OP("CorpusSameRank")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn([](InferenceContext* c) -> absl::Status {
      return tensorflow::shape_inference::UnchangedShapeWithRankAtLeast(c, 2);
    });
