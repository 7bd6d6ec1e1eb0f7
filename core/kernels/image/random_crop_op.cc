// SPDX-License-Identifier: Apache-2.0
// RandomCrop: a part of an image at a random place.

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/random/simple_philox.h"
#include "core/util/guarded_philox_random.h"

namespace tensorwright {
namespace {

class RandomCropOp final : public OpKernel {
 public:
  explicit RandomCropOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& image = ctx->input(0);
    const int64_t* size = ctx->input(1).base<int64_t>();
    const int64_t height = image.dim_size(0), width = image.dim_size(1);
    if (size[0] == height && size[1] == width) {
      ctx->set_output(0, image);
      return;
    }
    OP_REQUIRES(
        ctx, size[0] <= height && size[1] <= width,
        errors::FailedPrecondition(
            "RandomCrop: size must be within image, got [", size[0], ", ",
            size[1], "] and shape ", image.shape().DebugString()));
    random::PhiloxRandom stream = generator_.ReserveSamples32(2);
    random::SimplePhilox numbers(&stream);
    // A number is drawn only for a side that is cut.
    const auto draw = [&](int64_t all, int64_t part) {
      return part < all ? numbers.Rand32() % (all - part + 1) : 0;
    };
    const int64_t left = draw(width, size[1]);
    const int64_t top = draw(height, size[0]);
    const int64_t channels = image.dim_size(2);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({size[0], size[1], channels}),
                                  &out));
    if (out->NumElements() == 0) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(image.dtype(), [&]<typename T>(ElementTag<T>) {
          const int64_t row = size[1] * channels;
          const T* from = image.base<T>() + (top * width + left) * channels;
          for (int64_t y = 0; y < size[0]; ++y) {
            CopyRun(from + y * width * channels, row, out->base<T>() + y * row);
          }
        }));
  }

 private:
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_BUILDER(Name("RandomCrop").Device(DEVICE_CPU), RandomCropOp);

}  // namespace
}  // namespace tensorwright
