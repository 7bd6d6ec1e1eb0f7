// SPDX-License-Identifier: Apache-2.0
// Pooling of regions, in the manner of detection networks of 2016-2018: raw
// pointers out of Eigen maps, Shard, dims as a plain array, a gradient op.
#include <stdio.h>

#include <cfloat>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/util/work_sharder.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

using namespace tensorflow;
typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("CorpusRoiPool")
    .Attr("T: {float, double}")
    .Attr("pooled_height: int")
    .Attr("pooled_width: int")
    .Attr("spatial_scale: float")
    .Input("bottom_data: T")
    .Input("bottom_rois: T")
    .Output("top_data: T")
    .Output("argmax: int32");

REGISTER_OP("CorpusRoiPoolGrad")
    .Attr("T: {float, double}")
    .Attr("spatial_scale: float")
    .Input("bottom_data: T")
    .Input("bottom_rois: T")
    .Input("argmax: int32")
    .Input("grad: T")
    .Output("output: T");

template <typename Device, typename T>
class RoiPoolOp : public OpKernel {
 public:
  explicit RoiPoolOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("pooled_height", &pooled_height_));
    OP_REQUIRES(context, pooled_height_ >= 0,
                errors::InvalidArgument("Need pooled_height >= 0, got ",
                                        pooled_height_));
    OP_REQUIRES_OK(context, context->GetAttr("pooled_width", &pooled_width_));
    OP_REQUIRES_OK(context, context->GetAttr("spatial_scale", &spatial_scale_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& bottom_data = context->input(0);
    const Tensor& bottom_rois = context->input(1);
    auto bottom_data_flat = bottom_data.flat<T>();
    auto bottom_rois_flat = bottom_rois.flat<T>();

    OP_REQUIRES(context, bottom_data.dims() == 4,
                errors::InvalidArgument("data must be 4-dimensional"));
    OP_REQUIRES(context, bottom_rois.dims() == 2,
                errors::InvalidArgument("rois must be 2-dimensional"));

    int num_rois = bottom_rois.dim_size(0);
    int data_height = bottom_data.dim_size(1);
    int data_width = bottom_data.dim_size(2);
    int num_channels = bottom_data.dim_size(3);

    int dims[4];
    dims[0] = num_rois;
    dims[1] = pooled_height_;
    dims[2] = pooled_width_;
    dims[3] = num_channels;
    TensorShape output_shape;
    OP_REQUIRES_OK(context,
                   TensorShapeUtils::MakeShape(dims, 4, &output_shape));

    Tensor* output_tensor = NULL;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, output_shape, &output_tensor));
    auto output = output_tensor->template flat<T>();

    Tensor* argmax_tensor = NULL;
    OP_REQUIRES_OK(context,
                   context->allocate_output(1, output_shape, &argmax_tensor));
    auto argmax = argmax_tensor->template flat<int>();

    int pooled_height = pooled_height_;
    int pooled_width = pooled_width_;
    float spatial_scale = spatial_scale_;

    auto shard = [pooled_height, pooled_width, spatial_scale, data_height,
                  data_width, num_channels, &bottom_data_flat,
                  &bottom_rois_flat, &output,
                  &argmax](int64 start, int64 limit) {
      for (int64 b = start; b < limit; ++b) {
        int n = b;
        int c = n % num_channels;
        n /= num_channels;
        int pw = n % pooled_width;
        n /= pooled_width;
        int ph = n % pooled_height;
        n /= pooled_height;
        const T* rois = bottom_rois_flat.data() + n * 5;
        int batch = rois[0];
        int x0 = round(rois[1] * spatial_scale);
        int y0 = round(rois[2] * spatial_scale);
        int x1 = round(rois[3] * spatial_scale);
        int y1 = round(rois[4] * spatial_scale);
        int height = std::max(y1 - y0 + 1, 1);
        int width = std::max(x1 - x0 + 1, 1);
        const T bin_h = static_cast<T>(height) / static_cast<T>(pooled_height);
        const T bin_w = static_cast<T>(width) / static_cast<T>(pooled_width);
        int hstart = static_cast<int>(floor(ph * bin_h)) + y0;
        int wstart = static_cast<int>(floor(pw * bin_w)) + x0;
        int hend = static_cast<int>(ceil((ph + 1) * bin_h)) + y0;
        int wend = static_cast<int>(ceil((pw + 1) * bin_w)) + x0;
        hstart = std::min(std::max(hstart, 0), data_height);
        hend = std::min(std::max(hend, 0), data_height);
        wstart = std::min(std::max(wstart, 0), data_width);
        wend = std::min(std::max(wend, 0), data_width);
        bool is_empty = (hend <= hstart) || (wend <= wstart);
        T maxval = is_empty ? 0 : -FLT_MAX;
        int maxidx = -1;
        for (int h = hstart; h < hend; ++h) {
          for (int w = wstart; w < wend; ++w) {
            int index =
                ((batch * data_height + h) * data_width + w) * num_channels + c;
            if (bottom_data_flat.data()[index] > maxval) {
              maxval = bottom_data_flat.data()[index];
              maxidx = index;
            }
          }
        }
        output(b) = maxval;
        argmax(b) = maxidx;
      }
    };

    auto worker_threads = *(context->device()->tensorflow_cpu_worker_threads());
    const int64 shard_cost =
        num_rois * num_channels * pooled_height * pooled_width * spatial_scale;
    Shard(worker_threads.num_threads, worker_threads.workers, output.size(),
          shard_cost, shard);
  }

 private:
  int pooled_height_;
  int pooled_width_;
  float spatial_scale_;
};

REGISTER_KERNEL_BUILDER(
    Name("CorpusRoiPool").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    RoiPoolOp<CPUDevice, float>);
REGISTER_KERNEL_BUILDER(
    Name("CorpusRoiPool").Device(DEVICE_CPU).TypeConstraint<double>("T"),
    RoiPoolOp<CPUDevice, double>);

template <class Device, class T>
class RoiPoolGradOp : public OpKernel {
 public:
  explicit RoiPoolGradOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& bottom_data = context->input(0);
    const Tensor& argmax_data = context->input(2);
    const Tensor& out_backprop = context->input(3);
    OP_REQUIRES(context, argmax_data.shape() == out_backprop.shape(),
                errors::InvalidArgument("argmax and grad differ in shape"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, bottom_data.shape(), &output));
    auto out = output->flat<T>();
    out.setZero();
    auto argmax = argmax_data.flat<int>();
    auto grad = out_backprop.flat<T>();
    for (int i = 0; i < argmax.size(); ++i) {
      if (argmax(i) >= 0) out(argmax(i)) += grad(i);
    }
  }
};

REGISTER_KERNEL_BUILDER(
    Name("CorpusRoiPoolGrad").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    RoiPoolGradOp<CPUDevice, float>);
