// SPDX-License-Identifier: Apache-2.0
// Softmax and its cross entropies on a GPU, for the host's side of kernels.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_SOFTMAX_OP_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_SOFTMAX_OP_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;  // A cudaStream_t points to one.

namespace tensorwright {

// out = softmax(x), or its logarithm; x and out, which may be x: [rows,
// classes].
template <typename T>
Status GpuSoftmax(CUstream_st* stream, const void* x, int64_t rows,
                  int64_t classes, bool log, void* out);

// A [rows, classes] view that may repeat along either dimension.
struct GpuRowsView {
  const void* data;
  int64_t row_step;
  int64_t col_step;
};

// loss: [rows], backprop: [rows, classes].
template <typename T>
Status GpuXent(CUstream_st* stream, const GpuRowsView& features,
               const GpuRowsView& labels, int64_t rows, int64_t classes,
               void* loss, void* backprop);

// labels: [rows] of Index.  A label that is no class gives NaN, as in
// TensorFlow.
template <typename T, typename Index>
Status GpuSparseXent(CUstream_st* stream, const void* features,
                     const void* labels, int64_t rows, int64_t classes,
                     void* loss, void* backprop);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_SOFTMAX_OP_GPU_H_
