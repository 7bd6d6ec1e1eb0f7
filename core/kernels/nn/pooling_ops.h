// SPDX-License-Identifier: Apache-2.0
// Max and average pools on a CPU: sizes, loops for every type, and oneDNN for
// floats.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_H_

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor_shape.h"
#include "core/util/tensor_format.h"
#include "core/util/window_attrs.h"
#include "core/util/window_geometry.h"

namespace tensorwright {

// All sizes of one pool.  Max pools may have a window along depth instead of
// space.  A pool in two dimensions has one plane.
struct PoolDimensions {
  TensorFormat format = FORMAT_NHWC;
  int64_t batch = 0;
  bool has_planes = false;
  WindowDim planes{.input = 1, .filter = 1, .output = 1};
  WindowDim rows, cols, depth;

  TensorShape InputShape() const;
  TensorShape OutputShape() const;
  // Elements of one image.
  int64_t InputSize() const {
    return planes.input * rows.input * cols.input * depth.input;
  }
  int64_t OutputSize() const {
    return planes.output * rows.output * cols.output * depth.output;
  }
  // Returns roughly how many CPU cycles the loops below take for one image.
  int64_t Cost() const {
    return 3 * OutputSize() * planes.filter * rows.filter * cols.filter *
           depth.filter;
  }
};

// Computes the sizes; InvalidArgument if the attrs do not fit the shape.  The
// callers decide whether windows may go over channels.
Status ComputePoolDimensions(const WindowAttrs& attrs, const TensorShape& input,
                             PoolDimensions* dims);

enum class PoolKind { kMax, kAverage };

// Pools floats by oneDNN; Unimplemented if oneDNN does not support the sizes.
// All sizes are positive.
Status OneDnnPool(OpKernelContext* ctx, PoolKind kind, const PoolDimensions& d,
                  const float* input, float* output);
Status OneDnnAveragePoolGrad(OpKernelContext* ctx, const PoolDimensions& d,
                             const float* output_grad, float* input_grad);
// Computes the gradient of a max pool by oneDNN, which runs the forward pool
// again to find the maxima.
Status OneDnnMaxPoolGrad(OpKernelContext* ctx, const PoolDimensions& d,
                         const float* input, const float* output_grad,
                         float* input_grad);

// Computes the gradient of a max pool whose windows do not overlap and whose
// channels lie together; see CanApart (pooling_ops_choose.h).  All sizes are
// positive.
void MaxPoolGradOfApartWindows(OpKernelContext* ctx, const PoolDimensions& d,
                               const float* input, const float* grad,
                               float* input_grad);

// ---- Max pools of floats and the places of their maxima
//
// A place is the number of a pixel in its window, counted row by row; pixels
// outside the image are counted too.  NaN is never a maximum.  If a window has
// no maximum, its place is 0 or that of its first pixel inside the image.

// Says whether the two functions below support these sizes; it is HasPlaces of
// the attrs (core/util/window_attrs.h).
bool HasPlaces(const PoolDimensions& d);

// Writes the maxima and, unless `places` is null, their places, both in the
// shape of the output.
void MaxPoolWithPlaces(OpKernelContext* ctx, const PoolDimensions& d,
                       const float* input, float* output, uint8_t* places);

// Computes the gradient.  If `places` is null, because no forward pool kept
// them, it searches `input` for the maxima; otherwise it does not read `input`.
void MaxPoolGradOfPlaces(OpKernelContext* ctx, const PoolDimensions& d,
                         const float* input, const uint8_t* places,
                         const float* grad, float* input_grad);

// Computes the gradient of a max pool as TensorFlow defines it for pools with
// planes: every input element that equals its window's output receives the
// output's whole gradient, even if several elements do.  For float, half and
// bfloat16.
template <typename T>
void MaxPoolGradOfEquals(OpKernelContext* ctx, const PoolDimensions& d,
                         const T* input, const T* output, const T* grad,
                         T* input_grad);

// ---- Loops for every type
// ----------------------------------------------------

// The strides of an image batch in elements.
struct PoolStrides {
  int64_t batch, plane, row, col, depth;

  PoolStrides(const PoolDimensions& d, int64_t WindowDim::*size)
      : batch(d.planes.*size * d.rows.*size * d.cols.*size * d.depth.*size) {
    const bool last = d.format == FORMAT_NHWC;
    depth = last ? 1 : d.planes.*size * d.rows.*size * d.cols.*size;
    col = last ? d.depth.*size : 1;
    row = col * d.cols.*size;
    plane = row * d.rows.*size;
  }
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

// The part of image `batch` that one window covers.
struct PoolWindow {
  int64_t batch;
  WindowRange planes, rows, cols, depths;

  int64_t size() const {
    return planes.size() * rows.size() * cols.size() * depths.size();
  }
};

// Calls f(position in the output, window) for each output element of the images
// [begin, end).
template <typename F>
void ForEachWindow(const PoolDimensions& d, int64_t begin, int64_t end,
                   const F& f) {
  const PoolStrides out(d, &WindowDim::output);
  for (int64_t b = begin; b < end; ++b) {
    for (int64_t p = 0; p < d.planes.output; ++p) {
      const WindowRange planes(d.planes, p);
      for (int64_t i = 0; i < d.rows.output; ++i) {
        const WindowRange rows(d.rows, i);
        for (int64_t j = 0; j < d.cols.output; ++j) {
          const WindowRange cols(d.cols, j);
          const int64_t at =
              b * out.batch + p * out.plane + i * out.row + j * out.col;
          for (int64_t c = 0; c < d.depth.output; ++c) {
            f(at + c * out.depth,
              PoolWindow{b, planes, rows, cols, WindowRange(d.depth, c)});
          }
        }
      }
    }
  }
}

// Calls f(position in the input) for each element of a window, in the order of
// NHWC.
template <typename F>
void ForEachInWindow(const PoolStrides& in, const PoolWindow& w, const F& f) {
  for (int64_t p = w.planes.first; p < w.planes.last; ++p) {
    for (int64_t i = w.rows.first; i < w.rows.last; ++i) {
      for (int64_t j = w.cols.first; j < w.cols.last; ++j) {
        const int64_t at =
            w.batch * in.batch + p * in.plane + i * in.row + j * in.col;
        for (int64_t c = w.depths.first; c < w.depths.last; ++c) {
          f(at + c * in.depth);
        }
      }
    }
  }
}

// Returns the position of a window's first maximum in the input; -1 if the
// window is all padding.  Larger(a, b): a > b.
template <typename T, typename Larger>
int64_t FirstMaximum(const PoolStrides& in, const PoolWindow& w, const T* input,
                     const Larger& larger) {
  int64_t best = -1;
  ForEachInWindow(in, w, [&](int64_t at) {
    if (best < 0 || larger(input[at], input[best])) best = at;
  });
  return best;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_POOLING_OPS_H_
