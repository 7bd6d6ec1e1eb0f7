// SPDX-License-Identifier: Apache-2.0
// Computes Winograd's convolution block by block of tiles: a block's
// transformed input and output stay in the second-level cache of the thread
// that works on it.

#include "core/kernels/nn/conv_ops_winograd.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/framework/tensor.h"
#include "core/kernels/lib/repeatable.h"
#include "core/kernels/nn/conv_ops_product.h"
#include "core/kernels/nn/conv_ops_winograd_simd.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using winograd::kChannelStep;
using winograd::kPoints;
using winograd::kTile;

// The floats of a block's transformed arrays, and the step of its number of
// tiles.
constexpr int64_t kBlockFloats = 176 << 10;
constexpr int64_t kBlockStep = 12;
constexpr int64_t kMinBlock = 24, kMaxBlock = 96;

// Returns the distance between points of `n` floats: not a multiple of a page,
// or the points would compete for the same places of the first-level cache.
int64_t PointStride(int64_t n) { return n + kChannelStep; }

// A convolution with stride 1, and the sizes of the images on both sides.
struct Layer {
  int taps;
  int64_t batch;
  int64_t rows, cols, depth;              // The input's.
  int64_t out_rows, out_cols, out_depth;  // The output's.
  int64_t pad_rows, pad_cols;  // The padding before the first row and column.

  int tile() const { return winograd::OutputTile(taps); }
  int64_t tile_cols() const { return (out_cols + tile() - 1) / tile(); }
  int64_t tiles_of_image() const {
    return (out_rows + tile() - 1) / tile() * tile_cols();
  }
  int64_t tiles() const { return batch * tiles_of_image(); }
  int64_t pairs() const { return depth * out_depth; }
  int64_t block() const {
    const int64_t fits = kBlockFloats / (kPoints * (depth + out_depth));
    return std::clamp(fits / kBlockStep * kBlockStep, kMinBlock, kMaxBlock);
  }
  int64_t blocks() const { return (tiles() + block() - 1) / block(); }
};

Layer ForwardLayer(const Conv2DDimensions& d) {
  return {static_cast<int>(d.rows.filter),
          d.batch,
          d.rows.input,
          d.cols.input,
          d.in_depth,
          d.rows.output,
          d.cols.output,
          d.out_depth,
          d.rows.pad_before,
          d.cols.pad_before};
}

// The gradient of the input is a convolution of the output's gradient with the
// filter turned around.
Layer BackwardLayer(const Conv2DDimensions& d) {
  Layer l = ForwardLayer(d);
  std::swap(l.rows, l.out_rows);
  std::swap(l.cols, l.out_cols);
  std::swap(l.depth, l.out_depth);
  l.pad_rows = l.taps - 1 - l.pad_rows;
  l.pad_cols = l.taps - 1 - l.pad_cols;
  return l;
}

Status NotFinite() {
  return errors::Unimplemented("Winograd's result is not finite");
}

// Shards of a session that must repeat, whatever its number of threads.
constexpr int64_t kFixedShards = 8;

int Shards(OpKernelContext* ctx, const Layer& l) {
  if (MustRepeat(ctx)) {
    return static_cast<int>(std::clamp<int64_t>(l.blocks(), 1, kFixedShards));
  }
  const auto* threads = ctx->device()->tensorflow_cpu_worker_threads();
  const int most = threads == nullptr ? 1
                                      : std::min(threads->num_threads,
                                                 GetPerThreadMaxParallelism());
  return static_cast<int>(std::clamp<int64_t>(l.blocks(), 1, most));
}

// Runs work(shard) for all shards, on as many threads as there are.
template <typename Work>
void ForShards(OpKernelContext* ctx, const Layer& l, int shards,
               const Work& work) {
  const int64_t cost = l.tiles() * kPoints * l.pairs() / 16 / shards;
  ParallelFor(ctx, shards, cost, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) work(static_cast<int>(s));
  });
}

// Finds the tiles of a layer's images.
template <typename T>
class Tiles {
 public:
  // `outside` stands for pixels outside the images.
  Tiles(const Layer& l, T* images, int64_t rows, int64_t cols, int64_t depth,
        int64_t pad_rows, int64_t pad_cols, int size, T* outside)
      : layer_(l),
        images_(images),
        rows_(rows),
        cols_(cols),
        depth_(depth),
        pad_rows_(pad_rows),
        pad_cols_(pad_cols),
        size_(size),
        outside_(outside) {}

  static Tiles Input(const Layer& l, T* images, T* outside) {
    return Tiles(l, images, l.rows, l.cols, l.depth, l.pad_rows, l.pad_cols,
                 kTile, outside);
  }
  static Tiles Output(const Layer& l, T* images, T* outside) {
    return Tiles(l, images, l.out_rows, l.out_cols, l.out_depth, 0, 0, l.tile(),
                 outside);
  }

  // Finds the size^2 pixels of a tile, row by row.
  void Find(int64_t tile, T** pixels) const {
    const int64_t image = tile / layer_.tiles_of_image();
    const int64_t at = tile % layer_.tiles_of_image();
    const int64_t row = at / layer_.tile_cols() * layer_.tile() - pad_rows_;
    const int64_t col = at % layer_.tile_cols() * layer_.tile() - pad_cols_;
    for (int64_t r = row; r < row + size_; ++r) {
      T* const line = images_ + (image * rows_ + r) * cols_ * depth_;
      for (int64_t c = col; c < col + size_; ++c) {
        const bool inside = r >= 0 && r < rows_ && c >= 0 && c < cols_;
        *pixels++ = inside ? line + c * depth_ : outside_;
      }
    }
  }

 private:
  const Layer& layer_;
  T* images_;
  int64_t rows_, cols_, depth_, pad_rows_, pad_cols_;
  int size_;
  T* outside_;
};

Status Allocate(OpKernelContext* ctx, int64_t n, Tensor* buffer) {
  return ctx->allocate_temp(DT_FLOAT, TensorShape({n}), buffer);
}

// Transforms filter [taps, taps, depth, out depth].
Status TransformedFilter(OpKernelContext* ctx, const Layer& l,
                         const float* filter, Tensor* buffer) {
  const int64_t stride = PointStride(l.pairs());
  TF_RETURN_IF_ERROR(Allocate(ctx, kPoints * stride, buffer));
  float* const to = buffer->base<float>();
  ParallelFor(ctx, l.depth, 30 * l.out_depth, [&](int64_t begin, int64_t end) {
    const int64_t at = begin * l.out_depth;
    winograd::TransformFilter(l.taps, filter + at, l.pairs(),
                              (end - begin) * l.out_depth, to + at, stride);
  });
  return OkStatus();
}

// Rearranges [taps, taps, depth, out depth] -> [taps, taps, out depth, depth]
// with the taps in reverse order.
void TurnAround(OpKernelContext* ctx, int taps, int64_t depth,
                int64_t out_depth, const float* filter, float* to) {
  const int64_t n = depth * out_depth;
  const int last = taps * taps - 1;
  ParallelFor(ctx, taps * taps, 2 * n, [&](int64_t begin, int64_t end) {
    for (int64_t tap = begin; tap < end; ++tap) {
      const float* from = filter + (last - tap) * n;
      float* out = to + tap * n;
      // Works on squares of a few cache lines each way.
      for (int64_t o0 = 0; o0 < out_depth; o0 += kChannelStep) {
        for (int64_t c = 0; c < depth; ++c) {
          for (int64_t o = o0; o < o0 + kChannelStep; ++o) {
            out[o * depth + c] = from[c * out_depth + o];
          }
        }
      }
    }
  });
}

// output = input * filter; `filter` is transformed already.
Status Convolve(OpKernelContext* ctx, const Layer& l, const float* input,
                const float* filter, const float* bias, float* output) {
  const int shards = Shards(ctx, l);
  const int64_t block = l.block();
  const int64_t in_stride = PointStride(block * l.depth);
  const int64_t out_stride = PointStride(block * l.out_depth);
  const int64_t filter_stride = PointStride(l.pairs());
  const int64_t floats =
      kPoints * (in_stride + out_stride) + l.depth + l.out_depth;
  Tensor buffer;
  TF_RETURN_IF_ERROR(Allocate(ctx, shards * floats, &buffer));
  std::atomic<int64_t> next_block{0};
  std::atomic<bool> is_finite{true};
  ForShards(ctx, l, shards, [&](int shard) {
    float* const in = buffer.base<float>() + shard * floats;
    float* const out = in + kPoints * in_stride;
    float* const zeros = out + kPoints * out_stride;
    float* const unused = zeros + l.depth;
    std::fill_n(zeros, l.depth, 0.0f);
    const auto from = Tiles<const float>::Input(l, input, zeros);
    const auto to = Tiles<float>::Output(l, output, unused);
    for (int64_t b; (b = next_block++) < l.blocks();) {
      const int64_t first = b * block;
      const int64_t n = std::min(block, l.tiles() - first);
      for (int64_t t = 0; t < n; ++t) {
        const float* pixels[kPoints];
        from.Find(first + t, pixels);
        winograd::TransformInput(pixels, l.depth, in + t * l.depth, in_stride);
      }
      for (int p = 0; p < kPoints; ++p) {
        Multiply(n, l.depth, l.out_depth, in + p * in_stride,
                 filter + p * filter_stride, out + p * out_stride);
      }
      for (int64_t t = 0; t < n; ++t) {
        float* pixels[kPoints];
        to.Find(first + t, pixels);
        if (!winograd::TransformOutput(l.taps, out + t * l.out_depth,
                                       out_stride, l.out_depth, bias, pixels)) {
          is_finite = false;
        }
      }
    }
  });
  return is_finite ? OkStatus() : NotFinite();
}

// Finishes filter_grad [taps, taps, depth, out depth] from the sums of all
// shards, each of which is `floats` after the last.  Overwrites the first.
Status FinishFilterGrad(OpKernelContext* ctx, const Layer& l, float* sums,
                        int shards, int64_t floats, float* filter_grad) {
  const int64_t sum_stride = PointStride(l.pairs());
  std::atomic<bool> is_finite{true};
  const auto finish = [&](int64_t begin, int64_t end) {
    const int64_t at = begin * l.out_depth, n = (end - begin) * l.out_depth;
    for (int p = 0; p < kPoints; ++p) {
      float* const to = sums + p * sum_stride + at;
      for (int s = 1; s < shards; ++s) {
        const float* from = to + s * floats;
        for (int64_t i = 0; i < n; ++i) to[i] += from[i];
      }
    }
    if (!winograd::TransformFilterGrad(l.taps, sums + at, sum_stride, n,
                                       filter_grad + at, l.pairs())) {
      is_finite = false;
    }
  };
  ParallelFor(ctx, l.depth, 60 * l.out_depth, finish);
  return is_finite ? OkStatus() : NotFinite();
}

}  // namespace

Status WinogradForward(OpKernelContext* ctx, const Conv2DDimensions& dims,
                       const float* input, const float* filter,
                       const float* bias, float* output) {
  const Layer l = ForwardLayer(dims);
  Tensor transformed;
  TF_RETURN_IF_ERROR(TransformedFilter(ctx, l, filter, &transformed));
  return Convolve(ctx, l, input, transformed.base<float>(), bias, output);
}

Status WinogradBackwardInput(OpKernelContext* ctx, const Conv2DDimensions& dims,
                             const float* filter, const float* output_grad,
                             float* input_grad) {
  const Layer l = BackwardLayer(dims);
  Tensor turned, transformed;
  TF_RETURN_IF_ERROR(Allocate(ctx, l.taps * l.taps * l.pairs(), &turned));
  TurnAround(ctx, l.taps, dims.in_depth, dims.out_depth, filter,
             turned.base<float>());
  TF_RETURN_IF_ERROR(
      TransformedFilter(ctx, l, turned.base<float>(), &transformed));
  return Convolve(ctx, l, output_grad, transformed.base<float>(),
                  /*bias=*/nullptr, input_grad);
}

Status WinogradBackwardFilter(OpKernelContext* ctx,
                              const Conv2DDimensions& dims, const float* input,
                              const float* output_grad, float* filter_grad) {
  const Layer l = ForwardLayer(dims);
  const int shards = Shards(ctx, l);
  const int64_t block = l.block();
  const int64_t in_stride = PointStride(block * l.depth);
  const int64_t out_stride = PointStride(block * l.out_depth);
  const int64_t sum_stride = PointStride(l.pairs());
  const int64_t floats =
      kPoints * (in_stride + out_stride + sum_stride) + l.depth + l.out_depth;
  Tensor buffer;
  TF_RETURN_IF_ERROR(Allocate(ctx, shards * floats, &buffer));
  // Each shard has its own blocks, so that the sums do not depend on the order
  // in which threads run.
  ForShards(ctx, l, shards, [&](int shard) {
    float* const sum = buffer.base<float>() + shard * floats;
    float* const in = sum + kPoints * sum_stride;
    float* const out = in + kPoints * in_stride;
    float* const zeros = out + kPoints * out_stride;
    std::fill_n(sum, kPoints * sum_stride, 0.0f);
    std::fill_n(zeros, l.depth + l.out_depth, 0.0f);
    const auto from = Tiles<const float>::Input(l, input, zeros);
    const auto grads = Tiles<const float>::Output(l, output_grad, zeros);
    for (int64_t b = shard; b < l.blocks(); b += shards) {
      const int64_t first = b * block;
      const int64_t n = std::min(block, l.tiles() - first);
      for (int64_t t = 0; t < n; ++t) {
        const float* pixels[kPoints];
        from.Find(first + t, pixels);
        winograd::TransformInput(pixels, l.depth, in + t * l.depth, in_stride);
        grads.Find(first + t, pixels);
        winograd::TransformOutputGrad(l.taps, pixels, l.out_depth,
                                      out + t * l.out_depth, out_stride);
      }
      for (int p = 0; p < kPoints; ++p) {
        MultiplyTransposed(l.depth, n, l.out_depth, in + p * in_stride,
                           out + p * out_stride, sum + p * sum_stride);
      }
    }
  });
  return FinishFilterGrad(ctx, l, buffer.base<float>(), shards, floats,
                          filter_grad);
}

}  // namespace tensorwright
