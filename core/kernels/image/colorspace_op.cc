// SPDX-License-Identifier: Apache-2.0
// RGBToHSV and HSVToRGB.

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/color_planes.h"

namespace tensorwright {
namespace {

template <typename Formula>
struct ColorSpace {
  template <typename T>
  class Op final : public OpKernel {
   public:
    using OpKernel::OpKernel;

    void Compute(OpKernelContext* ctx) override {
      const Tensor& images = ctx->input(0);
      Tensor* out = nullptr;
      OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                              {0}, 0, images.shape(), &out));
      MapColors<Formula>(ctx, images.base<T>(), images.NumElements() / 3,
                         NoArguments(), out->base<T>());
    }
  };
};

REGISTER_KERNEL_FOR_TYPES(Name("RGBToHSV").Device(DEVICE_CPU), "T",
                          ColorSpace<RgbToHsv>::Op, float, double, Eigen::half,
                          Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("HSVToRGB").Device(DEVICE_CPU), "T",
                          ColorSpace<HsvToRgb>::Op, float, double, Eigen::half,
                          Eigen::bfloat16);

}  // namespace
}  // namespace tensorwright
