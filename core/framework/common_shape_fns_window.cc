// SPDX-License-Identifier: Apache-2.0
// TensorFlow's functions for windows, over core/util/window_geometry.
#include "core/framework/common_shape_fns.h"
#include "core/util/window_geometry.h"

namespace tensorwright {

Status GetWindowedOutputSizeVerboseV2(int64_t input_size, int64_t filter_size,
                                      int64_t dilation_rate, int64_t stride,
                                      Padding padding_type,
                                      int64_t* output_size,
                                      int64_t* padding_before,
                                      int64_t* padding_after) {
  WindowDim window;
  window.input = input_size;
  window.filter = filter_size;
  window.dilation = dilation_rate;
  window.stride = stride;
  window.pad_before = *padding_before;
  window.pad_after = *padding_after;
  if (padding_type == VALID) {
    // Convolutions and pools refuse windows larger than the image.  This
    // function divides input - window + stride by the stride, as TensorFlow's
    // does, and refuses a negative result: a fraction is no window.
    WindowDim checked = window;
    TF_RETURN_IF_ERROR(ComputeWindow(SAME, &checked));
    const int64_t rest = input_size - (filter_size - 1) * dilation_rate - 1;
    if (rest < 0 && (rest + stride) / stride == 0) {
      *output_size = *padding_before = *padding_after = 0;
      return OkStatus();
    }
  }
  TF_RETURN_IF_ERROR(ComputeWindow(padding_type, &window));
  *output_size = window.output;
  *padding_before = window.pad_before;
  *padding_after = window.pad_after;
  return OkStatus();
}

Status GetWindowedOutputSizeVerbose(int64_t input_size, int64_t filter_size,
                                    int64_t stride, Padding padding_type,
                                    int64_t* output_size,
                                    int64_t* padding_before,
                                    int64_t* padding_after) {
  return GetWindowedOutputSizeVerboseV2(
      input_size, filter_size, /*dilation_rate=*/1, stride, padding_type,
      output_size, padding_before, padding_after);
}

Status GetWindowedOutputSizeV2(int64_t input_size, int64_t filter_size,
                               int64_t dilation_rate, int64_t stride,
                               Padding padding_type, int64_t* output_size,
                               int64_t* padding_size) {
  if (padding_type == EXPLICIT) {
    return errors::Internal(
        "explicit padding needs GetWindowedOutputSizeVerbose");
  }
  int64_t after = 0;
  return GetWindowedOutputSizeVerboseV2(input_size, filter_size, dilation_rate,
                                        stride, padding_type, output_size,
                                        padding_size, &after);
}

Status GetWindowedOutputSize(int64_t input_size, int64_t filter_size,
                             int64_t stride, Padding padding_type,
                             int64_t* output_size, int64_t* padding_size) {
  return GetWindowedOutputSizeV2(input_size, filter_size, /*dilation_rate=*/1,
                                 stride, padding_type, output_size,
                                 padding_size);
}

namespace shape_inference {

Status GetWindowedOutputSizeFromDimsV2(InferenceContext* c,
                                       DimensionHandle input_size,
                                       DimensionOrConstant filter_size,
                                       int64_t dilation_rate, int64_t stride,
                                       Padding padding_type,
                                       DimensionHandle* output_size) {
  if (!c->ValueKnown(input_size) || !c->ValueKnown(filter_size)) {
    *output_size = c->UnknownDim();
    return OkStatus();
  }
  int64_t size = 0, padding = 0;
  TF_RETURN_IF_ERROR(GetWindowedOutputSizeV2(
      c->Value(input_size), c->Value(filter_size), dilation_rate, stride,
      padding_type, &size, &padding));
  *output_size = c->MakeDim(size);
  return OkStatus();
}

Status GetWindowedOutputSizeFromDims(InferenceContext* c,
                                     DimensionHandle input_size,
                                     DimensionOrConstant filter_size,
                                     int64_t stride, Padding padding_type,
                                     DimensionHandle* output_size) {
  return GetWindowedOutputSizeFromDimsV2(c, input_size, filter_size,
                                         /*dilation_rate=*/1, stride,
                                         padding_type, output_size);
}

}  // namespace shape_inference
}  // namespace tensorwright
