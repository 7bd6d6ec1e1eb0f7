// SPDX-License-Identifier: Apache-2.0
// Convolutions in two dimensions on a GPU.
//
// Without groups they are products of matrices: of patches, a row for each
// pixel of the output, and the filter.  With groups, as depthwise ones, each
// element is summed by itself.
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_GPU_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_GPU_H_

#include <cstdint>

#include "core/lib/core/status.h"
#include "core/lib/gpu/floats.h"

struct CUstream_st;

namespace tensorwright {

// One dimension of the windows, as WindowDim of core/util/window_geometry.h.
struct GpuConvWindow {
  int64_t input, filter, output, stride, dilation, pad;
};

// The sizes of a convolution, and where elements of images are.
struct GpuConv {
  int64_t batch, in_depth, out_depth, groups;
  GpuConvWindow rows, cols;
  bool channels_first;

  int64_t filter_depth() const { return in_depth / groups; }
  int64_t input_pixels() const { return rows.input * cols.input; }
  int64_t output_pixels() const { return rows.output * cols.output; }
  int64_t patch() const { return rows.filter * cols.filter * filter_depth(); }
};

// All take addresses in the device's memory and enqueue their work.  T: Half,
// Bfloat16, float, double.

// patches [images * output_pixels, patch] of `images` images of a convolution
// without groups; `input` is that of the first.
template <typename T>
Status GpuPatches(CUstream_st* stream, const GpuConv& conv, int64_t images,
                  const void* input, void* patches);

// The other way round: input_grad is the sum of what its patches have got.
template <typename T>
Status GpuPatchesGrad(CUstream_st* stream, const GpuConv& conv, int64_t images,
                      const void* patches, void* input_grad);

// With any groups.
template <typename T>
Status GpuGroupedConv(CUstream_st* stream, const GpuConv& conv,
                      const void* input, const void* filter, void* output);
template <typename T>
Status GpuGroupedConvInput(CUstream_st* stream, const GpuConv& conv,
                           const void* filter, const void* grad,
                           void* input_grad);
template <typename T>
Status GpuGroupedConvFilter(CUstream_st* stream, const GpuConv& conv,
                            const void* input, const void* grad,
                            void* filter_grad);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_CONV_OPS_GPU_H_
