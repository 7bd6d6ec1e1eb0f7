// SPDX-License-Identifier: Apache-2.0
// AdjustSaturation: moves colours closer to grey, or further from it.

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/color_planes.h"

namespace tensorwright {
namespace {

struct SaturationFactor {
  float factor;
};

struct ScaleSaturation {
  template <typename Real>
  TW_WIDE_LOOP static void Apply(SaturationFactor by, Real* a, Real* b,
                                 Real* c) {
    RgbToHsv::Apply(NoArguments(), a, b, c);
    const Real saturation = AtMost(AtLeast(*b * by.factor, Real(0)), Real(1));
    const HueParts<Real> parts(*a * 6);
    const Real colored = saturation * *c, grey = *c - colored;
    *a = parts.r * colored + grey;
    *b = parts.g * colored + grey;
    *c = parts.b * colored + grey;
  }
};

}  // namespace

template <typename T>
class AdjustSaturationOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, images.shape(), &out));
    MapColors<ScaleSaturation>(ctx, images.base<T>(), images.NumElements() / 3,
                               SaturationFactor{*ctx->input(1).base<float>()},
                               out->base<T>());
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("AdjustSaturation").Device(DEVICE_CPU), "T",
                          AdjustSaturationOp, float, Eigen::half);

}  // namespace tensorwright
