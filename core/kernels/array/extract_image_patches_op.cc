// SPDX-License-Identifier: Apache-2.0
// ExtractImagePatches: the elements under each window as one long pixel.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/overflow.h"
#include "core/util/padding.h"
#include "core/util/window_geometry.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// images: [batch, rows.input, cols.input, depth]; patches: [batch, rows.output,
// cols.output, rows.filter, cols.filter, depth], of which [begin, end) of the
// first two dimensions.
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
    std::vector<int64_t> ksizes, strides, rates;
    OP_REQUIRES_OK(ctx, ReadSizes(ctx, "ksizes", &ksizes));
    OP_REQUIRES_OK(ctx, ReadSizes(ctx, "strides", &strides));
    OP_REQUIRES_OK(ctx, ReadSizes(ctx, "rates", &rates));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("padding", &padding_));
    rows_.filter = ksizes[1];
    rows_.stride = strides[1];
    rows_.dilation = rates[1];
    cols_.filter = ksizes[2];
    cols_.stride = strides[2];
    cols_.dilation = rates[2];
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    OP_REQUIRES(ctx, images.dims() == 4,
                errors::InvalidArgument("input must be 4-dimensional, got ",
                                        images.shape().DebugString()));
    WindowDim rows = rows_, cols = cols_;
    rows.input = images.dim_size(1);
    cols.input = images.dim_size(2);
    for (WindowDim* w : {&rows, &cols}) {
      OP_REQUIRES_OK(
          ctx, GetWindowedOutputSizeVerboseV2(w->input, w->filter, w->dilation,
                                              w->stride, padding_, &w->output,
                                              &w->pad_before, &w->pad_after));
    }
    const int64_t depth = images.dim_size(3);
    const int64_t patch = MultiplyWithoutOverflow(
        MultiplyWithoutOverflow(rows.filter, cols.filter), depth);
    OP_REQUIRES(ctx, patch >= 0,
                errors::InvalidArgument("ksizes are too large: ", rows.filter,
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
  static Status ReadSizes(OpKernelConstruction* ctx, const char* name,
                          std::vector<int64_t>* sizes) {
    TF_RETURN_IF_ERROR(ctx->GetAttr(name, sizes));
    const std::vector<int64_t>& s = *sizes;
    if (s.size() != 4 || s[0] != 1 || s[3] != 1 || s[1] <= 0 || s[2] <= 0) {
      return errors::InvalidArgument(
          name,
          " must be [1, rows, cols, 1] with positive rows and cols, got [",
          absl::StrJoin(s, ", "), "]");
    }
    return OkStatus();
  }

  WindowDim rows_, cols_;
  Padding padding_;
};
REGISTER_KERNEL_BUILDER(Name("ExtractImagePatches").Device(DEVICE_CPU),
                        ExtractImagePatchesOp);

}  // namespace
}  // namespace tensorwright
