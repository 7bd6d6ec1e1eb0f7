// SPDX-License-Identifier: Apache-2.0
// ResizeArea: the mean of the input pixels under an output pixel.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/resize_geometry.h"
#include "core/kernels/image/resize_rows.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Input positions [begin, end) under an output position; the first and the last
// are covered in part.
struct Cover {
  int64_t begin, end;
  float first, last;
};

// The part of input position `at` that lies in [low, high), which is `scale`
// long.
float Covered(float at, float low, float high, float scale) {
  if (at < low) return at + 1 > high ? scale : at + 1 - low;
  return at + 1 > high ? high - at : 1.0f;
}

Cover CoverOf(const ResizeSide& side, int64_t x) {
  const float low = static_cast<float>(x) * side.scale;
  const float high = static_cast<float>(x + 1) * side.scale;
  const float begin = std::floor(low), end = std::ceil(high);
  return {static_cast<int64_t>(begin), static_cast<int64_t>(end),
          Covered(begin, low, high, side.scale),
          Covered(end - 1, low, high, side.scale)};
}

float WeightIn(const Cover& cover, int64_t at) {
  if (at == cover.begin) return cover.first;
  return at == cover.end - 1 ? cover.last : 1.0f;
}

// y[x, c] = scale * sum of the pixels under x.  Pixels outside the row count as
// its last pixel.
void SumColumns(const float* row, const std::vector<Cover>& covers,
                const ResizeGeometry& g, float scale, float* y) {
  const int64_t channels = g.channels;
  const int64_t last = g.columns.in - 1;
  for (const Cover& cover : covers) {
    std::fill_n(y, channels, 0.0f);
    for (int64_t at = cover.begin; at < cover.end; ++at) {
      AddScaledPixel(row + std::min(at, last) * channels, WeightIn(cover, at),
                     channels, y);
    }
    for (int64_t c = 0; c < channels; ++c) y[c] *= scale;
    y += channels;
  }
}

// The same with the sums of 1, 3 or 4 channels in registers.
template <int kChannels>
void SumFewColumns(const float* row, const std::vector<Cover>& covers,
                   const ResizeGeometry& g, float scale, float* y) {
  const int64_t last = g.columns.in - 1;
  for (const Cover& cover : covers) {
    float sum[kChannels] = {};
    const auto add = [&](int64_t at, float weight) {
      const float* pixel = row + std::min(at, last) * kChannels;
      for (int c = 0; c < kChannels; ++c) sum[c] += pixel[c] * weight;
    };
    add(cover.begin, cover.first);
    for (int64_t at = cover.begin + 1; at < cover.end - 1; ++at) add(at, 1.0f);
    if (cover.end - 1 > cover.begin) add(cover.end - 1, cover.last);
    for (int c = 0; c < kChannels; ++c) *y++ = sum[c] * scale;
  }
}

void SumAllColumns(const float* row, const std::vector<Cover>& covers,
                   const ResizeGeometry& g, float scale, float* y) {
  switch (g.channels) {
    case 1:
      return SumFewColumns<1>(row, covers, g, scale, y);
    case 3:
      return SumFewColumns<3>(row, covers, g, scale, y);
    case 4:
      return SumFewColumns<4>(row, covers, g, scale, y);
    default:
      return SumColumns(row, covers, g, scale, y);
  }
}

template <typename T>
void ResizeRows(const ResizeGeometry& g, const std::vector<Cover>& rows,
                const std::vector<Cover>& columns, const T* images,
                int64_t begin, int64_t end, float* to) {
  std::vector<float> sum(g.in_row()),
      floats(kIsStorageOnly<T> ? g.in_row() : 0);
  const float scale =
      static_cast<float>(1.0 / (g.rows.scale * g.columns.scale));
  for (int64_t unit = begin; unit < end; ++unit) {
    const T* image = images + unit / g.rows.out * g.in_image();
    const Cover& cover = rows[unit % g.rows.out];
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int64_t at = cover.begin; at < cover.end; ++at) {
      const T* row = image + std::min(at, g.rows.in - 1) * g.in_row();
      const float weight = WeightIn(cover, at);
      if constexpr (kIsStorageOnly<T>) {
        const float* x = RowAsFloats(row, g.in_row(), floats.data());
        RunWide<AddScaledLoop<float>>(x, weight, sum.data(), g.in_row());
      } else {
        RunWide<AddScaledLoop<float>>(row, weight, sum.data(), g.in_row());
      }
    }
    SumAllColumns(sum.data(), columns, g, scale, to + unit * g.out_row());
  }
}

// If one pixel is aligned at its corners with many, an output pixel covers no
// length, and every one equals that pixel.
ResizeSide WithLength(ResizeSide side) {
  if (side.scale != 0) return side;
  side.scale = 1;
  return side;
}

std::vector<Cover> Covers(const ResizeSide& side) {
  std::vector<Cover> covers(side.out);
  for (int64_t x = 0; x < side.out; ++x) covers[x] = CoverOf(side, x);
  return covers;
}

}  // namespace

template <typename T>
class ResizeAreaOp final : public ResizeOpKernel {
 public:
  using ResizeOpKernel::ResizeOpKernel;

 private:
  void Resize(OpKernelContext* ctx, const ResizeGeometry& given,
              const Tensor& images, Tensor* out) override {
    ResizeGeometry g = given;
    g.rows = WithLength(g.rows);
    g.columns = WithLength(g.columns);
    const auto rows = Covers(g.rows), columns = Covers(g.columns);
    const int64_t per_row = g.rows.in / g.rows.out + 2;
    ParallelFor(ctx, g.batch * g.rows.out,
                g.in_row() * (per_row / 2 + 1) + 4 * g.out_row(),
                [&](int64_t begin, int64_t end) {
                  ResizeRows(g, rows, columns, images.base<T>(), begin, end,
                             out->base<float>());
                });
  }
};

REGISTER_KERNEL_FOR_TYPES(
    Name("ResizeArea").Device(DEVICE_CPU).HostMemory("size"), "T", ResizeAreaOp,
    int8, uint8, int16, uint16, int32, int64_t, Eigen::half, float, double,
    Eigen::bfloat16);

}  // namespace tensorwright
