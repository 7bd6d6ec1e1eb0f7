// SPDX-License-Identifier: Apache-2.0
// Numbers and tensors from text and bytes.

#include <cstdint>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor.h"

namespace tensorwright {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

// [...] -> [..., ?].
Status DecodeRawShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(
      c->Concatenate(c->input(0), c->Vector(c->UnknownDim()), &out));
  c->set_output(0, out);
  return OkStatus();
}

// [...] and [] -> [..., fixed_length / size of a number].
Status DecodePaddedRawShape(InferenceContext* c) {
  ShapeHandle out, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  DimensionHandle width = c->UnknownDim();
  if (const Tensor* length = c->input_tensor(1); length != nullptr) {
    DataType dtype;
    TF_RETURN_IF_ERROR(c->GetAttr("out_type", &dtype));
    const int32_t n = length->scalar_value<int32_t>();
    if (n <= 0) {
      return errors::InvalidArgument(
          "DecodePaddedRaw: fixed_length must be greater than zero, got ", n);
    }
    if (n % DataTypeSize(dtype) != 0) {
      return errors::InvalidArgument("DecodePaddedRaw: fixed_length (", n,
                                     ") must be a multiple of the size of ",
                                     DataTypeString(dtype), " (",
                                     DataTypeSize(dtype), ")");
    }
    width = c->MakeDim(n / DataTypeSize(dtype));
  }
  TF_RETURN_IF_ERROR(c->Concatenate(c->input(0), c->Vector(width), &out));
  c->set_output(0, out);
  return OkStatus();
}

// Defaults are [], [1], or [0], which stands for none.
Status DecodeCSVShape(InferenceContext* c) {
  for (int i = 1; i < c->num_inputs(); ++i) {
    ShapeHandle v;
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &v));
    if (c->RankKnown(v) && c->Rank(v) == 1 && c->Value(c->Dim(v, 0)) > 1) {
      return errors::InvalidArgument(
          "Shape of a default must be a length-0 or length-1 vector, or a "
          "scalar.");
    }
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->input(0));
  return OkStatus();
}

Status ParseTensorShape(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  return shape_inference::UnknownShape(c);
}

}  // namespace

REGISTER_OP("DecodeRaw")
    .Input("bytes: string")
    .Output("output: out_type")
    .Attr(
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, "
        "int64, complex64, complex128, bool, bfloat16}")
    .Attr("little_endian: bool = true")
    .SetShapeFn(DecodeRawShape)
    .Doc(
        "The bytes of each string, all of one length, as numbers: [...] -> "
        "[..., numbers].");

REGISTER_OP("DecodePaddedRaw")
    .Input("input_bytes: string")
    .Input("fixed_length: int32")
    .Output("output: out_type")
    .Attr(
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, "
        "int64, bfloat16}")
    .Attr("little_endian: bool = true")
    .Needs("unbounded memory")
    .SetShapeFn(DecodePaddedRawShape)
    .Doc(
        "The first fixed_length [] bytes of each string, zeros where there are "
        "fewer, as numbers: [...] -> [..., numbers].");

REGISTER_OP("DecodeCompressed")
    .Input("bytes: string")
    .Output("output: string")
    .Attr("compression_type: string = ''")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "Each string decompressed; attr compression_type is 'ZLIB', 'GZIP', or "
        "'' for none: [...] -> [...].");

REGISTER_OP("DecodeCSV")
    .Input("records: string")
    .Input("record_defaults: OUT_TYPE")
    .Output("output: OUT_TYPE")
    .Attr("OUT_TYPE: list({float, double, int32, int64, string}) >= 1")
    .Attr("field_delim: string = ','")
    .Attr("use_quote_delim: bool = true")
    .Attr("na_value: string = ''")
    .Attr("select_cols: list(int) = []")
    .SetShapeFn(DecodeCSVShape)
    .Doc(
        "The columns of lines of RFC 4180, or those of attr select_cols; "
        "record_defaults, [1], [] or [0] each, stand in for empty fields: "
        "[...] -> [...] for each column.");

REGISTER_OP("DecodeJSONExample")
    .Input("json_examples: string")
    .Output("binary_examples: string")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Each Example in proto3's JSON as a serialized one: [...] -> [...].");

REGISTER_OP("ParseTensor")
    .Input("serialized: string")
    .Output("output: out_type")
    .Attr("out_type: type")
    .Needs("unbounded memory")
    .SetShapeFn(ParseTensorShape)
    .Doc("The tensor of a serialized TensorProto: [] -> any shape.");

REGISTER_OP("SerializeTensor")
    .Input("tensor: T")
    .Output("serialized: string")
    .Attr("T: type")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("A tensor of any shape as a serialized TensorProto: [].");

REGISTER_OP("StringToNumber")
    .Input("string_tensor: string")
    .Output("output: out_type")
    .Attr("out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("The number that each string says: [...] -> [...].");

}  // namespace tensorwright
