// SPDX-License-Identifier: Apache-2.0
// The shapes of batch normalisation and its gradient.
#include <string>

#include "core/framework/common_shape_fns.h"
#include "core/util/tensor_format.h"

namespace tensorwright {
namespace shape_inference {
namespace {

// The rank of an image, which is the number of letters of its format, and the
// index of its channels.
Status GetRankAndChannel(InferenceContext* c, int* rank, int* index) {
  std::string name;
  TensorFormat format;
  TF_RETURN_IF_ERROR(c->GetAttr("data_format", &name));
  if (!FormatFromString(name, &format)) {
    return errors::InvalidArgument(
        "FusedBatchNorm: Invalid data format string: ", name);
  }
  *rank = static_cast<int>(name.size());
  *index = GetTensorDimIndex(format, 'C', *rank);
  return OkStatus();
}

// Sets *channels to what it and the vector `input` say together; `may_be_empty`
// allows [0].
Status MergeChannels(InferenceContext* c, int input, bool may_be_empty,
                     DimensionHandle* channels) {
  ShapeHandle vector;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(input), 1, &vector));
  const DimensionHandle size = c->Dim(vector, 0);
  if (may_be_empty && (!c->ValueKnown(size) || c->Value(size) == 0)) {
    return OkStatus();
  }
  return c->Merge(*channels, size, channels);
}

}  // namespace

Status FusedBatchNormShape(InferenceContext* c) {
  bool is_training = true;
  TF_RETURN_IF_ERROR(c->GetAttr("is_training", &is_training));
  ShapeHandle x, y;
  int rank = 0, index = 0;
  TF_RETURN_IF_ERROR(GetRankAndChannel(c, &rank, &index));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &x));
  DimensionHandle channels = c->Dim(x, index);
  for (int i = 1; i < 5; ++i) {
    TF_RETURN_IF_ERROR(MergeChannels(c, i, is_training && i > 2, &channels));
  }
  TF_RETURN_IF_ERROR(c->ReplaceDim(x, index, channels, &y));
  c->set_output(0, y);
  for (int i = 1; i < 5; ++i) c->set_output(i, c->Vector(channels));
  if (c->num_outputs() > 5) c->set_output(5, c->Scalar());
  return OkStatus();
}

Status FusedBatchNormGradShape(InferenceContext* c) {
  ShapeHandle x, y_backprop, checked;
  int rank = 0, index = 0;
  TF_RETURN_IF_ERROR(GetRankAndChannel(c, &rank, &index));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &y_backprop));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &x));
  TF_RETURN_IF_ERROR(c->Merge(x, y_backprop, &x));
  DimensionHandle channels = c->Dim(x, index);
  for (int i = 2; i < 5; ++i) {
    TF_RETURN_IF_ERROR(MergeChannels(c, i, /*may_be_empty=*/false, &channels));
  }
  TF_RETURN_IF_ERROR(c->ReplaceDim(x, index, channels, &checked));
  c->set_output(0, checked);
  c->set_output(1, c->Vector(channels));
  c->set_output(2, c->Vector(channels));
  c->set_output(3, c->Vector(0));
  c->set_output(4, c->Vector(0));
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorwright
