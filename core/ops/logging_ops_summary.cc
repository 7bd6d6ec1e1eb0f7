// SPDX-License-Identifier: Apache-2.0
// Summaries: a tensor as a serialized Summary proto, as event files hold them.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

using shape_inference::ScalarShape;

REGISTER_OP("ScalarSummary")
    .Input("tags: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr("T: realnumbertype")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A Summary [] with one number for each of tags [...], of values [...] "
        "of the same shape.");

REGISTER_OP("HistogramSummary")
    .Input("tag: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr("T: realnumbertype = DT_FLOAT")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A Summary [] with the histogram of values [...], which must be "
        "finite, under tag [].");

REGISTER_OP("ImageSummary")
    .Input("tag: string")
    .Input("tensor: T")
    .Output("summary: string")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, float, half, double} = DT_FLOAT")
    .Attr(
        "bad_color: tensor = { dtype: DT_UINT8 tensor_shape: { dim { size: 4 } "
        "} int_val: 255 int_val: 0 int_val: 0 int_val: 255 }")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A Summary [] with the first max_images of tensor [batch, height, "
        "width, channels], channels 1, 3 or 4, as PNG: uint8 as it is, numbers "
        "scaled to [0, 255], with 0 at 127 where some are negative, and "
        "bad_color for a pixel that is not finite.");

REGISTER_OP("AudioSummaryV2")
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Output("summary: string")
    .Attr("max_outputs: int >= 1 = 3")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A Summary [] with the first max_outputs of tensor [batch, frames] or "
        "[batch, frames, channels], samples in [-1, 1], as WAV with "
        "sample_rate Hz, one number.");

REGISTER_OP("AudioSummary")
    .Input("tag: string")
    .Input("tensor: float")
    .Output("summary: string")
    .Attr("sample_rate: float")
    .Attr("max_outputs: int >= 1 = 3")
    .SetShapeFn(ScalarShape)
    .Deprecated(15, "Use AudioSummaryV2.")
    .Doc("AudioSummaryV2 with a sample_rate that does not change.");

REGISTER_OP("TensorSummary")
    .Input("tensor: T")
    .Output("summary: string")
    .Attr("T: type")
    .Attr("description: string = ''")
    .Attr("labels: list(string) = []")
    .Attr("display_name: string = ''")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A Summary [] with tensor [...] under the node's name; the attrs are "
        "for whoever reads the graph.");

REGISTER_OP("TensorSummaryV2")
    .Input("tag: string")
    .Input("tensor: T")
    .Input("serialized_summary_metadata: string")
    .Output("summary: string")
    .Attr("T: type")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A Summary [] with tensor [...] under tag [], with a serialized "
        "SummaryMetadata [].");

REGISTER_OP("MergeSummary")
    .Input("inputs: N * string")
    .Output("summary: string")
    .Attr("N : int >= 1")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A Summary [] with the values of all of inputs, serialized Summaries "
        "[...]; no tag may come twice.");

}  // namespace tensorwright
