// SPDX-License-Identifier: Apache-2.0
// A convolution's attrs: strides, padding, data format, output sizes.
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/kernel_shape_util.h"
#include "tensorflow/core/framework/numeric_op.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/kernels/bounds_check.h"
#include "tensorflow/core/kernels/ops_util.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/lib/strings/numbers.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/platform/macros.h"
#include "tensorflow/core/util/padding.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

REGISTER_OP("CorpusPatches")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, float}")
    .Attr("strides: list(int)")
    .Attr(GetPaddingAttrString())
    .Attr(GetConvnetDataFormatAttrString())
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle input_shape;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input_shape));
      ShapeHandle filter_shape;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter_shape));
      std::vector<int32> strides;
      TF_RETURN_IF_ERROR(c->GetAttr("strides", &strides));
      if (strides.size() != 4) {
        return errors::InvalidArgument(
            "CorpusPatches requires the stride attribute to contain 4 values, "
            "but got: ",
            strides.size());
      }
      string data_format;
      Status s = c->GetAttr("data_format", &data_format);
      int32 stride_rows, stride_cols;
      if (s.ok() && data_format == "NCHW") {
        auto dim = [&](char dimension) {
          return c->Dim(input_shape,
                        GetTensorDimIndex<2>(FORMAT_NCHW, dimension));
        };
        input_shape = c->MakeShape({{dim('N'), dim('0'), dim('1'), dim('C')}});
        stride_rows = strides[2];
        stride_cols = strides[3];
      } else {
        stride_rows = strides[1];
        stride_cols = strides[2];
      }
      DimensionHandle batch = c->Dim(input_shape, 0);
      DimensionHandle in_rows = c->Dim(input_shape, 1);
      DimensionHandle in_cols = c->Dim(input_shape, 2);
      DimensionHandle depth;
      TF_RETURN_IF_ERROR(
          c->Merge(c->Dim(input_shape, 3), c->Dim(filter_shape, 2), &depth));
      Padding padding;
      TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
      DimensionHandle rows, cols;
      TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDims(
          c, in_rows, c->Dim(filter_shape, 0), stride_rows, padding, &rows));
      TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDims(
          c, in_cols, c->Dim(filter_shape, 1), stride_cols, padding, &cols));
      ShapeHandle out;
      if (data_format == "NCHW") {
        out = c->MakeShape({batch, c->Dim(filter_shape, 3), rows, cols});
      } else {
        out = c->MakeShape({batch, rows, cols, c->Dim(filter_shape, 3)});
      }
      c->set_output(0, out);
      return Status::OK();
    });

template <typename T>
class PatchesOp : public BinaryOp<T> {
 public:
  explicit PatchesOp(OpKernelConstruction* context) : BinaryOp<T>(context) {
    OP_REQUIRES_OK(context, context->GetAttr("strides", &strides_));
    string data_format;
    OP_REQUIRES_OK(context, context->GetAttr("data_format", &data_format));
    OP_REQUIRES(context, FormatFromString(data_format, &data_format_),
                errors::InvalidArgument("Invalid data format"));
    OP_REQUIRES(context, strides_.size() == 4,
                errors::InvalidArgument("Sliding window strides field must "
                                        "specify 4 dimensions"));
    const int64 stride_n = GetTensorDim(strides_, data_format_, 'N');
    const int64 stride_c = GetTensorDim(strides_, data_format_, 'C');
    OP_REQUIRES(
        context, stride_n == 1 && stride_c == 1,
        errors::Unimplemented("no strides in the batch and depth dimensions"));
    OP_REQUIRES_OK(context, context->GetAttr("padding", &padding_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& filter = context->input(1);
    for (int i = 0; i < 3; i++) {
      OP_REQUIRES(
          context,
          FastBoundsCheck(filter.dim_size(i), std::numeric_limits<int>::max()),
          errors::InvalidArgument("filter too large"));
    }
    const int64 input_rows = GetTensorDim(input, data_format_, 'H');
    const int64 input_cols = GetTensorDim(input, data_format_, 'W');
    const int64 batch = GetTensorDim(input.shape(), data_format_, 'N');
    int64 out_rows = 0, out_cols = 0, pad_rows = 0, pad_cols = 0, pad_after;
    OP_REQUIRES_OK(context, GetWindowedOutputSize(
                                input_rows, filter.dim_size(0),
                                GetTensorDim(strides_, data_format_, 'H'),
                                padding_, &out_rows, &pad_rows));
    OP_REQUIRES_OK(context, GetWindowedOutputSizeVerbose(
                                input_cols, filter.dim_size(1),
                                GetTensorDim(strides_, data_format_, 'W'),
                                padding_, &out_cols, &pad_cols, &pad_after));
    TensorShape out_shape = ShapeFromFormat(data_format_, batch, out_rows,
                                            out_cols, filter.dim_size(3));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, out_shape, &output));
    if (out_shape.num_elements() == 0) return;
    output->flat<T>().setConstant(
        T(static_cast<float>(pad_rows * 10 + pad_cols)));
  }

 private:
  std::vector<int32> strides_;
  Padding padding_;
  TensorFormat data_format_;

  TF_DISALLOW_COPY_AND_ASSIGN(PatchesOp);
};

#define REGISTER(T)                                                    \
  REGISTER_KERNEL_BUILDER(                                             \
      Name("CorpusPatches").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      PatchesOp<T>);
TF_CALL_half(REGISTER);
TF_CALL_float(REGISTER);
#undef REGISTER

}  // namespace tensorflow
