// SPDX-License-Identifier: Apache-2.0
// The gradient of max pools whose windows do not overlap, as most do: each
// element of the input is read once and its gradient written once, where
// oneDNN runs the pool again to learn the places of the maxima.  Memory bounds
// it.

#include <algorithm>
#include <cstdint>

#include "core/kernels/pooling_ops.h"
#include "core/kernels/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

constexpr int64_t kMaxWindow = 64;
constexpr int64_t kChannels = 64;

// One window of `count` pixels x[k] with gradients dx[k], `n` channels each: dy
// goes to the first maximum, 0 to the others.
struct WindowGradLoop {
  TW_WIDE_LOOP static void Run(const float* const* x, float* const* dx,
                               int32_t count, const float* dy, int64_t n) {
    float best[kChannels];
    int32_t which[kChannels];
    for (int64_t c = 0; c < n; c += kChannels) {
      const int64_t width = std::min(kChannels, n - c);
      std::copy_n(x[0] + c, width, best);
      std::fill_n(which, width, 0);
      for (int32_t k = 1; k < count; ++k) {
        const float* from = x[k] + c;
        TW_VECTORIZE
        for (int64_t j = 0; j < width; ++j) {
          const bool more = from[j] > best[j];
          best[j] = more ? from[j] : best[j];
          which[j] = more ? k : which[j];
        }
      }
      for (int32_t k = 0; k < count; ++k) {
        float* to = dx[k] + c;
        TW_VECTORIZE
        for (int64_t j = 0; j < width; ++j) {
          to[j] = which[j] == k ? dy[c + j] : 0.0f;
        }
      }
    }
  }
};

bool IsApart(const WindowDim& w) {
  return w.dilation == 1 && w.stride >= w.filter;
}

bool CoversAll(const WindowDim& w) {
  return w.stride == w.filter && w.pad_before == 0 &&
         w.output * w.stride >= w.input;
}

}  // namespace

bool MaxPoolGradOfApartWindows(OpKernelContext* ctx, const PoolDimensions& d,
                               const float* input, const float* grad,
                               float* input_grad) {
  if (d.format != FORMAT_NHWC || d.has_planes || d.depth.filter != 1 ||
      !IsApart(d.rows) || !IsApart(d.cols) ||
      d.rows.filter * d.cols.filter > kMaxWindow) {
    return false;
  }
  const int64_t n = d.depth.input, row = d.cols.input * n;
  const bool covers_all = CoversAll(d.rows) && CoversAll(d.cols);
  // One row of windows, and the rows of pixels up to the next one.
  const auto run_row = [&](int64_t image, int64_t i) {
    const float* x = input + image * d.rows.input * row;
    float* dx = input_grad + image * d.rows.input * row;
    if (!covers_all) {
      const auto start = [&](int64_t r) {
        return r == 0 ? int64_t{0}
               : r == d.rows.output
                   ? d.rows.input
                   : std::clamp<int64_t>(r * d.rows.stride - d.rows.pad_before,
                                         0, d.rows.input);
      };
      std::fill(dx + start(i) * row, dx + start(i + 1) * row, 0.0f);
    }
    const WindowRange rows(d.rows, i);
    const float* dy = grad + (image * d.rows.output + i) * d.cols.output * n;
    for (int64_t j = 0; j < d.cols.output; ++j, dy += n) {
      const WindowRange cols(d.cols, j);
      const float* from[kMaxWindow];
      float* to[kMaxWindow];
      int32_t count = 0;
      for (int64_t r = rows.first; r < rows.last; ++r) {
        for (int64_t c = cols.first; c < cols.last; ++c, ++count) {
          from[count] = x + r * row + c * n;
          to[count] = dx + r * row + c * n;
        }
      }
      if (count > 0) RunWide<WindowGradLoop>(&from[0], &to[0], count, dy, n);
    }
  };
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      run_row(k / d.rows.output, k % d.rows.output);
    }
  };
  const int64_t pixels = d.cols.output * d.rows.filter * d.cols.filter;
  ParallelFor(ctx, d.batch * d.rows.output, pixels * (n + 10), run);
  return true;
}

}  // namespace tensorwright
