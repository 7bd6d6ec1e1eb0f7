// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of the innermost dimensions.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

template <int kRank>
Status ComplexShape(InferenceContext* c) {
  return shape_inference::UnchangedShapeWithRankAtLeast(c, kRank);
}

// The innermost dimensions have the sizes in fft_length; if `forward`, for real
// input, the last one has half its size plus one.
Status RealShape(InferenceContext* c, int rank, bool forward) {
  ShapeHandle in, length;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &in));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &length));
  DimensionHandle unused;
  if (!c->WithValue(c->Dim(length, 0), rank, &unused).ok()) {
    return errors::InvalidArgument("fft_length must have shape [", rank,
                                   "], got shape ", c->DebugString(length));
  }
  if (!c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const Tensor* value = c->input_tensor(1);
  ShapeHandle out = in;
  for (int i = 0; i < rank; ++i) {
    DimensionHandle dim = c->UnknownDim();
    if (value != nullptr) {
      int64_t n = value->base<int32_t>()[i];
      if (n < 0) {
        return errors::InvalidArgument("fft_length[", i, "] must be >= 0, got ",
                                       n);
      }
      if (forward && i + 1 == rank && n > 0) n = n / 2 + 1;
      dim = c->MakeDim(n);
    }
    TF_RETURN_IF_ERROR(c->ReplaceDim(out, i - rank, dim, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

template <int kRank>
Status RfftShape(InferenceContext* c) {
  return RealShape(c, kRank, /*forward=*/true);
}

template <int kRank>
Status IrfftShape(InferenceContext* c) {
  return RealShape(c, kRank, /*forward=*/false);
}

// There are as many lengths as axes, and only those dimensions change; the last
// one has half its size plus one if `half`.
Status AxesShape(InferenceContext* c, bool real, bool half) {
  ShapeHandle in = c->input(0), lengths, axes, same;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &lengths));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &axes));
  TF_RETURN_IF_ERROR(c->Merge(lengths, axes, &same));
  const DimensionHandle count = c->Dim(same, 0);
  if (real && c->ValueKnown(count) && c->Value(count) == 0) {
    return errors::InvalidArgument("there must be an axis, axes has shape [0]");
  }
  if (!c->RankKnown(in)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  const int64_t rank = c->Rank(in);
  if (c->ValueKnown(count) && c->Value(count) > rank) {
    return errors::InvalidArgument(
        "input must have a dimension for each of axes ", c->DebugString(same),
        ", got shape ", c->DebugString(in));
  }
  const Tensor* axis_values = c->input_tensor(2);
  const Tensor* length_values = c->input_tensor(1);
  if (axis_values == nullptr) {
    c->set_output(0, c->UnknownShapeOfRank(rank));
    return OkStatus();
  }
  const int64_t n = axis_values->NumElements();
  ShapeHandle out = in;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t axis = axis_values->base<int32_t>()[i];
    if (axis < -rank || axis >= rank) {
      return errors::InvalidArgument("axes[", i, "] must be in [", -rank, ", ",
                                     rank, "), got ", axis);
    }
    DimensionHandle dim = c->UnknownDim();
    if (length_values != nullptr) {
      int64_t length = length_values->base<int32_t>()[i];
      if (length < 0) {
        return errors::InvalidArgument("fft_length[", i, "] must be >= 0, got ",
                                       length);
      }
      if (half && i + 1 == n && length > 0) length = length / 2 + 1;
      dim = c->MakeDim(length);
    }
    TF_RETURN_IF_ERROR(c->ReplaceDim(out, axis, dim, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

Status FftNdShape(InferenceContext* c) { return AxesShape(c, false, false); }
Status RfftNdShape(InferenceContext* c) { return AxesShape(c, true, true); }
Status IrfftNdShape(InferenceContext* c) { return AxesShape(c, true, false); }

constexpr char kComplexes[] =
    "Tcomplex: {complex64, complex128} = DT_COMPLEX64";
constexpr char kReals[] = "Treal: {float, double} = DT_FLOAT";

}  // namespace

REGISTER_OP("FFT")
    .Input("input: Tcomplex")
    .Output("output: Tcomplex")
    .Attr(kComplexes)
    .SetShapeFn(ComplexShape<1>)
    .Doc(
        "The discrete Fourier transform of each innermost vector: output[k] = "
        "sum_j input[j] exp(-2 pi i j k / n), in the shape of input.");

REGISTER_OP("IFFT")
    .Input("input: Tcomplex")
    .Output("output: Tcomplex")
    .Attr(kComplexes)
    .SetShapeFn(ComplexShape<1>)
    .Doc("The inverse of FFT: with the other sign, divided by n.");

REGISTER_OP("FFT2D")
    .Input("input: Tcomplex")
    .Output("output: Tcomplex")
    .Attr(kComplexes)
    .SetShapeFn(ComplexShape<2>)
    .Doc("FFT along the last two dimensions, in the shape of input.");

REGISTER_OP("IFFT2D")
    .Input("input: Tcomplex")
    .Output("output: Tcomplex")
    .Attr(kComplexes)
    .SetShapeFn(ComplexShape<2>)
    .Doc("The inverse of FFT2D, in the shape of input.");

REGISTER_OP("FFT3D")
    .Input("input: Tcomplex")
    .Output("output: Tcomplex")
    .Attr(kComplexes)
    .SetShapeFn(ComplexShape<3>)
    .Doc("FFT along the last three dimensions, in the shape of input.");

REGISTER_OP("IFFT3D")
    .Input("input: Tcomplex")
    .Output("output: Tcomplex")
    .Attr(kComplexes)
    .SetShapeFn(ComplexShape<3>)
    .Doc("The inverse of FFT3D, in the shape of input.");

REGISTER_OP("RFFT")
    .Input("input: Treal")
    .Input("fft_length: int32")
    .Output("output: Tcomplex")
    .Attr(kReals)
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(RfftShape<1>)
    .Doc(
        "FFT of the first fft_length [1] elements of real vectors: [..., m] -> "
        "[..., fft_length / 2 + 1], the rest being the conjugates of these.");

REGISTER_OP("IRFFT")
    .Input("input: Tcomplex")
    .Input("fft_length: int32")
    .Output("output: Treal")
    .Attr(kReals)
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(IrfftShape<1>)
    .Doc(
        "The inverse of RFFT, of the first fft_length / 2 + 1 elements: [..., "
        "m] -> [..., fft_length].");

REGISTER_OP("RFFT2D")
    .Input("input: Treal")
    .Input("fft_length: int32")
    .Output("output: Tcomplex")
    .Attr(kReals)
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(RfftShape<2>)
    .Doc(
        "RFFT along the last dimension, then FFT along the one before: "
        "fft_length [2] -> [..., fft_length[0], fft_length[1] / 2 + 1].");

REGISTER_OP("IRFFT2D")
    .Input("input: Tcomplex")
    .Input("fft_length: int32")
    .Output("output: Treal")
    .Attr(kReals)
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(IrfftShape<2>)
    .Doc("The inverse of RFFT2D: [..., m, n] -> [..., *fft_length].");

REGISTER_OP("RFFT3D")
    .Input("input: Treal")
    .Input("fft_length: int32")
    .Output("output: Tcomplex")
    .Attr(kReals)
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(RfftShape<3>)
    .Doc(
        "RFFT along the last dimension, then FFT along the two before: "
        "fft_length [3] -> [..., fft_length[:2], fft_length[2] / 2 + 1].");

REGISTER_OP("IRFFT3D")
    .Input("input: Tcomplex")
    .Input("fft_length: int32")
    .Output("output: Treal")
    .Attr(kReals)
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(IrfftShape<3>)
    .Doc("The inverse of RFFT3D: [..., l, m, n] -> [..., *fft_length].");

REGISTER_OP("FFTND")
    .Input("input: Tcomplex")
    .Input("fft_length: int32")
    .Input("axes: int32")
    .Output("output: Tcomplex")
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(FftNdShape)
    .Doc(
        "FFT along each of axes [n], of the first fft_length [n] elements: "
        "these are the output's sizes there.");

REGISTER_OP("IFFTND")
    .Input("input: Tcomplex")
    .Input("fft_length: int32")
    .Input("axes: int32")
    .Output("output: Tcomplex")
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(FftNdShape)
    .Doc("The inverse of FFTND: fft_length [n] and axes [n] as there.");

REGISTER_OP("RFFTND")
    .Input("input: Treal")
    .Input("fft_length: int32")
    .Input("axes: int32")
    .Output("output: Tcomplex")
    .Attr(kReals)
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(RfftNdShape)
    .Doc(
        "RFFT along the last of axes [n], then FFT along the others, of the "
        "first fft_length [n] elements: sizes fft_length, of the last axis "
        "fft_length / 2 + 1.");

REGISTER_OP("IRFFTND")
    .Input("input: Tcomplex")
    .Input("fft_length: int32")
    .Input("axes: int32")
    .Output("output: Treal")
    .Attr(kReals)
    .Attr(kComplexes)
    .Needs("unbounded memory")
    .SetShapeFn(IrfftNdShape)
    .Doc("The inverse of RFFTND: sizes fft_length [n] along axes [n].");

// ---- Deprecated forms, whose names tell that they take batches.

REGISTER_OP("BatchFFT")
    .Input("input: complex64")
    .Output("output: complex64")
    .Deprecated(15, "Use FFT")
    .SetShapeFn(ComplexShape<1>)
    .Doc("As FFT, in the shape of input.");

REGISTER_OP("BatchIFFT")
    .Input("input: complex64")
    .Output("output: complex64")
    .Deprecated(15, "Use IFFT")
    .SetShapeFn(ComplexShape<1>)
    .Doc("As IFFT, in the shape of input.");

REGISTER_OP("BatchFFT2D")
    .Input("input: complex64")
    .Output("output: complex64")
    .Deprecated(15, "Use FFT2D")
    .SetShapeFn(ComplexShape<2>)
    .Doc("As FFT2D, in the shape of input.");

REGISTER_OP("BatchIFFT2D")
    .Input("input: complex64")
    .Output("output: complex64")
    .Deprecated(15, "Use IFFT2D")
    .SetShapeFn(ComplexShape<2>)
    .Doc("As IFFT2D, in the shape of input.");

REGISTER_OP("BatchFFT3D")
    .Input("input: complex64")
    .Output("output: complex64")
    .Deprecated(15, "Use FFT3D")
    .SetShapeFn(ComplexShape<3>)
    .Doc("As FFT3D, in the shape of input.");

REGISTER_OP("BatchIFFT3D")
    .Input("input: complex64")
    .Output("output: complex64")
    .Deprecated(15, "Use IFFT3D")
    .SetShapeFn(ComplexShape<3>)
    .Doc("As IFFT3D, in the shape of input.");

}  // namespace tensorwright
