// SPDX-License-Identifier: Apache-2.0
// QuantizedResizeBilinear.
//
// The range of the codes does not matter, since they are equally far apart:
// codes are mixed as numbers, and the result is the nearest code.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/resize_geometry.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The type in which codes are mixed: a float does not hold 32 bits.
template <typename T>
using MixReal = std::conditional_t<std::is_same_v<T, qint32>, double, float>;

template <typename T>
auto Number(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    return static_cast<MixReal<T>>(x.value);
  }
}

// The number lies between two codes, so it is in range; ties go up.
template <typename T>
T NearestCode(MixReal<T> x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    return T{static_cast<CodeType<T>>(
        static_cast<int64_t>(std::floor(x + MixReal<T>(0.5))))};
  }
}

template <typename T>
void MixRow(const ResizeGeometry& g, const std::vector<LinearPlace>& columns,
            const T* top, const T* bottom, float distance, T* to) {
  using Real = MixReal<T>;
  const Real y = distance;
  for (const LinearPlace& place : columns) {
    const int64_t left = place.lower * g.channels;
    const int64_t right = place.upper * g.channels;
    const Real x = place.distance;
    for (int64_t c = 0; c < g.channels; ++c) {
      const Real a = Number(top[left + c]), b = Number(bottom[left + c]);
      const Real above = a + (Number(top[right + c]) - a) * x;
      const Real below = b + (Number(bottom[right + c]) - b) * x;
      *to++ = NearestCode<T>(above + (below - above) * y);
    }
  }
}

}  // namespace

template <typename T>
class QuantizedResizeBilinearOp final : public OpKernel {
 public:
  explicit QuantizedResizeBilinearOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, attrs_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    ResizeGeometry g;
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, ReadResizeGeometry(attrs_, images.shape(), ctx->input(1), &g));
    OP_REQUIRES_OK(ctx, ResizedShape(g, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    ctx->set_output(1, ctx->input(2));
    ctx->set_output(2, ctx->input(3));
    if (out->NumElements() == 0) return;
    if (g.rows.in == g.rows.out && g.columns.in == g.columns.out) {
      // Also what is no finite number, which sums would make NaN.
      CopyRun(images.base<T>(), out->NumElements(), out->base<T>());
      return;
    }
    std::vector<LinearPlace> columns(g.columns.out);
    for (int64_t x = 0; x < g.columns.out; ++x) {
      columns[x] = LinearPlaceOf(g.columns, x);
    }
    ParallelFor(ctx, g.batch * g.rows.out, 8 * g.out_row(),
                [&](int64_t begin, int64_t end) {
                  for (int64_t unit = begin; unit < end; ++unit) {
                    const T* image =
                        images.base<T>() + unit / g.rows.out * g.in_image();
                    const LinearPlace row =
                        LinearPlaceOf(g.rows, unit % g.rows.out);
                    MixRow(g, columns, image + row.lower * g.in_row(),
                           image + row.upper * g.in_row(), row.distance,
                           out->base<T>() + unit * g.out_row());
                  }
                });
  }

 private:
  ResizeAttrs attrs_;
};

REGISTER_KERNEL_FOR_TYPES(Name("QuantizedResizeBilinear").Device(DEVICE_CPU),
                          "T", QuantizedResizeBilinearOp, quint8, qint32,
                          float);

}  // namespace tensorwright
