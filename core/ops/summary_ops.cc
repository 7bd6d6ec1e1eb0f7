// SPDX-License-Identifier: Apache-2.0
// Writers of event files that a graph's own ops write to.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// An input with any number of elements.
constexpr int kAny = -1;
// An input with one element, of any rank, which TensorFlow takes for a scalar;
// it refuses some other inputs that are none.
constexpr int kOne = -2;
constexpr int kScalar = 0;

// There are no outputs; each input is of one of these kinds, or has the rank
// given.
std::function<Status(InferenceContext*)> Inputs(std::vector<int> kinds) {
  return [kinds = std::move(kinds)](InferenceContext* c) {
    for (size_t i = 0; i < kinds.size(); ++i) {
      const ShapeHandle input = c->input(i);
      if (kinds[i] == kAny) continue;
      if (kinds[i] != kOne) {
        ShapeHandle unused;
        TF_RETURN_IF_ERROR(c->WithRank(input, kinds[i], &unused));
      } else if (c->FullyDefined(input) &&
                 c->Value(c->NumElements(input)) != 1) {
        return errors::InvalidArgument("input ", i,
                                       " must have one element, got shape ",
                                       c->DebugString(input));
      }
    }
    return OkStatus();
  };
}

}  // namespace

REGISTER_OP("SummaryWriter")
    .Output("writer: resource")
    .Attr("shared_name: string = ''")
    .Attr("container: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The handle [] of a writer, which CreateSummaryFileWriter makes.");

REGISTER_OP("CreateSummaryFileWriter")
    .Input("writer: resource")
    .Input("logdir: string")
    .Input("max_queue: int32")
    .Input("flush_millis: int32")
    .Input("filename_suffix: string")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kScalar, kScalar, kScalar, kScalar}))
    .Doc(
        "Begins an event file in folder logdir [], unless the writer [] has "
        "one; events are written when more than max_queue [] wait, or the "
        "last were written flush_millis [] ago.");

REGISTER_OP("FlushSummaryWriter")
    .Input("writer: resource")
    .SetIsStateful()
    .Touches("files written")
    .SetShapeFn(Inputs({kOne}))
    .Doc("Writes the events that wait in the writer [].");

REGISTER_OP("CloseSummaryWriter")
    .Input("writer: resource")
    .SetIsStateful()
    .Touches("files written")
    .SetShapeFn(Inputs({kOne}))
    .Doc("Writes the events that wait in the writer [], and deletes it.");

REGISTER_OP("WriteSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: T")
    .Input("tag: string")
    .Input("summary_metadata: string")
    .Attr("T: type")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kOne, kAny, kOne, kOne}))
    .Doc(
        "Writes tensor [...] under tag [], with a serialized SummaryMetadata "
        "[], or none if that is empty, as an event of step [].");

REGISTER_OP("WriteRawProtoSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: string")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kScalar, kAny}))
    .Doc(
        "Writes the values of all serialized Summaries of tensor [...] as one "
        "event of step [].");

REGISTER_OP("ImportEvent")
    .Input("writer: resource")
    .Input("event: string")
    .Touches("files read")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kOne}))
    .Doc("Writes a serialized Event [].");

REGISTER_OP("WriteScalarSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("value: T")
    .Attr("T: realnumbertype")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kOne, kOne, kOne}))
    .Doc("Writes the number value [] under tag [] as an event of step [].");

REGISTER_OP("WriteHistogramSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("values: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64, bool} = DT_FLOAT")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kOne, kOne, kAny}))
    .Doc(
        "Writes the histogram of values [...], which must be finite, under "
        "tag [] as an event of step [].");

REGISTER_OP("WriteImageSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("tensor: T")
    .Input("bad_color: uint8")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, double, float, half} = DT_FLOAT")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kOne, kOne, 4, 1}))
    .Doc(
        "Writes the first max_images of tensor [batch, height, width, "
        "channels] as PNG under tag [], pixels that are not finite in "
        "bad_color [channels or more], as an event of step [].");

REGISTER_OP("WriteAudioSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Attr("max_outputs: int >= 1 = 3")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kOne, kOne, kAny, kOne}))
    .Doc(
        "Writes the first max_outputs of tensor [batch, frames] or [batch, "
        "frames, channels] as WAV of sample_rate [] Hz under tag [] as an "
        "event of step [].");

REGISTER_OP("WriteGraphSummary")
    .Input("writer: resource")
    .Input("step: int64")
    .Input("tensor: string")
    .Touches("files written")
    .SetShapeFn(Inputs({kOne, kOne, kOne}))
    .Doc("Writes a serialized GraphDef [] as an event of step [].");

}  // namespace tensorwright
