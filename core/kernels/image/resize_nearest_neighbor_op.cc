// SPDX-License-Identifier: Apache-2.0
// ResizeNearestNeighbor and its gradient.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/resize_geometry.h"
#include "core/kernels/image/resize_rows.h"
#include "core/kernels/lib/stream_copy.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// to[x] = from[nearest[x]], pixels of kBytes bytes.  Pixels are moved as kMoved
// >= kBytes bytes, and the next pixel overwrites the surplus, so the last pixel
// of either row is moved separately.
template <int kBytes, int kMoved>
void PickPixels(const uint8_t* from, const std::vector<int32_t>& offsets,
                int64_t in_bytes, uint8_t* to) {
  const int64_t n = static_cast<int64_t>(offsets.size());
  int64_t x = 0;
  for (; x + 1 < n && offsets[x] + kMoved <= in_bytes; ++x) {
    std::memcpy(to + x * kBytes, from + offsets[x], kMoved);
  }
  for (; x < n; ++x) {
    std::memcpy(to + x * kBytes, from + offsets[x], kBytes);
  }
}

void PickRow(const uint8_t* from, const std::vector<int32_t>& offsets,
             int64_t in_bytes, int64_t pixel_bytes, uint8_t* to) {
  switch (pixel_bytes) {
    case 1:
      return PickPixels<1, 1>(from, offsets, in_bytes, to);
    case 2:
      return PickPixels<2, 2>(from, offsets, in_bytes, to);
    case 3:
      return PickPixels<3, 3>(from, offsets, in_bytes, to);
    case 4:
      return PickPixels<4, 4>(from, offsets, in_bytes, to);
    case 6:
      return PickPixels<6, 6>(from, offsets, in_bytes, to);
    case 8:
      return PickPixels<8, 8>(from, offsets, in_bytes, to);
    case 12:
      return PickPixels<12, 12>(from, offsets, in_bytes, to);
    case 16:
      return PickPixels<16, 16>(from, offsets, in_bytes, to);
    default:
      for (size_t x = 0; x < offsets.size(); ++x, to += pixel_bytes) {
        std::memcpy(to, from + offsets[x], pixel_bytes);
      }
  }
}

// Writes output rows [begin, end) of the batch, as bytes.
void PickRows(const ResizeGeometry& g, const std::vector<int32_t>& offsets,
              int64_t element, const uint8_t* images, bool streamed,
              int64_t begin, int64_t end, uint8_t* to) {
  const int64_t in_bytes = g.in_row() * element;
  const int64_t out_bytes = g.out_row() * element;
  std::vector<uint8_t> made(out_bytes);
  int64_t held = -1;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t source =
        unit / g.rows.out * g.rows.in + g.rows.Nearest(unit % g.rows.out);
    if (source != held) {
      PickRow(images + source * in_bytes, offsets, in_bytes,
              g.channels * element, made.data());
      held = source;
    }
    if (streamed) {
      StreamCopy(made.data(), out_bytes, to + unit * out_bytes);
    } else {
      std::memcpy(to + unit * out_bytes, made.data(), out_bytes);
    }
  }
  if (streamed) FinishStreams();
}

class ResizeNearestNeighborOp final : public ResizeOpKernel {
 public:
  using ResizeOpKernel::ResizeOpKernel;

 private:
  void Resize(OpKernelContext* ctx, const ResizeGeometry& g,
              const Tensor& images, Tensor* out) override {
    const int64_t element = DataTypeSize(images.dtype());
    OP_REQUIRES(ctx, g.in_row() <= kMostResizedRow / element,
                errors::InvalidArgument(
                    "ResizeNearestNeighbor: a row of images must have less "
                    "than 2^31 bytes, got ",
                    images.shape().DebugString()));
    const int64_t n = out->NumElements();
    std::vector<int32_t> offsets(g.columns.out);
    for (int64_t x = 0; x < g.columns.out; ++x) {
      offsets[x] =
          static_cast<int32_t>(g.columns.Nearest(x) * g.channels * element);
    }
    const uint8_t* from = static_cast<const uint8_t*>(images.data());
    uint8_t* to = static_cast<uint8_t*>(out->data());
    ParallelFor(ctx, g.batch * g.rows.out, g.out_row() + 1,
                [&](int64_t begin, int64_t end) {
                  PickRows(g, offsets, element, from, IsStreamed(n * element),
                           begin, end, to);
                });
  }
};
REGISTER_KERNEL_BUILDER(Name("ResizeNearestNeighbor").Device(DEVICE_CPU),
                        ResizeNearestNeighborOp);

// Sums of halves are kept in floats.
template <typename T>
using NearestSum = std::conditional_t<kIsStorageOnly<T>, float, T>;

// Sums the gradients, of `g.rows.out` rows, that came from each pixel of the
// original image, of `g.rows.in` rows.
template <typename T>
void SumNearest(const ResizeGeometry& g, const std::vector<int64_t>& row_begin,
                const std::vector<int64_t>& columns, const T* grads,
                int64_t begin, int64_t end, T* to) {
  using A = NearestSum<T>;
  std::vector<A> sum(g.in_row());
  for (int64_t unit = begin; unit < end; ++unit) {
    const T* image = grads + unit / g.rows.in * g.out_image();
    const int64_t r = unit % g.rows.in;
    std::fill(sum.begin(), sum.end(), A(0));
    for (int64_t y = row_begin[r]; y < row_begin[r + 1]; ++y) {
      const T* pixel = image + y * g.out_row();
      for (int64_t x = 0; x < g.columns.out; ++x) {
        A* at = sum.data() + columns[x];
        for (int64_t c = 0; c < g.channels; ++c) {
          at[c] = static_cast<A>(at[c] + static_cast<A>(pixel[c]));
        }
        pixel += g.channels;
      }
    }
    StoreRow(sum.data(), g.in_row(), to + unit * g.in_row());
  }
}

}  // namespace

template <typename T>
class ResizeNearestNeighborGradOp final : public OpKernel {
 public:
  explicit ResizeNearestNeighborGradOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, attrs_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grads = ctx->input(0);
    const int32_t* sides = ctx->input(1).base<int32_t>();
    ResizeGeometry g;
    g.batch = grads.dim_size(0);
    g.channels = grads.dim_size(3);
    g.rows = ResizeSide(attrs_, sides[0], grads.dim_size(1));
    g.columns = ResizeSide(attrs_, sides[1], grads.dim_size(2));
    TensorShape shape;
    OP_REQUIRES_OK(ctx,
                   TensorShape::BuildTensorShape(
                       {g.batch, g.rows.in, g.columns.in, g.channels}, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    if (grads.NumElements() == 0) {  // Sums of nothing.
      std::fill_n(out->base<T>(), out->NumElements(), T(0));
      return;
    }
    // The nearest position never decreases, so an input row's users are
    // adjacent.
    std::vector<int64_t> row_begin(g.rows.in + 1), columns(g.columns.out);
    for (int64_t y = 0; y < g.rows.out; ++y) ++row_begin[g.rows.Nearest(y) + 1];
    for (int64_t r = 0; r < g.rows.in; ++r) row_begin[r + 1] += row_begin[r];
    for (int64_t x = 0; x < g.columns.out; ++x) {
      columns[x] = g.columns.Nearest(x) * g.channels;
    }
    const int64_t cost =
        g.in_row() + 2 * g.out_row() * (g.rows.out / g.rows.in + 1);
    ParallelFor(ctx, g.batch * g.rows.in, cost,
                [&](int64_t begin, int64_t end) {
                  SumNearest(g, row_begin, columns, grads.base<T>(), begin, end,
                             out->base<T>());
                });
  }

 private:
  ResizeAttrs attrs_;
};

REGISTER_KERNEL_FOR_TYPES(Name("ResizeNearestNeighborGrad").Device(DEVICE_CPU),
                          "T", ResizeNearestNeighborGradOp, uint8, int8, int32,
                          Eigen::half, float, double, Eigen::bfloat16);

}  // namespace tensorwright
