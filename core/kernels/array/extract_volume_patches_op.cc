// SPDX-License-Identifier: Apache-2.0
// ExtractVolumePatches: the elements under each window of a volume as one long
// voxel.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/overflow.h"
#include "core/util/padding.h"
#include "core/util/window_attrs.h"
#include "core/util/window_geometry.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// volumes: [batch, d[0].input, d[1].input, d[2].input, depth]; patches: this
// writes those of [begin, end) of the [batch * d[0].output * d[1].output] rows
// of windows.
template <typename T>
void ExtractWindows(const T* volumes, const WindowDim* d, int64_t depth,
                    int64_t begin, int64_t end, T* patches) {
  const int64_t line = d[2].filter * depth;
  const int64_t window = d[0].filter * d[1].filter * line;
  T* to = patches + begin * d[2].output * window;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t batch = unit / (d[0].output * d[1].output);
    const int64_t plane0 =
        unit / d[1].output % d[0].output * d[0].stride - d[0].pad_before;
    const int64_t row0 = unit % d[1].output * d[1].stride - d[1].pad_before;
    for (int64_t o = 0; o < d[2].output; ++o) {
      const int64_t left = o * d[2].stride - d[2].pad_before;
      // The part of a line that is inside.
      const int64_t first = std::clamp<int64_t>(-left, 0, d[2].filter);
      const int64_t last =
          std::clamp<int64_t>(d[2].input - left, first, d[2].filter);
      for (int64_t p = plane0; p < plane0 + d[0].filter; ++p) {
        for (int64_t r = row0; r < row0 + d[1].filter; ++r, to += line) {
          if (p < 0 || p >= d[0].input || r < 0 || r >= d[1].input) {
            std::fill_n(to, line, T());
            continue;
          }
          const int64_t at =
              (((batch * d[0].input + p) * d[1].input + r) * d[2].input + left +
               first) *
              depth;
          std::fill_n(to, first * depth, T());
          if (last > first) {
            CopyRun(volumes + at, (last - first) * depth, to + first * depth);
          }
          std::fill_n(to + last * depth, (d[2].filter - last) * depth, T());
        }
      }
    }
  }
}

}  // namespace

// The shape function has checked the attrs.
class ExtractVolumePatchesOp final : public OpKernel {
 public:
  explicit ExtractVolumePatchesOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string padding;
    attrs_.op = type_string();
    attrs_.rank = 5;
    attrs_.dilations.assign(5, 1);
    attrs_.allows_no_output = true;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ksizes", &attrs_.ksize));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("strides", &attrs_.strides));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("padding", &attrs_.padding));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& volumes = ctx->input(0);
    WindowDim windows[3];
    std::vector<int64_t> sizes{volumes.dim_size(0)};
    int64_t patch = volumes.dim_size(4);
    for (int d = 0; d < 3; ++d) {
      OP_REQUIRES_OK(ctx,
                     attrs_.ComputeWindow(d + 1, volumes.dim_size(d + 1),
                                          attrs_.ksize[d + 1], &windows[d]));
      sizes.push_back(windows[d].output);
      patch =
          patch < 0 ? patch : MultiplyWithoutOverflow(patch, windows[d].filter);
    }
    OP_REQUIRES(
        ctx, patch >= 0,
        errors::InvalidArgument("ExtractVolumePatches: ksizes are too large"));
    sizes.push_back(patch);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, TensorShape::BuildTensorShape(sizes, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(volumes.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(ctx, sizes[0] * sizes[1] * sizes[2],
                      sizes[3] * patch * MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        ExtractWindows(volumes.base<T>(), windows,
                                       volumes.dim_size(4), begin, end,
                                       out->base<T>());
                      });
        }));
  }

 private:
  WindowAttrs attrs_;
};

REGISTER_KERNEL_BUILDER(Name("ExtractVolumePatches").Device(DEVICE_CPU),
                        ExtractVolumePatchesOp);

}  // namespace tensorwright
