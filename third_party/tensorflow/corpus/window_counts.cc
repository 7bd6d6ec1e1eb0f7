// SPDX-License-Identifier: Apache-2.0
// How many pixels each window of an image covers: strides, padding, data
// formats and output sizes by the helpers of convolutions.
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

namespace {

// Window [height, width], strides by dimension of the image.
Status WindowCountShape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle image, window;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &window));
  std::vector<int32> strides;
  TF_RETURN_IF_ERROR(c->GetAttr("strides", &strides));
  Padding padding;
  TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
  string name;
  TensorFormat format = FORMAT_NHWC;
  if (c->GetAttr("data_format", &name).ok() &&
      !FormatFromString(name, &format)) {
    return errors::InvalidArgument("no data format: ", name);
  }
  if (strides.size() != 4) {
    return errors::InvalidArgument("4 strides are needed, got ",
                                   strides.size());
  }
  std::vector<shape_inference::DimensionHandle> sizes(4, c->MakeDim(1));
  for (int spatial = 0; spatial < 2; ++spatial) {
    const int at = GetTensorDimIndex<2>(format, spatial == 0 ? '0' : '1');
    TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDims(
        c, c->Dim(image, at), c->Dim(window, spatial), strides[at], padding,
        &sizes[at]));
  }
  c->set_output(0, c->MakeShape(sizes));
  return Status::OK();
}

}  // namespace

REGISTER_OP("CorpusWindowCount")
    .Input("image: T")
    .Input("window: T")
    .Output("pixels: T")
    .Attr("T: {half, float}")
    .Attr("strides: list(int)")
    .Attr(GetPaddingAttrString())
    .Attr(GetConvnetDataFormatAttrString())
    .SetShapeFn(WindowCountShape);

template <typename T>
class WindowCountOp : public BinaryOp<T> {
 public:
  explicit WindowCountOp(OpKernelConstruction* c) : BinaryOp<T>(c) {
    string format;
    OP_REQUIRES_OK(c, c->GetAttr("data_format", &format));
    OP_REQUIRES_OK(c, c->GetAttr("strides", &strides_));
    OP_REQUIRES_OK(c, c->GetAttr("padding", &padding_));
    OP_REQUIRES(c, FormatFromString(format, &format_),
                errors::InvalidArgument("no data format: ", format));
    OP_REQUIRES(c,
                GetTensorDim(strides_, format_, 'N') *
                        GetTensorDim(strides_, format_, 'C') ==
                    1,
                errors::Unimplemented("strides over images or channels"));
  }

  void Compute(OpKernelContext* c) override {
    const Tensor &image = c->input(0), &window = c->input(1);
    OP_REQUIRES(c, FastBoundsCheck(image.NumElements(), kint32max),
                errors::InvalidArgument("image is too large"));
    Side rows, columns;
    rows.image = GetTensorDim(image, format_, 'H');
    columns.image = GetTensorDim(image.shape(), format_, 'W');
    rows.window = window.dim_size(0);
    columns.window = window.dim_size(1);
    rows.stride = GetTensorDim(strides_, format_, 'H');
    columns.stride = GetTensorDim(strides_, format_, 'W');
    OP_REQUIRES_OK(
        c, GetWindowedOutputSize(rows.image, rows.window, rows.stride, padding_,
                                 &rows.out, &rows.before));
    int64 after;
    OP_REQUIRES_OK(c, GetWindowedOutputSizeVerbose(
                          columns.image, columns.window, columns.stride,
                          padding_, &columns.out, &columns.before, &after));
    const TensorShape shape =
        ShapeFromFormat(format_, 1, rows.out, columns.out, 1);
    Tensor* pixels = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, shape, &pixels));
    auto counts = pixels->flat<T>();
    for (int64 i = 0; i < rows.out * columns.out; ++i) {
      counts(i) = T(static_cast<float>(rows.Covered(i / columns.out) *
                                       columns.Covered(i % columns.out)));
    }
  }

 private:
  struct Side {
    int64 image, window, stride, out, before;
    int64 Covered(int64 i) const {
      const int64 begin = i * stride - before;
      return std::min(begin + window, image) - std::max(begin, int64{0});
    }
  };

  std::vector<int32> strides_;
  Padding padding_;
  TensorFormat format_;
  TF_DISALLOW_COPY_AND_ASSIGN(WindowCountOp);
};

#define WINDOW_COUNT(T)                                                    \
  REGISTER_KERNEL_BUILDER(                                                 \
      Name("CorpusWindowCount").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      WindowCountOp<T>);
TF_CALL_half(WINDOW_COUNT);
TF_CALL_float(WINDOW_COUNT);
#undef WINDOW_COUNT

}  // namespace tensorflow
