// SPDX-License-Identifier: Apache-2.0
// Shape functions that many ops share, and the arithmetic of windows.
//
// Implemented by subject: common_shape_fns.cc (simple ones),
// common_shape_fns_broadcast.cc, _matmul.cc, _conv.cc, _pool.cc, _norm.cc,
// _reduction.cc, _concat.cc, _window.cc.  A rule that one op family alone needs
// stands in core/ops with the family.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_COMMON_SHAPE_FNS_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_COMMON_SHAPE_FNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/shape_inference.h"
#include "core/lib/core/status.h"
#include "core/util/padding.h"
#include "core/util/tensor_format.h"

namespace tensorwright {

// ---- Windows.  For one spatial dimension: how many windows of `filter_size`
// elements, `stride` apart, there are, and how many zeros stand before (and
// after) the input.  InvalidArgument if a size is out of range.

Status GetWindowedOutputSize(int64_t input_size, int64_t filter_size,
                             int64_t stride, Padding padding_type,
                             int64_t* output_size, int64_t* padding_size);
// `dilation_rate` - 1 gaps between a filter's elements.
Status GetWindowedOutputSizeV2(int64_t input_size, int64_t filter_size,
                               int64_t dilation_rate, int64_t stride,
                               Padding padding_type, int64_t* output_size,
                               int64_t* padding_size);
Status GetWindowedOutputSizeVerbose(int64_t input_size, int64_t filter_size,
                                    int64_t stride, Padding padding_type,
                                    int64_t* output_size,
                                    int64_t* padding_before,
                                    int64_t* padding_after);
Status GetWindowedOutputSizeVerboseV2(int64_t input_size, int64_t filter_size,
                                      int64_t dilation_rate, int64_t stride,
                                      Padding padding_type,
                                      int64_t* output_size,
                                      int64_t* padding_before,
                                      int64_t* padding_after);

namespace shape_inference {

// The same on dimensions that may be unknown.
Status GetWindowedOutputSizeFromDims(InferenceContext* c,
                                     DimensionHandle input_size,
                                     DimensionOrConstant filter_size,
                                     int64_t stride, Padding padding_type,
                                     DimensionHandle* output_size);
Status GetWindowedOutputSizeFromDimsV2(InferenceContext* c,
                                       DimensionHandle input_size,
                                       DimensionOrConstant filter_size,
                                       int64_t dilation_rate, int64_t stride,
                                       Padding padding_type,
                                       DimensionHandle* output_size);

// ---- Simple ones.

// The first output has the first input's shape.
Status UnchangedShape(InferenceContext* c);
// As UnchangedShape, and passes on what is known of the tensor behind a
// resource handle.
Status UnchangedShapeWithHandleData(InferenceContext* c);
Status UnchangedShapeWithRank(InferenceContext* c, int32_t rank);
Status UnchangedShapeWithRankAtLeast(InferenceContext* c, int32_t rank);
Status UnchangedShapeWithRankAtMost(InferenceContext* c, int32_t rank);
Status ScalarShape(InferenceContext* c);
Status NoOutputs(InferenceContext* c);
// Every output is unknown.
Status UnknownShape(InferenceContext* c);
// Both inputs have one shape, the first output's.
Status MergeBothInputsShapeFn(InferenceContext* c);
// The first output is attr "shape".
Status ExplicitShape(InferenceContext* c);
// The outputs are attr "shapes" or "output_shapes".
Status ExplicitShapes(InferenceContext* c);
// InvalidArgument unless the inputs from `first` on have one shape, which is
// put into *merged.
Status MergeInputs(InferenceContext* c, int first, ShapeHandle* merged);

// ---- Broadcasting.

// The shape of a binary op's output by NumPy's rules.
Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* c,
                                            ShapeHandle shape_x,
                                            ShapeHandle shape_y,
                                            ShapeHandle* out);
Status BroadcastBinaryOpOutputShapeFn(InferenceContext* c, int output_index);
Status BroadcastBinaryOpShapeFn(InferenceContext* c);

// ---- Matrices and biases.

Status MatMulShape(InferenceContext* c);
Status BiasAddShape(InferenceContext* c);
Status BiasAddGradShape(InferenceContext* c);

// ---- Convolution and pooling.  Attrs strides, padding, for pools ksize; if
// the op has them also data_format, dilations, explicit_paddings.  A gradient's
// output has the shape that its `..._sizes` input holds.

Status Conv2DShape(InferenceContext* c);
Status Conv2DBackpropInputShape(InferenceContext* c);
Status Conv2DBackpropFilterShape(InferenceContext* c);
// input [n, h, w, c], filter [kh, kw, c, m] -> [n, oh, ow, c * m].
Status DepthwiseConv2DNativeShape(InferenceContext* c);
Status DepthwiseConv2DNativeBackpropInputShape(InferenceContext* c);
Status DepthwiseConv2DNativeBackpropFilterShape(InferenceContext* c);
// The same with planes: input [n, d, h, w, c], filter [kd, kh, kw, c, m].
Status Conv3DShape(InferenceContext* c);
Status Conv3DBackpropInputShape(InferenceContext* c);
Status Conv3DBackpropFilterShape(InferenceContext* c);
// Inputs: input, filter, out_backprop.  The result is like input `like`.
Status Conv3DBackpropLikeInputShape(InferenceContext* c, int like);

Status MaxPoolShape(InferenceContext* c);
// orig_input, orig_output, grad -> a gradient in the shape of orig_input.
Status MaxPoolGradShape(InferenceContext* c);
// orig_input, orig_output, grad in the shape of orig_input -> orig_output's.
Status MaxPoolGradGradShape(InferenceContext* c);
// Outputs: the maxima and their positions.
Status MaxPoolWithArgmaxShape(InferenceContext* c);
// Inputs: input, grad, argmax, as for the two gradients above.
Status MaxPoolGradWithArgmaxShape(InferenceContext* c, bool second);
Status AvgPoolShape(InferenceContext* c);
Status AvgPoolGradShape(InferenceContext* c);
Status Pool3DShape(InferenceContext* c);
Status MaxPool3DGradShape(InferenceContext* c);
Status MaxPool3DGradGradShape(InferenceContext* c);
Status AvgPool3DGradShape(InferenceContext* c);

// ---- Batch normalisation: attrs data_format, is_training.

// x [n, ..., c] (or [n, c, ...]), scale, offset, mean and variance [c] (the
// latter two may be empty in training) -> y like x, four statistics [c].
Status FusedBatchNormShape(InferenceContext* c);
// y_backprop, x, scale and two statistics [c] -> the gradients of x, scale and
// offset, and two empty ones.
Status FusedBatchNormGradShape(InferenceContext* c);

// ---- Reductions: input, axes (scalar or vector), attr keep_dims.

Status ReductionShape(InferenceContext* c);
// ---- Concatenation and slices.

// concat_dim first, then values; `num_inputs_to_concat` of them.
Status ConcatShape(InferenceContext* c, int num_inputs_to_concat);
// Values, then axis.
Status ConcatV2Shape(InferenceContext* c);
// input, begin, size, of which `begin` and `size` may be known in part.
Status SliceShape(InferenceContext* c);
// The shape of the slice of `input` that `begin` and `sizes` describe.
Status SliceHelper(InferenceContext* c, ShapeHandle begin_value,
                   const Tensor* sizes_value, ShapeHandle* dims);

// A position among `rank` dimensions, negative ones counted from the end;
// InvalidArgument, naming the argument, if it is out of range.
Status NormalizeAxis(absl::string_view argument, int64_t axis, int64_t rank,
                     int64_t* normalized);

}  // namespace shape_inference
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_COMMON_SHAPE_FNS_H_
