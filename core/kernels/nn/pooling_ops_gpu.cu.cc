// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/nn/pooling_ops_gpu.h"

#include <limits>

#include "core/lib/gpu/launch.h"

namespace tensorwright {
namespace {

using gpu::Compute;
using gpu::Narrow;
using gpu::Widen;

// A part [first, last) of one dimension.
struct Range {
  int64_t first, last;
};

// Returns the part of the input that window `o` covers.
__device__ __forceinline__ Range CoveredBy(const GpuPoolWindow& w, int64_t o) {
  const int64_t first = o * w.stride - w.pad, last = first + w.filter;
  return {first < 0 ? 0 : first, last > w.input ? w.input : last};
}

// The windows that cover input `i`.
__device__ __forceinline__ Range WindowsOver(const GpuPoolWindow& w,
                                             int64_t i) {
  const int64_t at = i + w.pad;
  const int64_t first = at < w.filter ? 0 : (at - w.filter) / w.stride + 1;
  const int64_t last = at / w.stride + 1;
  return {first, last > w.output ? w.output : last};
}

struct Place {
  int64_t b, r, c, d;
};

__device__ __forceinline__ int64_t Last(int64_t* rest, int64_t size) {
  const int64_t last = *rest % size;
  *rest /= size;
  return last;
}

// kSize: &GpuPoolWindow::input or output.
template <int64_t GpuPoolWindow::*kSize>
__device__ __forceinline__ Place PlaceOf(const GpuPool& p, int64_t i) {
  Place place;
  if (!p.channels_first) place.d = Last(&i, p.depth.*kSize);
  place.c = Last(&i, p.cols.*kSize);
  place.r = Last(&i, p.rows.*kSize);
  if (p.channels_first) place.d = Last(&i, p.depth.*kSize);
  place.b = i;
  return place;
}
template <int64_t GpuPoolWindow::*kSize>
__device__ __forceinline__ int64_t At(const GpuPool& p, int64_t b, int64_t r,
                                      int64_t c, int64_t d) {
  const int64_t rows = p.rows.*kSize, cols = p.cols.*kSize;
  const int64_t depth = p.depth.*kSize;
  return p.channels_first ? ((b * depth + d) * rows + r) * cols + c
                          : ((b * rows + r) * cols + c) * depth + d;
}
constexpr auto kIn = &GpuPoolWindow::input;
constexpr auto kOut = &GpuPoolWindow::output;

// Calls f(number of the element in the input) for each element of the window of
// output place `o`, in the order of NHWC.
template <class F>
__device__ __forceinline__ void ForEachInWindow(const GpuPool& p,
                                                const Place& o, const F& f) {
  const Range rows = CoveredBy(p.rows, o.r), cols = CoveredBy(p.cols, o.c);
  const Range depths = CoveredBy(p.depth, o.d);
  for (int64_t r = rows.first; r < rows.last; ++r) {
    for (int64_t c = cols.first; c < cols.last; ++c) {
      for (int64_t d = depths.first; d < depths.last; ++d) {
        f(At<kIn>(p, o.b, r, c, d));
      }
    }
  }
}

// Calls f(place in the output) for each window that covers input place `i`.
template <class F>
__device__ __forceinline__ void ForEachWindowOver(const GpuPool& p,
                                                  const Place& i, const F& f) {
  const Range rows = WindowsOver(p.rows, i.r), cols = WindowsOver(p.cols, i.c);
  const Range depths = WindowsOver(p.depth, i.d);
  for (int64_t r = rows.first; r < rows.last; ++r) {
    for (int64_t c = cols.first; c < cols.last; ++c) {
      for (int64_t d = depths.first; d < depths.last; ++d) {
        f(Place{i.b, r, c, d});
      }
    }
  }
}

// The first maximum of a window; NaN is one only if nothing else is there.
template <typename T>
struct Maximum {
  int64_t at = -1;
  Compute<T> value = -std::numeric_limits<Compute<T>>::infinity();

  __device__ __forceinline__ void Take(int64_t index, Compute<T> x) {
    if (at < 0 || x > value || (value != value && x == x)) {
      at = index;
      value = x;
    }
  }
};

template <typename T>
__device__ __forceinline__ Maximum<T> MaximumOf(const GpuPool& pool,
                                                const Place& o,
                                                const T* input) {
  Maximum<T> best;
  ForEachInWindow(pool, o,
                  [&](int64_t at) { best.Take(at, Widen(input[at])); });
  return best;
}

template <typename T>
struct MaxPoolFn {
  GpuPool pool;
  const T* input;
  T* output;

  template <typename Index>
  __device__ void operator()(Index i) const {
    const Place o = PlaceOf<kOut>(pool, static_cast<int64_t>(i));
    output[i] = Narrow<T>(MaximumOf(pool, o, input).value);
  }
};

template <typename T>
struct MaxPoolGradFn {
  GpuPool pool;
  const T* input;
  const T* grad;
  T* input_grad;

  template <typename Index>
  __device__ void operator()(Index i) const {
    Compute<T> sum = 0;
    const auto self = static_cast<int64_t>(i);
    ForEachWindowOver(pool, PlaceOf<kIn>(pool, self), [&](const Place& o) {
      if (MaximumOf(pool, o, input).at != self) return;
      sum += Widen(grad[At<kOut>(pool, o.b, o.r, o.c, o.d)]);
    });
    input_grad[i] = Narrow<T>(sum);
  }
};

__device__ __forceinline__ int64_t SizeOf(const GpuPool& p, const Place& o) {
  const Range rows = CoveredBy(p.rows, o.r), cols = CoveredBy(p.cols, o.c);
  const Range depths = CoveredBy(p.depth, o.d);
  return (rows.last - rows.first) * (cols.last - cols.first) *
         (depths.last - depths.first);
}

template <typename T>
struct AvgPoolFn {
  GpuPool pool;
  const T* input;
  T* output;

  template <typename Index>
  __device__ void operator()(Index i) const {
    const Place o = PlaceOf<kOut>(pool, static_cast<int64_t>(i));
    Compute<T> sum = 0;
    ForEachInWindow(pool, o, [&](int64_t at) { sum += Widen(input[at]); });
    output[i] = Narrow<T>(sum / static_cast<Compute<T>>(SizeOf(pool, o)));
  }
};

template <typename T>
struct AvgPoolGradFn {
  GpuPool pool;
  const T* grad;
  T* input_grad;

  template <typename Index>
  __device__ void operator()(Index i) const {
    Compute<T> sum = 0;
    ForEachWindowOver(pool, PlaceOf<kIn>(pool, static_cast<int64_t>(i)),
                      [&](const Place& o) {
                        sum += Widen(grad[At<kOut>(pool, o.b, o.r, o.c, o.d)]) /
                               static_cast<Compute<T>>(SizeOf(pool, o));
                      });
    input_grad[i] = Narrow<T>(sum);
  }
};

template <int64_t GpuPoolWindow::*kSize>
int64_t Elements(const GpuPool& p) {
  return p.batch * (p.rows.*kSize) * (p.cols.*kSize) * (p.depth.*kSize);
}

}  // namespace

template <typename T>
Status GpuMaxPool(CUstream_st* stream, const GpuPool& pool, const void* input,
                  void* output) {
  return gpu::ForEach(stream, Elements<kOut>(pool),
                      MaxPoolFn<T>{pool, static_cast<const T*>(input),
                                   static_cast<T*>(output)});
}

template <typename T>
Status GpuMaxPoolGrad(CUstream_st* stream, const GpuPool& pool,
                      const void* input, const void* grad, void* input_grad) {
  return gpu::ForEach(stream, Elements<kIn>(pool),
                      MaxPoolGradFn<T>{pool, static_cast<const T*>(input),
                                       static_cast<const T*>(grad),
                                       static_cast<T*>(input_grad)});
}

template <typename T>
Status GpuAvgPool(CUstream_st* stream, const GpuPool& pool, const void* input,
                  void* output) {
  return gpu::ForEach(stream, Elements<kOut>(pool),
                      AvgPoolFn<T>{pool, static_cast<const T*>(input),
                                   static_cast<T*>(output)});
}

template <typename T>
Status GpuAvgPoolGrad(CUstream_st* stream, const GpuPool& pool,
                      const void* grad, void* input_grad) {
  return gpu::ForEach(stream, Elements<kIn>(pool),
                      AvgPoolGradFn<T>{pool, static_cast<const T*>(grad),
                                       static_cast<T*>(input_grad)});
}

#define TW_POOL(T)                                                             \
  template Status GpuMaxPool<T>(CUstream_st*, const GpuPool&, const void*,     \
                                void*);                                        \
  template Status GpuMaxPoolGrad<T>(CUstream_st*, const GpuPool&, const void*, \
                                    const void*, void*);                       \
  template Status GpuAvgPool<T>(CUstream_st*, const GpuPool&, const void*,     \
                                void*);                                        \
  template Status GpuAvgPoolGrad<T>(CUstream_st*, const GpuPool&, const void*, \
                                    void*);
TW_POOL(gpu::Half)
TW_POOL(gpu::Bfloat16)
TW_POOL(float)
TW_POOL(double)
#undef TW_POOL

}  // namespace tensorwright
