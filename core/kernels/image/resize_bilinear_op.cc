// SPDX-License-Identifier: Apache-2.0
// ResizeBilinear and its gradient.

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/resize_adjoint.h"
#include "core/kernels/image/resize_geometry.h"
#include "core/kernels/image/resize_rows.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Rows of an image resized along their length; keeps the last two, since
// neighbouring output rows share them.
template <typename T>
class MixedRows {
 public:
  MixedRows(const ResizeGeometry& g, const LinearColumns& columns)
      : g_(g),
        columns_(columns),
        as_floats_(std::is_same_v<T, float> ? 0 : g.in_row()),
        rows_{std::vector<float>(g.out_row()),
              std::vector<float>(g.out_row())} {}

  // `unit` counts rows through the batch.  The result is good until the next
  // but one call for another row.
  const float* Get(const T* images, int64_t unit) {
    const int slot = unit & 1;
    if (held_[slot] != unit) {
      const float* row = RowAsFloats(images + unit * g_.in_row(), g_.in_row(),
                                     as_floats_.data());
      MixColumns(row, columns_, g_.channels, rows_[slot].data());
      held_[slot] = unit;
    }
    return rows_[slot].data();
  }

 private:
  const ResizeGeometry& g_;
  const LinearColumns& columns_;
  std::vector<float> as_floats_;
  std::vector<float> rows_[2];
  int64_t held_[2] = {-1, -1};
};

// Computes output rows [begin, end) of the batch.
template <typename T>
void ResizeRows(const ResizeGeometry& g, const LinearColumns& columns,
                const T* images, bool streamed, int64_t begin, int64_t end,
                float* to) {
  MixedRows<T> mixed(g, columns);
  RowWriter writer(streamed, g.out_row());
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t first = unit / g.rows.out * g.rows.in;
    const LinearPlace place = LinearPlaceOf(g.rows, unit % g.rows.out);
    // The two are neighbours, so they are in different slots, or are the same
    // row.
    const float* top = mixed.Get(images, first + place.lower);
    const float* bottom = mixed.Get(images, first + place.upper);
    float* row = to + unit * g.out_row();
    RunWide<MixRowsLoop>(top, bottom, place.distance, writer.Begin(row),
                         g.out_row());
    writer.End(row);
  }
}

template <typename T>
void CopyAsFloats(OpKernelContext* ctx, const T* from, int64_t n, float* to) {
  ParallelFor(ctx, n, 1, [=](int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<T, float>) {
      std::copy(from + begin, from + end, to + begin);
    } else {
      RowAsFloats(from + begin, end - begin, to + begin);
    }
  });
}

std::vector<ResizeTaps<2>> LinearTaps(const ResizeSide& side) {
  std::vector<ResizeTaps<2>> taps(side.out);
  for (int64_t x = 0; x < side.out; ++x) {
    const LinearPlace place = LinearPlaceOf(side, x);
    taps[x] = {{place.lower, place.upper},
               {1.0f - place.distance, place.distance}};
  }
  return taps;
}

}  // namespace

template <typename T>
class ResizeBilinearOp final : public ResizeOpKernel {
 public:
  using ResizeOpKernel::ResizeOpKernel;

 private:
  void Resize(OpKernelContext* ctx, const ResizeGeometry& g,
              const Tensor& images, Tensor* out) override {
    const int64_t n = out->NumElements();
    if (g.rows.in == g.rows.out && g.columns.in == g.columns.out) {
      CopyAsFloats(ctx, images.base<T>(), n, out->base<float>());
      return;
    }
    const LinearColumns columns(g.columns, g.channels);
    const bool streamed = IsStreamed(n * static_cast<int64_t>(sizeof(float)));
    ParallelFor(ctx, g.batch * g.rows.out, 3 * g.out_row() + g.in_row() / 4,
                [&](int64_t begin, int64_t end) {
                  ResizeRows(g, columns, images.base<T>(), streamed, begin, end,
                             out->base<float>());
                });
  }
};

template <typename T>
using ResizeBilinearGradOp = ResizeGradOp<T, LinearTaps>;

REGISTER_KERNEL_FOR_TYPES(
    Name("ResizeBilinear").Device(DEVICE_CPU).HostMemory("size"), "T",
    ResizeBilinearOp, int8, uint8, int16, uint16, int32, int64_t, Eigen::half,
    float, double, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("ResizeBilinearGrad").Device(DEVICE_CPU), "T",
                          ResizeBilinearGradOp, float, Eigen::half, double,
                          Eigen::bfloat16);

}  // namespace tensorwright
