// SPDX-License-Identifier: Apache-2.0
// Sound: WAV files, spectrograms, and the features by which speech is
// recognized.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The size in an attr; -1 takes the file's.
Status SizeOfAttr(InferenceContext* c, const char* attr, DimensionHandle* dim) {
  int32_t size;
  TF_RETURN_IF_ERROR(c->GetAttr(attr, &size));
  if (size < -1) {
    return errors::InvalidArgument(attr, " must be non-negative or -1, got ",
                                   size);
  }
  *dim = size == -1 ? c->UnknownDim() : c->MakeDim(size);
  return OkStatus();
}

Status DecodeWavShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  DimensionHandle samples, channels;
  TF_RETURN_IF_ERROR(SizeOfAttr(c, "desired_samples", &samples));
  TF_RETURN_IF_ERROR(SizeOfAttr(c, "desired_channels", &channels));
  c->set_output(0, c->Matrix(samples, channels));
  c->set_output(1, c->Scalar());
  return OkStatus();
}

Status EncodeWavShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

// The smallest power of two that is at least n.
int64_t PowerOfTwo(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

Status SpectrogramShape(InferenceContext* c) {
  ShapeHandle input;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &input));
  int32_t window, stride;
  TF_RETURN_IF_ERROR(c->GetAttr("window_size", &window));
  TF_RETURN_IF_ERROR(c->GetAttr("stride", &stride));
  if (window < 2 || stride < 1) {
    return errors::InvalidArgument(
        "window_size must be at least 2 and stride positive, got ", window,
        " and ", stride);
  }
  DimensionHandle frames = c->UnknownDim();
  if (c->ValueKnown(c->Dim(input, 0))) {
    const int64_t rest = c->Value(c->Dim(input, 0)) - window;
    frames = c->MakeDim(rest < 0 ? 0 : 1 + rest / stride);
  }
  c->set_output(0, c->MakeShape({c->Dim(input, 1), frames,
                                 c->MakeDim(1 + PowerOfTwo(window) / 2)}));
  return OkStatus();
}

Status MfccShape(InferenceContext* c) {
  ShapeHandle spectrogram, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &spectrogram));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  int32_t coefficients;
  TF_RETURN_IF_ERROR(c->GetAttr("dct_coefficient_count", &coefficients));
  if (coefficients < 1) {
    return errors::InvalidArgument(
        "dct_coefficient_count must be positive, got ", coefficients);
  }
  c->set_output(0, c->MakeShape({c->Dim(spectrogram, 0), c->Dim(spectrogram, 1),
                                 c->MakeDim(coefficients)}));
  return OkStatus();
}

}  // namespace

REGISTER_OP("DecodeWav")
    .Input("contents: string")
    .Attr("desired_channels: int = -1")
    .Attr("desired_samples: int = -1")
    .Output("audio: float")
    .Output("sample_rate: int32")
    .Needs("unbounded memory")
    .SetShapeFn(DecodeWavShape)
    .Doc(
        "Reads a 16-bit PCM WAV file: contents [] -> audio [samples, channels] "
        "in [-1, 1), sample_rate []. Wanted channels beyond the file's repeat "
        "its last one, wanted samples beyond its end are 0.");

REGISTER_OP("EncodeWav")
    .Input("audio: float")
    .Input("sample_rate: int32")
    .Output("contents: string")
    .SetShapeFn(EncodeWavShape)
    .Doc(
        "Makes a 16-bit PCM WAV file: audio [samples, channels], cut off "
        "outside [-1, 1], sample_rate [] -> contents [].");

REGISTER_OP("AudioSpectrogram")
    .Input("input: float")
    .Attr("window_size: int")
    .Attr("stride: int")
    .Attr("magnitude_squared: bool = false")
    .Output("spectrogram: float")
    .SetShapeFn(SpectrogramShape)
    .Doc(
        "Magnitudes of the Fourier transforms of windows, shaped by Hann's "
        "function and padded to a power of two: input [samples, channels] -> "
        "[channels, frames, 1 + padded / 2].");

REGISTER_OP("Mfcc")
    .Input("spectrogram: float")
    .Input("sample_rate: int32")
    .Attr("upper_frequency_limit: float = 4000")
    .Attr("lower_frequency_limit: float = 20")
    .Attr("filterbank_channel_count: int = 40")
    .Attr("dct_coefficient_count: int = 13")
    .Output("output: float")
    .SetShapeFn(MfccShape)
    .Doc(
        "Mel-frequency cepstral coefficients: spectrogram [channels, frames, "
        "bins] of squared magnitudes, sample_rate [] -> [channels, frames, "
        "coefficients].");

}  // namespace tensorwright
