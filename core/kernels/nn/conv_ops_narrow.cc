// SPDX-License-Identifier: Apache-2.0
// NarrowBackwardInput goes over bands of input rows; the patches of a few
// output rows stay in the second-level cache.

#include "core/kernels/nn/conv_ops_narrow.h"

#include <algorithm>

#include "core/framework/tensor.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/nn/conv_ops_product.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// So many floats of patches are in work at a time.
constexpr int64_t kPatchFloats = 96 << 10;
// Images are cut into bands until there are so many; output rows whose patches
// reach into two bands are computed for each of them.
constexpr int64_t kBandsEnough = 8;

struct AddLoop {
  TW_WIDE_LOOP static void Run(const float* x, float* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] += x[i];
  }
};

// Adds one row of taps of every patch of an output row to the image's row,
// where they lie inside the image; patches are `patch` floats apart.
struct AddTapsLoop {
  TW_WIDE_LOOP static void Run(const WindowDim* cols, int64_t depth,
                               const float* taps, int64_t patch, float* row) {
    for (int64_t j = 0; j < cols->output; ++j, taps += patch) {
      const int64_t at = j * cols->stride - cols->pad_before;
      const int64_t first = std::max<int64_t>(0, -at);
      const int64_t last = std::min(cols->filter, cols->input - at);
      AddLoop::Run(taps + first * depth, row + (at + first) * depth,
                   std::max<int64_t>(0, last - first) * depth);
    }
  }
};

struct Work {
  const Conv2DDimensions& d;
  const float* turned;  // [out depth, patch].
  int64_t patch;        // Floats of one patch, padded for Multiply.

  // The number of output rows whose patches are in work at a time.
  int64_t step() const {
    return std::clamp<int64_t>(kPatchFloats / (patch * d.cols.output), 1,
                               d.rows.output);
  }
  int64_t buffer_size() const { return step() * d.cols.output * patch; }

  // Computes rows [first, last) of the gradient of one image.
  void RunBand(int64_t first, int64_t last, const float* output_grad,
               float* patches, float* input_grad) const {
    const int64_t row = d.cols.input * d.in_depth;
    std::fill(input_grad + first * row, input_grad + last * row, 0.0f);
    const auto top = [&](int64_t o) {
      return o * d.rows.stride - d.rows.pad_before;
    };
    const int64_t extent = (d.rows.filter - 1) * d.rows.dilation + 1;
    int64_t begin = 0, end = d.rows.output;
    while (begin < end && top(begin) + extent <= first) ++begin;
    while (begin < end && top(end - 1) >= last) --end;
    for (int64_t o0 = begin; o0 < end; o0 += step()) {
      const int64_t o1 = std::min(o0 + step(), end);
      Multiply((o1 - o0) * d.cols.output, d.out_depth, patch,
               output_grad + o0 * d.cols.output * d.out_depth, turned, patches);
      for (int64_t o = o0; o < o1; ++o) {
        for (int64_t i = 0; i < d.rows.filter; ++i) {
          const int64_t r = top(o) + i * d.rows.dilation;
          if (r < first || r >= last) continue;
          const float* taps = patches + (o - o0) * d.cols.output * patch +
                              i * d.cols.filter * d.in_depth;
          RunWide<AddTapsLoop>(&d.cols, d.in_depth, taps, patch,
                               input_grad + r * row);
        }
      }
    }
  }
};

}  // namespace

Status NarrowBackwardInput(OpKernelContext* ctx, const Conv2DDimensions& dims,
                           const float* filter, const float* output_grad,
                           float* input_grad) {
  const Conv2DDimensions& d = dims;
  const int64_t size = d.patch_size();
  const int64_t patch =
      (size + kProductColumns - 1) / kProductColumns * kProductColumns;
  Tensor turned;
  TF_RETURN_IF_ERROR(
      ctx->allocate_temp(DT_FLOAT, TensorShape({d.out_depth, patch}), &turned));
  float* to = turned.base<float>();
  std::fill_n(to, d.out_depth * patch, 0.0f);
  for (int64_t p = 0; p < size; ++p) {
    for (int64_t o = 0; o < d.out_depth; ++o) {
      to[o * patch + p] = filter[p * d.out_depth + o];
    }
  }
  const Work work{d, to, patch};
  const int64_t height = d.rows.input;
  const int64_t bands = std::clamp<int64_t>(
      std::min((kBandsEnough + d.batch - 1) / d.batch,
               height / (4 * d.rows.filter * d.rows.dilation)),
      1, kBandsEnough);
  const int64_t total = d.batch * bands;
  const int64_t shards = std::min(total, kBandsEnough);
  Tensor patches;
  TF_RETURN_IF_ERROR(ctx->allocate_temp(
      DT_FLOAT, TensorShape({shards, work.buffer_size()}), &patches));
  const int64_t in_size = d.input_pixels() * d.in_depth;
  const int64_t out_size = d.output_pixels() * d.out_depth;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      float* const buffer = patches.base<float>() + s * work.buffer_size();
      for (int64_t k = total * s / shards; k < total * (s + 1) / shards; ++k) {
        const int64_t image = k / bands, band = k % bands;
        work.RunBand(height * band / bands, height * (band + 1) / bands,
                     output_grad + image * out_size, buffer,
                     input_grad + image * in_size);
      }
    }
  };
  ParallelFor(ctx, shards, static_cast<int64_t>(d.Flops() / 16) / shards, run);
  return OkStatus();
}

}  // namespace tensorwright
