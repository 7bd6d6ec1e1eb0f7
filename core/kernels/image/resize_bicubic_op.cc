// SPDX-License-Identifier: Apache-2.0
// ResizeBicubic and its gradient: cubic convolution (Keys, "Cubic convolution
// interpolation for digital image processing", 1981).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/resize_adjoint.h"
#include "core/kernels/image/resize_geometry.h"
#include "core/kernels/image/resize_rows.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Distances are rounded to 1 / kSteps of a pixel, as TensorFlow's are.
constexpr int kSteps = 1 << 10;

// The kernel at distances in [0, 1] and in [1, 2], with slope `a` at 1.
struct CubicTable {
  std::array<float, kSteps + 1> near, far;

  explicit CubicTable(double a) {
    for (int i = 0; i <= kSteps; ++i) {
      float x = static_cast<float>(i * 1.0 / kSteps);
      near[i] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
      x += 1.0f;
      far[i] = static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
    }
  }
};

const CubicTable& TableOf(bool half_pixel_centers) {
  static const CubicTable* const kSharp = new CubicTable(-0.75);
  static const CubicTable* const kKeys = new CubicTable(-0.5);
  return half_pixel_centers ? *kKeys : *kSharp;
}

// Gives pixels outside the image no weight; the other weights sum to 1.
void LeaveOutOutside(int64_t first, ResizeTaps<4>* taps) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (taps->at[k] != first + k) taps->weight[k] = 0;
    sum += taps->weight[k];
  }
  if (std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min()) {
    const float inverse = 1.0f / sum;
    for (float& w : taps->weight) w *= inverse;
  }
}

std::vector<ResizeTaps<4>> CubicTaps(const ResizeSide& side) {
  const CubicTable& table = TableOf(side.half_pixel_centers);
  std::vector<ResizeTaps<4>> all(side.out);
  for (int64_t x = 0; x < side.out; ++x) {
    const float at = side.At(x);
    const int64_t below = static_cast<int64_t>(std::floor(at));
    const int64_t step = std::lrint((at - static_cast<float>(below)) * kSteps);
    ResizeTaps<4>& taps = all[x];
    taps.weight[0] = table.far[step];
    taps.weight[1] = table.near[step];
    taps.weight[2] = table.near[kSteps - step];
    taps.weight[3] = table.far[kSteps - step];
    for (int k = 0; k < 4; ++k) {
      taps.at[k] = std::clamp<int64_t>(below - 1 + k, 0, side.in - 1);
    }
    if (side.half_pixel_centers) LeaveOutOutside(below - 1, &taps);
  }
  return all;
}

struct SumRowsLoop {
  TW_WIDE_LOOP static void Run(const float* const* rows, const float* w,
                               float* y, int64_t n) {
    const float *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
    const float wa = w[0], wb = w[1], wc = w[2], wd = w[3];
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = a[i] * wa + b[i] * wb + c[i] * wc + d[i] * wd;
    }
  }
};

struct SumSinglesLoop {
  TW_WIDE_LOOP static void Run(const float* row, const ResizeTaps<4>* taps,
                               int64_t n, float* y) {
    for (int64_t x = 0; x < n; ++x) {
      const ResizeTaps<4>& t = taps[x];
      y[x] = row[t.at[0]] * t.weight[0] + row[t.at[1]] * t.weight[1] +
             row[t.at[2]] * t.weight[2] + row[t.at[3]] * t.weight[3];
    }
  }
};

// y[x, c] = sum of the four pixels of `row` times their weights.
void SumColumns(const float* row, const std::vector<ResizeTaps<4>>& taps,
                const ResizeGeometry& g, float* y) {
  const int64_t channels = g.channels, n = g.columns.out;
  if (channels == 1) {
    RunWide<SumSinglesLoop>(row, taps.data(), n, y);
    return;
  }
  int64_t x = 0;
  if (channels == 3 || channels == 4) {
    using Pixel = Eigen::Map<const Eigen::Array4f>;
    // Vectors of 4 must not read or write past the row.
    for (; x + 1 < n && taps[x].at[3] + 1 < g.columns.in; ++x) {
      const ResizeTaps<4>& t = taps[x];
      Eigen::Array4f sum = Pixel(row + t.at[0] * channels) * t.weight[0];
      for (int k = 1; k < 4; ++k) {
        sum += Pixel(row + t.at[k] * channels) * t.weight[k];
      }
      Eigen::Map<Eigen::Array4f>(y + x * channels) = sum;
    }
  }
  for (; x < n; ++x) {
    const ResizeTaps<4>& t = taps[x];
    for (int64_t c = 0; c < channels; ++c) {
      float sum = row[t.at[0] * channels + c] * t.weight[0];
      for (int k = 1; k < 4; ++k) {
        sum += row[t.at[k] * channels + c] * t.weight[k];
      }
      y[x * channels + c] = sum;
    }
  }
}

// The last four rows as floats; neighbouring output rows share them.
template <typename T>
class FloatRows {
 public:
  explicit FloatRows(int64_t row) : row_(row) {
    if constexpr (!std::is_same_v<T, float>) {
      for (auto& r : rows_) r.resize(row);
    }
  }

  // `unit` counts rows through the batch; four neighbours are held at a time.
  const float* Get(const T* images, int64_t unit) {
    const int slot = unit & 3;
    if (held_[slot] != unit || std::is_same_v<T, float>) {
      held_[slot] = unit;
      at_[slot] = RowAsFloats(images + unit * row_, row_, rows_[slot].data());
    }
    return at_[slot];
  }

 private:
  const int64_t row_;
  std::vector<float> rows_[4];
  int64_t held_[4] = {-1, -1, -1, -1};
  const float* at_[4] = {};
};

template <typename T>
void ResizeRows(const ResizeGeometry& g,
                const std::vector<ResizeTaps<4>>& row_taps,
                const std::vector<ResizeTaps<4>>& column_taps, const T* images,
                bool streamed, int64_t begin, int64_t end, float* to) {
  FloatRows<T> floats(g.in_row());
  RowWriter writer(streamed, g.out_row());
  std::vector<float> sum(g.in_row());
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t first = unit / g.rows.out * g.rows.in;
    const ResizeTaps<4>& taps = row_taps[unit % g.rows.out];
    const float* rows[4];
    for (int k = 0; k < 4; ++k) {
      rows[k] = floats.Get(images, first + taps.at[k]);
    }
    RunWide<SumRowsLoop>(static_cast<const float* const*>(rows),
                         static_cast<const float*>(taps.weight), sum.data(),
                         g.in_row());
    float* row = to + unit * g.out_row();
    SumColumns(sum.data(), column_taps, g, writer.Begin(row));
    writer.End(row);
  }
}

}  // namespace

template <typename T>
class ResizeBicubicOp final : public ResizeOpKernel {
 public:
  using ResizeOpKernel::ResizeOpKernel;

 private:
  void Resize(OpKernelContext* ctx, const ResizeGeometry& g,
              const Tensor& images, Tensor* out) override {
    const int64_t n = out->NumElements();
    const auto rows = CubicTaps(g.rows), columns = CubicTaps(g.columns);
    const bool streamed = IsStreamed(n * static_cast<int64_t>(sizeof(float)));
    ParallelFor(ctx, g.batch * g.rows.out, 4 * g.out_row() + 2 * g.in_row(),
                [&](int64_t begin, int64_t end) {
                  ResizeRows(g, rows, columns, images.base<T>(), streamed,
                             begin, end, out->base<float>());
                });
  }
};

template <typename T>
using ResizeBicubicGradOp = ResizeGradOp<T, CubicTaps>;

REGISTER_KERNEL_FOR_TYPES(
    Name("ResizeBicubic").Device(DEVICE_CPU).HostMemory("size"), "T",
    ResizeBicubicOp, int8, uint8, int16, uint16, int32, int64_t, Eigen::half,
    float, double, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("ResizeBicubicGrad").Device(DEVICE_CPU), "T",
                          ResizeBicubicGradOp, float, double);

}  // namespace tensorwright
