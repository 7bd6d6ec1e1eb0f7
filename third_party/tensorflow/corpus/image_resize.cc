// SPDX-License-Identifier: Apache-2.0
// Resizing by the state that TensorFlow's own resizers use, and a patch of
// pixels taken with functors.
#define EIGEN_USE_THREADS

#include <algorithm>
#include <array>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/kernels/conv_2d.h"
#include "tensorflow/core/kernels/image_resizer_state.h"
#include "tensorflow/core/kernels/ops_util.h"
#include "tensorflow/core/util/mirror_pad_mode.h"
#include "tensorflow/core/util/tensor_format.h"
#include "tensorflow/core/util/use_cudnn.h"
#include "tensorflow/core/util/work_sharder.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("CorpusResizeNearest")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: T")
    .Attr("T: {uint8, float}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false");

template <typename Device, typename T>
class CorpusResizeNearestOp : public OpKernel {
 public:
  explicit CorpusResizeNearestOp(OpKernelConstruction* context)
      : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("align_corners", &align_corners_));
    OP_REQUIRES_OK(
        context, context->GetAttr("half_pixel_centers", &half_pixel_centers_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ImageResizerState st(align_corners_, half_pixel_centers_);
    st.ValidateAndCreateOutput(context, input);
    if (!context->status().ok()) return;
    typename TTypes<T, 4>::ConstTensor images = input.tensor<T, 4>();
    typename TTypes<T, 4>::Tensor out = st.output->tensor<T, 4>();
    auto rows = [&](int64 start, int64 limit) {
      for (int64 i = start; i < limit; ++i) {
        const int64 b = i / st.out_height;
        const int y = i % st.out_height;
        const int64 from_y = At(y, st.height_scale, st.in_height);
        for (int x = 0; x < st.out_width; ++x) {
          const int64 from_x = At(x, st.width_scale, st.in_width);
          std::copy_n(&images(b, from_y, from_x, 0), st.channels,
                      &out(b, y, x, 0));
        }
      }
    };
    const DeviceBase::CpuWorkerThreads& worker_threads =
        *(context->device()->tensorflow_cpu_worker_threads());
    Shard(worker_threads.num_threads, worker_threads.workers,
          st.batch_size * st.out_height, st.out_width * st.channels, rows);
  }

 private:
  int64 At(int to, float scale, int64 size) const {
    const float from = half_pixel_centers_ ? HalfPixelScaler()(to, scale) + 0.5f
                                           : LegacyScaler()(to, scale);
    const int64 at = align_corners_ ? static_cast<int64>(roundf(from))
                                    : static_cast<int64>(floorf(from));
    return std::max<int64>(0, std::min(at, size - 1));
  }

  bool align_corners_;
  bool half_pixel_centers_;
};

#define REGISTER_KERNEL(T)                            \
  REGISTER_KERNEL_BUILDER(Name("CorpusResizeNearest") \
                              .Device(DEVICE_CPU)     \
                              .TypeConstraint<T>("T") \
                              .HostMemory("size"),    \
                          CorpusResizeNearestOp<CPUDevice, T>);
REGISTER_KERNEL(uint8);
REGISTER_KERNEL(float);
#undef REGISTER_KERNEL

REGISTER_OP("CorpusConvPieces")
    .Input("images: float")
    .Input("filter: float")
    .Output("channels_first: float")
    .Output("channels_last: float")
    .Output("padded: float")
    .Output("transformed: float")
    .Output("product: float")
    .Attr(GetConvnetDataFormatAttrString())
    .Attr(GetConvnetFilterFormatAttrString())
    .Attr(GetMirrorPadModeAttrString() + " = 'REFLECT'");

class CorpusConvPiecesOp : public OpKernel {
 public:
  explicit CorpusConvPiecesOp(OpKernelConstruction* context)
      : OpKernel(context) {
    string data_format, filter_format;
    OP_REQUIRES_OK(context, context->GetAttr("data_format", &data_format));
    OP_REQUIRES(context, FormatFromString(data_format, &data_format_),
                errors::InvalidArgument("Invalid data format"));
    OP_REQUIRES_OK(context, context->GetAttr("filter_format", &filter_format));
    OP_REQUIRES(context, FilterFormatFromString(filter_format, &filter_format_),
                errors::InvalidArgument("Invalid filter format"));
    OP_REQUIRES_OK(context, context->GetAttr("mode", &mode_));
    cudnn_use_autotune_ = CudnnUseAutotune();
    use_cudnn_ = CanUseCudnn();
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& in = context->input(0);
    const Tensor& filter = context->input(1);
    OP_REQUIRES(context,
                GetFilterDim(filter, filter_format_, 'I') ==
                    GetTensorDim(in, FORMAT_NHWC, 'C'),
                errors::InvalidArgument("channels differ"));
    const CPUDevice& d = context->eigen_device<CPUDevice>();
    Tensor *first, *last, *padded, *transformed, *product;
    const int64 n = in.dim_size(0), h = in.dim_size(1), w = in.dim_size(2),
                c = in.dim_size(3);
    OP_REQUIRES_OK(context,
                   context->allocate_output(
                       0, ShapeFromFormat(FORMAT_NCHW, n, h, w, c), &first));
    OP_REQUIRES_OK(context, context->allocate_output(1, in.shape(), &last));
    OP_REQUIRES_OK(context, context->allocate_output(
                                2, TensorShape({n, h + 3, w + 1, c}), &padded));
    OP_REQUIRES_OK(context,
                   context->allocate_output(
                       3,
                       TensorShape({filter.dim_size(3), filter.dim_size(2),
                                    filter.dim_size(0), filter.dim_size(1)}),
                       &transformed));
    OP_REQUIRES_OK(context, context->allocate_output(
                                4, TensorShape({n * h * w, filter.dim_size(3)}),
                                &product));
    functor::NHWCToNCHW<CPUDevice, float, 4>()(d, in.tensor<float, 4>(),
                                               first->tensor<float, 4>());
    functor::NCHWToNHWC<CPUDevice, float, 4>()(
        d, const_cast<const Tensor*>(first)->tensor<float, 4>(),
        last->tensor<float, 4>());
    functor::PadInput<CPUDevice, float, int, 4>()(
        d, To32Bit(in.tensor<float, 4>()), {{1, 0}}, {{2, 1}},
        To32Bit(padded->tensor<float, 4>()), FORMAT_NHWC);
    functor::TransformFilter<CPUDevice, float, int, 4>()(
        d, FORMAT_OIHW, To32Bit(filter.tensor<float, 4>()),
        To32Bit(transformed->tensor<float, 4>()));
    Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1> dim_pair;
    dim_pair[0] = Eigen::IndexPair<Eigen::DenseIndex>(1, 0);
    functor::MatMulConvFunctor<CPUDevice, float>()(
        d, product->tensor<float, 2>(), in.shaped<float, 2>({n * h * w, c}),
        filter.shaped<float, 2>({c, filter.dim_size(3)}), dim_pair);
  }

 private:
  TensorFormat data_format_;
  FilterTensorFormat filter_format_;
  MirrorPadMode mode_;
  bool use_cudnn_, cudnn_use_autotune_;
};
REGISTER_KERNEL_BUILDER(Name("CorpusConvPieces").Device(DEVICE_CPU),
                        CorpusConvPiecesOp);

}  // namespace tensorflow
