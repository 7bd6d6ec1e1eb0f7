// SPDX-License-Identifier: Apache-2.0
// ExtractImagePatches: the elements under each window as one long pixel.

#include <algorithm>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/overflow.h"
#include "core/util/window_attrs.h"
#include "core/util/window_geometry.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// images: [batch, rows.input, cols.input, depth]; patches: [batch, rows.output,
// cols.output, rows.filter, cols.filter, depth], of which this writes [begin,
// end) of the first two dimensions.
template <typename T>
void ExtractRows(const T* images, const WindowDim& rows, const WindowDim& cols,
                 int64_t depth, int64_t begin, int64_t end, T* patches) {
  const int64_t window_row = cols.filter * depth;
  T* to = patches + begin * cols.output * rows.filter * window_row;
  for (int64_t unit = begin; unit < end; ++unit) {
    const T* image =
        images + unit / rows.output * rows.input * cols.input * depth;
    const int64_t top = unit % rows.output * rows.stride - rows.pad_before;
    for (int64_t o = 0; o < cols.output; ++o) {
      const int64_t left = o * cols.stride - cols.pad_before;
      for (int64_t i = 0; i < rows.filter; ++i, to += window_row) {
        const int64_t r = top + i * rows.dilation;
        if (r < 0 || r >= rows.input) {
          std::fill_n(to, window_row, T());
          continue;
        }
        const T* line = image + r * cols.input * depth;
        if (cols.dilation == 1 && left >= 0 &&
            left + cols.filter <= cols.input) {
          CopyRun(line + left * depth, window_row, to);
          continue;
        }
        for (int64_t j = 0; j < cols.filter; ++j) {
          const int64_t c = left + j * cols.dilation;
          if (c < 0 || c >= cols.input) {
            std::fill_n(to + j * depth, depth, T());
          } else {
            CopyRun(line + c * depth, depth, to + j * depth);
          }
        }
      }
    }
  }
}

class ExtractImagePatchesOp final : public OpKernel {
 public:
  explicit ExtractImagePatchesOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadPatchAttrs(ctx, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    OP_REQUIRES(ctx, images.dims() == 4,
                errors::InvalidArgument(attrs_.op,
                                        ": input must be 4-dimensional, got ",
                                        images.shape().DebugString()));
    WindowDim rows, cols;
    OP_REQUIRES_OK(ctx, attrs_.ComputeWindow(1, images.dim_size(1),
                                             attrs_.ksize[1], &rows));
    OP_REQUIRES_OK(ctx, attrs_.ComputeWindow(2, images.dim_size(2),
                                             attrs_.ksize[2], &cols));
    const int64_t depth = images.dim_size(3);
    const int64_t patch = MultiplyWithoutOverflow(
        MultiplyWithoutOverflow(rows.filter, cols.filter), depth);
    OP_REQUIRES(ctx, patch >= 0,
                errors::InvalidArgument(attrs_.op,
                                        ": ksizes are too large: ", rows.filter,
                                        " * ", cols.filter, " * ", depth));
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx,
        TensorShape::BuildTensorShape(
            {images.dim_size(0), rows.output, cols.output, patch}, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(images.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(ctx, images.dim_size(0) * rows.output,
                      cols.output * patch * MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        ExtractRows(images.base<T>(), rows, cols, depth, begin,
                                    end, out->base<T>());
                      });
        }));
  }

 private:
  WindowAttrs attrs_;
};
REGISTER_KERNEL_BUILDER(Name("ExtractImagePatches").Device(DEVICE_CPU),
                        ExtractImagePatchesOp);

}  // namespace
}  // namespace tensorwright
