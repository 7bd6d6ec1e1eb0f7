// SPDX-License-Identifier: Apache-2.0
// Ops that read and write files of images.

#include <algorithm>
#include <string>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/ops/image_ops_shapes.h"

namespace tensorwright {
namespace {

using image_shapes::DimensionHandle;
using image_shapes::InferenceContext;
using image_shapes::Scalars;
using image_shapes::ShapeHandle;

Status ReadChannels(InferenceContext* c, DimensionHandle* channels) {
  int64_t n = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("channels", &n));
  if (n != 0 && n != 1 && n != 3 && n != 4) {
    return errors::InvalidArgument("channels must be 0, 1, 3 or 4, got ", n);
  }
  *channels = n == 0 ? c->UnknownDim() : c->MakeDim(n);
  return OkStatus();
}

// A file -> [height, width, channels].
Status DecodeShape(InferenceContext* c) {
  DimensionHandle channels;
  TF_RETURN_IF_ERROR(Scalars(c, 0, 0));
  TF_RETURN_IF_ERROR(ReadChannels(c, &channels));
  c->set_output(0, c->MakeShape({c->UnknownDim(), c->UnknownDim(), channels}));
  return OkStatus();
}

Status DecodeAndCropShape(InferenceContext* c) {
  DimensionHandle channels, unused;
  ShapeHandle window;
  TF_RETURN_IF_ERROR(Scalars(c, 0, 0));
  TF_RETURN_IF_ERROR(ReadChannels(c, &channels));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &window));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(window, 0), 4, &unused));
  DimensionHandle sides[2] = {c->UnknownDim(), c->UnknownDim()};
  const Tensor* value = c->input_tensor(1);
  for (int i = 0; value != nullptr && i < 2; ++i) {
    const int32_t side = value->base<int32_t>()[2 + i];
    if (side <= 0) {
      return errors::InvalidArgument(
          "crop_window must have a positive height and width, got ", side);
    }
    sides[i] = c->MakeDim(side);
  }
  c->set_output(0, c->MakeShape({sides[0], sides[1], channels}));
  return OkStatus();
}

// A file -> [frames, height, width, 3].
Status DecodeGifShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(Scalars(c, 0, 0));
  c->set_output(0, c->MakeShape({c->UnknownDim(), c->UnknownDim(),
                                 c->UnknownDim(), c->MakeDim(3)}));
  return OkStatus();
}

// A file -> [height, width, channels], or with frames before them.
Status DecodeImageShape(InferenceContext* c) {
  bool expand_animations = false;
  TF_RETURN_IF_ERROR(c->GetAttr("expand_animations", &expand_animations));
  TF_RETURN_IF_ERROR(DecodeShape(c));
  if (expand_animations) c->set_output(0, c->UnknownShape());
  return OkStatus();
}

Status ExtractJpegShapeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(Scalars(c, 0, 0));
  c->set_output(0, c->Vector(3));
  return OkStatus();
}

Status CheckEncodeJpegAttrs(InferenceContext* c, DimensionHandle channels) {
  int64_t quality = 0;
  std::string format;
  TF_RETURN_IF_ERROR(c->GetAttr("quality", &quality));
  TF_RETURN_IF_ERROR(c->GetAttr("format", &format));
  if (quality < 0 || quality > 100) {
    return errors::InvalidArgument("quality must be in [0, 100], got ",
                                   quality);
  }
  const int64_t n = format == "grayscale" ? 1 : format == "rgb" ? 3 : 0;
  if (n != 0 && c->ValueKnown(channels) && c->Value(channels) != n) {
    return errors::InvalidArgument("image must have ", n,
                                   " channels for the format '", format,
                                   "', got ", c->Value(channels));
  }
  return OkStatus();
}

// image: [height, width, 1 or 3].
Status EncodeJpegShape(InferenceContext* c) {
  ShapeHandle image;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &image));
  const DimensionHandle channels = c->Dim(image, 2);
  if (c->ValueKnown(channels) && c->Value(channels) != 1 &&
      c->Value(channels) != 3) {
    return errors::InvalidArgument("image must have 1 or 3 channels, got ",
                                   c->Value(channels));
  }
  if (c->num_inputs() == 2) {
    TF_RETURN_IF_ERROR(Scalars(c, 1, 1));
  } else {
    TF_RETURN_IF_ERROR(CheckEncodeJpegAttrs(c, channels));
  }
  c->set_output(0, c->Scalar());
  return OkStatus();
}

// image: [..., height, width, 1 to 4].
Status EncodePngShape(InferenceContext* c) {
  int64_t compression = 0;
  TF_RETURN_IF_ERROR(c->GetAttr("compression", &compression));
  if (compression < -1 || compression > 9) {
    return errors::InvalidArgument("compression must be in [-1, 9], got ",
                                   compression);
  }
  ShapeHandle image, batch;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 3, &image));
  const DimensionHandle channels = c->Dim(image, -1);
  if (c->ValueKnown(channels) &&
      (c->Value(channels) < 1 || c->Value(channels) > 4)) {
    return errors::InvalidArgument("image must have 1 to 4 channels, got ",
                                   c->Value(channels));
  }
  TF_RETURN_IF_ERROR(c->Subshape(image, 0, -3, &batch));
  c->set_output(0, batch);
  return OkStatus();
}

}  // namespace

REGISTER_OP("DecodeBmp")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Needs("unbounded memory")
    .SetShapeFn(DecodeShape)
    .Doc("A BMP file -> [height, width, channels], those of the file.");

REGISTER_OP("DecodeGif")
    .Input("contents: string")
    .Output("image: uint8")
    .Needs("unbounded memory")
    .SetShapeFn(DecodeGifShape)
    .Doc(
        "A GIF file -> [frames, height, width, 3]; a JPEG or PNG file is one "
        "frame.");

REGISTER_OP("DecodeJpeg")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Attr("ratio: int = 1")
    .Attr("fancy_upscaling: bool = true")
    .Attr("try_recover_truncated: bool = false")
    .Attr("acceptable_fraction: float = 1.0")
    .Attr("dct_method: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DecodeShape)
    .Doc(
        "A JPEG file -> [height / ratio, width / ratio, channels]; a PNG or "
        "GIF file of one frame as well.");

REGISTER_OP("DecodeAndCropJpeg")
    .Input("contents: string")
    .Input("crop_window: int32")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Attr("ratio: int = 1")
    .Attr("fancy_upscaling: bool = true")
    .Attr("try_recover_truncated: bool = false")
    .Attr("acceptable_fraction: float = 1.0")
    .Attr("dct_method: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(DecodeAndCropShape)
    .Doc(
        "A JPEG file -> [crop_window[2], crop_window[3], channels]: the part "
        "whose first pixel is at (crop_window[0], crop_window[1]).");

REGISTER_OP("DecodePng")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16} = DT_UINT8")
    .Needs("unbounded memory")
    .SetShapeFn(DecodeShape)
    .Doc(
        "A PNG file -> [height, width, channels]; a JPEG or GIF file of one "
        "frame as well.");

REGISTER_OP("DecodeImage")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16, float32} = DT_UINT8")
    .Attr("expand_animations: bool = true")
    .Needs("unbounded memory")
    .SetShapeFn(DecodeImageShape)
    .Doc(
        "A BMP, GIF, JPEG or PNG file -> [height, width, channels], a GIF "
        "with expand_animations -> [frames, height, width, 3]; the intensities "
        "of the file scaled to dtype.");

REGISTER_OP("ExtractJpegShape")
    .Input("contents: string")
    .Output("image_shape: output_type")
    .Attr("output_type: {int32, int64} = DT_INT32")
    .SetShapeFn(ExtractJpegShapeShape)
    .Doc("The header of a JPEG file -> its [height, width, channels].");

REGISTER_OP("EncodeJpeg")
    .Input("image: uint8")
    .Output("contents: string")
    .Attr("format: {'', 'grayscale', 'rgb'} = ''")
    .Attr("quality: int = 95")
    .Attr("progressive: bool = false")
    .Attr("optimize_size: bool = false")
    .Attr("chroma_downsampling: bool = true")
    .Attr("density_unit: {'in', 'cm'} = 'in'")
    .Attr("x_density: int = 300")
    .Attr("y_density: int = 300")
    .Attr("xmp_metadata: string = ''")
    .SetShapeFn(EncodeJpegShape)
    .Doc("image [height, width, 1 or 3] -> a JPEG file.");

REGISTER_OP("EncodeJpegVariableQuality")
    .Input("images: uint8")
    .Input("quality: int32")
    .Output("contents: string")
    .SetShapeFn(EncodeJpegShape)
    .Doc("images [height, width, 1 or 3] -> a JPEG file of that quality.");

REGISTER_OP("EncodePng")
    .Input("image: T")
    .Output("contents: string")
    .Attr("compression: int = -1")
    .Attr("T: {uint8, uint16} = DT_UINT8")
    .SetShapeFn(EncodePngShape)
    .Doc("image [..., height, width, 1 to 4] -> a PNG file each: [...].");

}  // namespace tensorwright
