// SPDX-License-Identifier: Apache-2.0
// Max and average pools on a CPU: sizes, loops for every type, and oneDNN for
// floats.
#ifndef TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_H_

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor_shape.h"
#include "core/util/padding.h"
#include "core/util/tensor_format.h"
#include "core/util/window_geometry.h"

namespace tensorwright {

// The attrs of a pool; lists of four in the order of the format.
struct PoolParameters {
  std::vector<int64_t> ksize;
  std::vector<int64_t> strides;
  Padding padding = VALID;
  std::vector<int64_t> explicit_paddings;
  TensorFormat format = FORMAT_NHWC;
};

Status InitPoolParameters(OpKernelConstruction* ctx, PoolParameters* params);

// All sizes of one pool.  Max pools may have a window along depth instead of
// space.
struct PoolDimensions {
  TensorFormat format = FORMAT_NHWC;
  int64_t batch = 0;
  WindowDim rows, cols, depth;

  TensorShape InputShape() const {
    return ShapeFromFormat(format, batch, rows.input, cols.input, depth.input);
  }
  TensorShape OutputShape() const {
    return ShapeFromFormat(format, batch, rows.output, cols.output,
                           depth.output);
  }
};

Status ComputePoolDimensions(const PoolParameters& params,
                             const TensorShape& input, PoolDimensions* dims);

enum class PoolKind { kMax, kAverage };

// Floats by oneDNN; Unimplemented where it has nothing.  All sizes positive.
Status OneDnnPool(OpKernelContext* ctx, PoolKind kind, const PoolDimensions& d,
                  const float* input, float* output);
Status OneDnnAveragePoolGrad(OpKernelContext* ctx, const PoolDimensions& d,
                             const float* output_grad, float* input_grad);
// Runs the pool once more for the places of the maxima.
Status OneDnnMaxPoolGrad(OpKernelContext* ctx, const PoolDimensions& d,
                         const float* input, const float* output_grad,
                         float* input_grad);

// ---- Loops for every type
// ----------------------------------------------------

// The strides of an image batch in elements.
struct PoolStrides {
  int64_t batch, row, col, depth;

  PoolStrides(TensorFormat format, int64_t rows, int64_t cols, int64_t depths)
      : batch(rows * cols * depths),
        row(format == FORMAT_NHWC ? cols * depths : cols),
        col(format == FORMAT_NHWC ? depths : 1),
        depth(format == FORMAT_NHWC ? 1 : rows * cols) {}
};

// The part [first, last) of the input that window `o` covers.
struct WindowRange {
  int64_t first, last;

  WindowRange(const WindowDim& dim, int64_t o)
      : first(o * dim.stride - dim.pad_before), last(first + dim.filter) {
    if (first < 0) first = 0;
    if (last > dim.input) last = dim.input;
  }
  int64_t size() const { return last > first ? last - first : 0; }
};

// Calls f(position in the output, position of its first input element, ranges)
// for each output element of the images [begin, end).
template <typename F>
void ForEachWindow(const PoolDimensions& d, int64_t begin, int64_t end,
                   const F& f) {
  const PoolStrides out(d.format, d.rows.output, d.cols.output, d.depth.output);
  for (int64_t b = begin; b < end; ++b) {
    for (int64_t i = 0; i < d.rows.output; ++i) {
      const WindowRange rows(d.rows, i);
      for (int64_t j = 0; j < d.cols.output; ++j) {
        const WindowRange cols(d.cols, j);
        for (int64_t c = 0; c < d.depth.output; ++c) {
          const WindowRange depths(d.depth, c);
          f(b, b * out.batch + i * out.row + j * out.col + c * out.depth, rows,
            cols, depths);
        }
      }
    }
  }
}

// Calls f(position in the input) for each element of a window.
template <typename F>
void ForEachInWindow(const PoolStrides& in, int64_t b, const WindowRange& rows,
                     const WindowRange& cols, const WindowRange& depths,
                     const F& f) {
  for (int64_t i = rows.first; i < rows.last; ++i) {
    for (int64_t j = cols.first; j < cols.last; ++j) {
      for (int64_t c = depths.first; c < depths.last; ++c) {
        f(b * in.batch + i * in.row + j * in.col + c * in.depth);
      }
    }
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_POOLING_OPS_H_
