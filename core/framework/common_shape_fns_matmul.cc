// SPDX-License-Identifier: Apache-2.0
// The shapes of matrix products and biases.
#include "absl/strings/match.h"
#include "core/framework/common_shape_fns.h"

namespace tensorwright {
namespace shape_inference {

Status MatMulShape(InferenceContext* c) {
  ShapeHandle a, b;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  bool transpose_a, transpose_b;
  TF_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
  TF_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));

  const DimensionHandle inner_a = c->Dim(a, transpose_a ? 0 : 1);
  const DimensionHandle inner_b = c->Dim(b, transpose_b ? 1 : 0);
  DimensionHandle merged;
  if (!c->Merge(inner_a, inner_b, &merged).ok()) {
    return errors::InvalidArgument(
        "Matrix size-incompatible: In[0]: ", c->DebugString(a),
        transpose_a ? " (transposed)" : "", ", In[1]: ", c->DebugString(b),
        transpose_b ? " (transposed)" : "",
        ": Dimensions must be equal, but are ", c->Value(inner_a), " and ",
        c->Value(inner_b));
  }
  c->set_output(0, c->Matrix(c->Dim(a, transpose_a ? 1 : 0),
                             c->Dim(b, transpose_b ? 0 : 1)));
  return OkStatus();
}

namespace {

// Whether the channels follow the batch, as in "NCHW" (and "NC..."), and are
// not last. BiasAddV1 has no such attr.
bool ChannelsFirst(InferenceContext* c) {
  return absl::StartsWith(GetNodeAttrString(c->attrs(), "data_format"), "NC");
}

}  // namespace

Status BiasAddShape(InferenceContext* c) {
  const bool channels_first = ChannelsFirst(c);
  ShapeHandle value, bias;
  TF_RETURN_IF_ERROR(
      c->WithRankAtLeast(c->input(0), channels_first ? 3 : 2, &value));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  if (!c->RankKnown(value)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int channels = channels_first ? 1 : c->Rank(value) - 1;
  DimensionHandle merged;
  if (!c->Merge(c->Dim(value, channels), c->Dim(bias, 0), &merged).ok()) {
    return errors::InvalidArgument(
        "Dimensions must be equal, but are ", c->Value(c->Dim(value, channels)),
        " and ", c->Value(c->Dim(bias, 0)),
        ": bias must have as many elements as value has channels, in its "
        "dimension ",
        channels);
  }
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->ReplaceDim(value, channels, merged, &out));
  c->set_output(0, out);
  return OkStatus();
}

Status BiasAddGradShape(InferenceContext* c) {
  const bool channels_first = ChannelsFirst(c);
  ShapeHandle grad;
  TF_RETURN_IF_ERROR(
      c->WithRankAtLeast(c->input(0), channels_first ? 3 : 2, &grad));
  c->set_output(0, c->Vector(c->Dim(grad, channels_first ? 1 : -1)));
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
