// SPDX-License-Identifier: Apache-2.0
// AdjustHue: turns colours about grey.

#include <cmath>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/color_planes.h"

namespace tensorwright {
namespace {

struct HueTurn {
  float sixths;  // In [0, 6).
};

// Keeps the least and the greatest channel, and moves the hue between them.
struct TurnHue {
  template <typename Real>
  TW_WIDE_LOOP static void Apply(HueTurn turn, Real* a, Real* b, Real* c) {
    const Real red = *a, green = *b, blue = *c;
    const Real max = AtLeast(AtLeast(red, green), blue);
    const Real min = AtMost(AtMost(red, green), blue);
    const Real range = max - min;
    Real hue = ScaledHue(red, green, blue, max, Real(1) / range, Real(2));
    hue = range == 0 ? Real(0) : hue;
    hue = hue < 0 ? hue + 6 : hue;
    hue += turn.sixths;
    hue = hue >= 6 ? hue - 6 : hue;
    const HueParts<Real> parts(hue);
    *a = min + parts.r * range;
    *b = min + parts.g * range;
    *c = min + parts.b * range;
  }
};

}  // namespace

template <typename T>
class AdjustHueOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, images.shape(), &out));
    float sixths = std::fmod(*ctx->input(1).base<float>() * 6.0f, 6.0f);
    if (sixths < 0) sixths += 6;
    MapColors<TurnHue>(ctx, images.base<T>(), images.NumElements() / 3,
                       HueTurn{sixths}, out->base<T>());
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("AdjustHue").Device(DEVICE_CPU), "T",
                          AdjustHueOp, float, Eigen::half);

}  // namespace tensorwright
