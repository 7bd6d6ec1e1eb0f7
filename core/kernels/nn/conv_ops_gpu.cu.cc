// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/nn/conv_ops_gpu.h"

#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace {

using gpu::Compute;
using gpu::Narrow;
using gpu::Widen;

// The number of an element of an image batch, [batch, rows, cols, depth] or
// [batch, depth, rows, cols].
__device__ __forceinline__ int64_t At(const GpuConv& conv, int64_t rows,
                                      int64_t cols, int64_t depth, int64_t b,
                                      int64_t r, int64_t c, int64_t d) {
  return conv.channels_first ? ((b * depth + d) * rows + r) * cols + c
                             : ((b * rows + r) * cols + c) * depth + d;
}
__device__ __forceinline__ int64_t InAt(const GpuConv& conv, int64_t b,
                                        int64_t r, int64_t c, int64_t d) {
  return At(conv, conv.rows.input, conv.cols.input, conv.in_depth, b, r, c, d);
}
__device__ __forceinline__ int64_t OutAt(const GpuConv& conv, int64_t b,
                                         int64_t r, int64_t c, int64_t d) {
  return At(conv, conv.rows.output, conv.cols.output, conv.out_depth, b, r, c,
            d);
}

// The input's row that output row `o` sees at place `k` of the window; outside
// [0, input) it is padding.
__device__ __forceinline__ int64_t SeenAt(const GpuConvWindow& w, int64_t o,
                                          int64_t k) {
  return o * w.stride - w.pad + k * w.dilation;
}

// The output's row that sees input row `i` at place `k`; -1 if none does.
__device__ __forceinline__ int64_t SeenFrom(const GpuConvWindow& w, int64_t i,
                                            int64_t k) {
  const int64_t from = i + w.pad - k * w.dilation;
  if (from < 0 || from % w.stride != 0) return -1;
  const int64_t o = from / w.stride;
  return o < w.output ? o : -1;
}

__device__ __forceinline__ bool Inside(const GpuConvWindow& w, int64_t i) {
  return i >= 0 && i < w.input;
}

// Takes the last number off a mixed number: returns it, *rest keeps the others.
__device__ __forceinline__ int64_t Last(int64_t* rest, int64_t size) {
  const int64_t last = *rest % size;
  *rest /= size;
  return last;
}

// Coordinates of element i of an image batch, as it lies in memory.
struct Place {
  int64_t b, r, c, d;
};
__device__ __forceinline__ Place PlaceOf(bool channels_first, int64_t rows,
                                         int64_t cols, int64_t depth,
                                         int64_t i) {
  Place p;
  if (!channels_first) p.d = Last(&i, depth);
  p.c = Last(&i, cols);
  p.r = Last(&i, rows);
  if (channels_first) p.d = Last(&i, depth);
  p.b = i;
  return p;
}

template <typename T>
struct PatchesFn {
  GpuConv conv;
  const T* input;
  T* patches;

  template <typename Index>
  __device__ void operator()(Index index) const {
    int64_t rest = static_cast<int64_t>(index);
    const int64_t d = Last(&rest, conv.in_depth);
    const int64_t kc = Last(&rest, conv.cols.filter);
    const int64_t kr = Last(&rest, conv.rows.filter);
    const int64_t oc = Last(&rest, conv.cols.output);
    const int64_t r = SeenAt(conv.rows, Last(&rest, conv.rows.output), kr);
    const int64_t c = SeenAt(conv.cols, oc, kc);
    patches[index] = Inside(conv.rows, r) && Inside(conv.cols, c)
                         ? input[InAt(conv, rest, r, c, d)]
                         : Narrow<T>(Compute<T>(0));
  }
};

template <typename T>
struct PatchesGradFn {
  GpuConv conv;
  const T* patches;
  T* input_grad;

  template <typename Index>
  __device__ void operator()(Index index) const {
    const Place p =
        PlaceOf(conv.channels_first, conv.rows.input, conv.cols.input,
                conv.in_depth, static_cast<int64_t>(index));
    Compute<T> sum = 0;
    for (int64_t kr = 0; kr < conv.rows.filter; ++kr) {
      const int64_t r = SeenFrom(conv.rows, p.r, kr);
      if (r < 0) continue;
      for (int64_t kc = 0; kc < conv.cols.filter; ++kc) {
        const int64_t c = SeenFrom(conv.cols, p.c, kc);
        if (c < 0) continue;
        const int64_t pixel =
            (p.b * conv.rows.output + r) * conv.cols.output + c;
        const int64_t window =
            (pixel * conv.rows.filter + kr) * conv.cols.filter + kc;
        sum += Widen(patches[window * conv.in_depth + p.d]);
      }
    }
    input_grad[index] = Narrow<T>(sum);
  }
};

template <typename T>
struct GroupedConvFn {
  GpuConv conv;
  const T* input;
  const T* filter;
  T* output;

  template <typename Index>
  __device__ void operator()(Index index) const {
    const Place p =
        PlaceOf(conv.channels_first, conv.rows.output, conv.cols.output,
                conv.out_depth, static_cast<int64_t>(index));
    const int64_t depth = conv.in_depth / conv.groups;
    const int64_t first = p.d / (conv.out_depth / conv.groups) * depth;
    Compute<T> sum = 0;
    for (int64_t kr = 0; kr < conv.rows.filter; ++kr) {
      const int64_t r = SeenAt(conv.rows, p.r, kr);
      if (!Inside(conv.rows, r)) continue;
      for (int64_t kc = 0; kc < conv.cols.filter; ++kc) {
        const int64_t c = SeenAt(conv.cols, p.c, kc);
        if (!Inside(conv.cols, c)) continue;
        const int64_t window = (kr * conv.cols.filter + kc) * depth;
        for (int64_t d = 0; d < depth; ++d) {
          sum += Widen(input[InAt(conv, p.b, r, c, first + d)]) *
                 Widen(filter[(window + d) * conv.out_depth + p.d]);
        }
      }
    }
    output[index] = Narrow<T>(sum);
  }
};

template <typename T>
struct GroupedConvInputFn {
  GpuConv conv;
  const T* filter;
  const T* grad;
  T* input_grad;

  template <typename Index>
  __device__ void operator()(Index index) const {
    const Place p =
        PlaceOf(conv.channels_first, conv.rows.input, conv.cols.input,
                conv.in_depth, static_cast<int64_t>(index));
    const int64_t depth = conv.in_depth / conv.groups;
    const int64_t outs = conv.out_depth / conv.groups;
    const int64_t first = p.d / depth * outs;
    Compute<T> sum = 0;
    for (int64_t kr = 0; kr < conv.rows.filter; ++kr) {
      const int64_t r = SeenFrom(conv.rows, p.r, kr);
      if (r < 0) continue;
      for (int64_t kc = 0; kc < conv.cols.filter; ++kc) {
        const int64_t c = SeenFrom(conv.cols, p.c, kc);
        if (c < 0) continue;
        const int64_t weights =
            ((kr * conv.cols.filter + kc) * depth + p.d % depth) *
            conv.out_depth;
        for (int64_t d = first; d < first + outs; ++d) {
          sum += Widen(grad[OutAt(conv, p.b, r, c, d)]) *
                 Widen(filter[weights + d]);
        }
      }
    }
    input_grad[index] = Narrow<T>(sum);
  }
};

// The threads of a block that share the pixels of one weight.
constexpr int kFilterThreads = 128;

// A block a weight: its threads go over the pixels that it was used for.
template <typename T>
__global__ void __launch_bounds__(kFilterThreads)
    GroupedConvFilterKernel(GpuConv conv, const T* input, const T* grad,
                            T* filter_grad, int64_t weights) {
  GPU_SHARED(Compute<T>, sums, kFilterThreads);
  const int64_t depth = conv.in_depth / conv.groups;
  const int64_t pixels = conv.batch * conv.rows.output * conv.cols.output;
  const int thread = static_cast<int>(threadIdx.x);
  for (int64_t w = blockIdx.x; w < weights; w += gridDim.x) {
    int64_t rest = w;
    const int64_t od = Last(&rest, conv.out_depth);
    const int64_t d =
        Last(&rest, depth) + od / (conv.out_depth / conv.groups) * depth;
    const int64_t kc = Last(&rest, conv.cols.filter);
    Compute<T> sum = 0;
    for (int64_t at = thread; at < pixels; at += kFilterThreads) {
      int64_t b = at;
      const int64_t oc = Last(&b, conv.cols.output);
      const int64_t orow = Last(&b, conv.rows.output);
      const int64_t r = SeenAt(conv.rows, orow, rest);
      const int64_t c = SeenAt(conv.cols, oc, kc);
      if (!Inside(conv.rows, r) || !Inside(conv.cols, c)) continue;
      sum += Widen(input[InAt(conv, b, r, c, d)]) *
             Widen(grad[OutAt(conv, b, orow, oc, od)]);
    }
    sums[thread] = sum;
    __syncthreads();
    for (int half = kFilterThreads / 2; half > 0; half /= 2) {
      if (thread < half) sums[thread] += sums[thread + half];
      __syncthreads();
    }
    if (thread == 0) filter_grad[w] = Narrow<T>(sums[0]);
    __syncthreads();
  }
}

}  // namespace

template <typename T>
Status GpuPatches(CUstream_st* stream, const GpuConv& conv, int64_t images,
                  const void* input, void* patches) {
  return gpu::ForEach(stream, images * conv.output_pixels() * conv.patch(),
                      PatchesFn<T>{conv, static_cast<const T*>(input),
                                   static_cast<T*>(patches)});
}

template <typename T>
Status GpuPatchesGrad(CUstream_st* stream, const GpuConv& conv, int64_t images,
                      const void* patches, void* input_grad) {
  return gpu::ForEach(stream, images * conv.input_pixels() * conv.in_depth,
                      PatchesGradFn<T>{conv, static_cast<const T*>(patches),
                                       static_cast<T*>(input_grad)});
}

template <typename T>
Status GpuGroupedConv(CUstream_st* stream, const GpuConv& conv,
                      const void* input, const void* filter, void* output) {
  return gpu::ForEach(
      stream, conv.batch * conv.output_pixels() * conv.out_depth,
      GroupedConvFn<T>{conv, static_cast<const T*>(input),
                       static_cast<const T*>(filter), static_cast<T*>(output)});
}

template <typename T>
Status GpuGroupedConvInput(CUstream_st* stream, const GpuConv& conv,
                           const void* filter, const void* grad,
                           void* input_grad) {
  return gpu::ForEach(stream, conv.batch * conv.input_pixels() * conv.in_depth,
                      GroupedConvInputFn<T>{conv, static_cast<const T*>(filter),
                                            static_cast<const T*>(grad),
                                            static_cast<T*>(input_grad)});
}

template <typename T>
Status GpuGroupedConvFilter(CUstream_st* stream, const GpuConv& conv,
                            const void* input, const void* grad,
                            void* filter_grad) {
  const int64_t weights = conv.patch() * conv.out_depth;
  return gpu::Launch(stream, gpu::Blocks(weights * kFilterThreads),
                     kFilterThreads, 0, GroupedConvFilterKernel<T>, conv,
                     static_cast<const T*>(input), static_cast<const T*>(grad),
                     static_cast<T*>(filter_grad), weights);
}

#define TW_CONV(T)                                                             \
  template Status GpuPatches<T>(CUstream_st*, const GpuConv&, int64_t,         \
                                const void*, void*);                           \
  template Status GpuPatchesGrad<T>(CUstream_st*, const GpuConv&, int64_t,     \
                                    const void*, void*);                       \
  template Status GpuGroupedConv<T>(CUstream_st*, const GpuConv&, const void*, \
                                    const void*, void*);                       \
  template Status GpuGroupedConvInput<T>(CUstream_st*, const GpuConv&,         \
                                         const void*, const void*, void*);     \
  template Status GpuGroupedConvFilter<T>(CUstream_st*, const GpuConv&,        \
                                          const void*, const void*, void*);
TW_CONV(gpu::Half)
TW_CONV(gpu::Bfloat16)
TW_CONV(float)
TW_CONV(double)
#undef TW_CONV

}  // namespace tensorwright
