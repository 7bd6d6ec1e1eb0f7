// SPDX-License-Identifier: Apache-2.0
// EncodePng: a file for each image of a batch.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/png/png_io.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class EncodePngOp final : public OpKernel {
 public:
  explicit EncodePngOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compression", &effort_.compression));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& image = ctx->input(0);
    const int dims = image.dims();
    const int64_t height = image.dim_size(dims - 3);
    const int64_t width = image.dim_size(dims - 2);
    const int64_t channels = image.dim_size(dims - 1);
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    TensorShape batch;
    for (int d = 0; d < dims - 3; ++d) batch.AddDim(image.dim_size(d));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, batch, &out));
    if (batch.num_elements() == 0) return;
    OP_REQUIRES(ctx,
                height > 0 && width > 0 && height <= kMost && width <= kMost,
                errors::InvalidArgument(
                    "EncodePng: image must have pixels, and no more than 2^31 "
                    "in a row or a column, got shape ",
                    image.shape().DebugString()));
    const int bytes = DataTypeSize(image.dtype());
    const int64_t row_bytes = width * channels * bytes;
    const auto* pixels = static_cast<const uint8_t*>(image.data());
    std::vector<Status> statuses(batch.num_elements());
    constexpr int64_t kCyclesPerByte = 60;
    ParallelFor(ctx, batch.num_elements(), height * row_bytes * kCyclesPerByte,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    statuses[i] = png::WriteImageToBuffer(
                        pixels + i * height * row_bytes,
                        static_cast<int>(width), static_cast<int>(height),
                        row_bytes, static_cast<int>(channels), 8 * bytes,
                        effort_, {}, out->base<std::string>() + i);
                  }
                });
    for (const Status& status : statuses) OP_REQUIRES_OK(ctx, status);
  }

 private:
  png::Effort effort_;
};
REGISTER_KERNEL_BUILDER(Name("EncodePng").Device(DEVICE_CPU), EncodePngOp);

}  // namespace
}  // namespace tensorwright
