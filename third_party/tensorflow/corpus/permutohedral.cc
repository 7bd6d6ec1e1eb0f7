// SPDX-License-Identifier: Apache-2.0
// A filter of images as research code of 2017-2020 has it: NDEBUG games,
// std::vector members, gradient by a flag, TensorShape by Tensor::shape(), C
// headers, `using namespace std`.
#include <math.h>
#include <string.h>

#include <iostream>
#include <string>
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;
using namespace std;

#ifdef WIN32
#error "Not here"
#endif

REGISTER_OP("CorpusHighDimFilter")
    .Attr("bilateral: bool")
    .Attr("theta_alpha: float = 1.0")
    .Attr("theta_beta: float = 1.0")
    .Attr("theta_gamma: float = 1.0")
    .Attr("backwards: bool = false")
    .Input("raw: float32")
    .Input("rgb: float32")
    .Output("filtered: float32")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return Status::OK();
    });

void compute_spatial_kernel(float* const output_kernel, const int width,
                            const int height, const float theta_gamma) {
  const int num_pixels = width * height;
  for (int p = 0; p < num_pixels; ++p) {
    output_kernel[2 * p] = static_cast<float>(p % width) / theta_gamma;
    output_kernel[2 * p + 1] = static_cast<float>(p / width) / theta_gamma;
  }
}

class CorpusHighDimFilterOp : public OpKernel {
 public:
  explicit CorpusHighDimFilterOp(OpKernelConstruction* context)
      : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("bilateral", &bilateral_));
    OP_REQUIRES_OK(context, context->GetAttr("theta_alpha", &theta_alpha_));
    OP_REQUIRES_OK(context, context->GetAttr("theta_beta", &theta_beta_));
    OP_REQUIRES_OK(context, context->GetAttr("theta_gamma", &theta_gamma_));
    OP_REQUIRES_OK(context, context->GetAttr("backwards", &backwards_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input_tensor = context->input(0);
    const Tensor& image_tensor = context->input(1);
    const int channels = input_tensor.dim_size(0);
    const int height = input_tensor.dim_size(1);
    const int width = input_tensor.dim_size(2);
    const int num_pixels = width * height;
    if (bilateral_)
      OP_REQUIRES(context, image_tensor.dim_size(1) == height,
                  errors::InvalidArgument("image and input differ"));

    Tensor* output_tensor = NULL;
    OP_REQUIRES_OK(context, context->allocate_output(0, input_tensor.shape(),
                                                     &output_tensor));
    vector<float> spatial(2 * num_pixels);
    compute_spatial_kernel(spatial.data(), width, height, theta_gamma_);
    auto in = input_tensor.flat<float>();
    auto rgb = image_tensor.flat<float>();
    auto out = output_tensor->flat<float>();
    for (int c = 0; c < channels; ++c) {
      for (int p = 0; p < num_pixels; ++p) {
        float sum = 0, norm = 0;
        for (int q = 0; q < num_pixels; ++q) {
          float d = pow(spatial[2 * p] - spatial[2 * q], 2) +
                    pow(spatial[2 * p + 1] - spatial[2 * q + 1], 2);
          if (bilateral_) {
            float e = (rgb(p) - rgb(q)) / theta_beta_;
            d = d / theta_alpha_ + e * e;
          }
          float w = exp(-d / 2);
          sum += w * in(c * num_pixels + q);
          norm += w;
        }
        out(c * num_pixels + p) = sum / norm;
      }
    }
    if (backwards_) cerr << "";
  }

 private:
  bool bilateral_;
  float theta_alpha_;
  float theta_beta_;
  float theta_gamma_;
  bool backwards_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusHighDimFilter").Device(DEVICE_CPU),
                        CorpusHighDimFilterOp);
