// SPDX-License-Identifier: Apache-2.0
// Softmax, LogSoftmax and the cross entropies, on the device: a team of threads
// a row, three walks over it, of which the caches serve the last two.

#include "core/kernels/nn/softmax_op_gpu.h"

#include "core/kernels/lib/gpu/rows_gpu.cu.h"

namespace tensorwright {
namespace gpu {
namespace {

template <typename C>
struct Normalizer {
  C shift;  // The row's maximum.
  C sum;    // The sum of exp(x - shift).
};

// get(i) is element i of the row.
template <int kTeam, typename C, class Get>
__device__ Normalizer<C> Normalize(int64_t classes, const Get& get) {
  using Team = RowTeam<kTeam>;
  const C lowest = -std::numeric_limits<C>::infinity();
  C shift = lowest;
  for (int64_t i = Team::Member(); i < classes; i += kTeam) {
    shift = LargerOf()(get(i), shift);
  }
  shift = Team::Reduce(shift, lowest, LargerOf());
  C sum = 0;
  for (int64_t i = Team::Member(); i < classes; i += kTeam) {
    sum += std::exp(get(i) - shift);
  }
  return {shift, Team::Reduce(sum, C(0), SumOf())};
}

template <typename T, int kTeam>
__global__ void __launch_bounds__(kThreads)
    SoftmaxKernel(const T* x, int64_t rows, int64_t classes, bool log, T* out) {
  using Team = RowTeam<kTeam>;
  using C = Compute<T>;
  for (int64_t r = Team::First(); r < rows; r += Team::Step()) {
    const T* const row = x + r * classes;
    const auto get = [row](int64_t i) { return Widen(row[i]); };
    const Normalizer<C> n = Normalize<kTeam, C>(classes, get);
    const C log_sum = std::log(n.sum), scale = C(1) / n.sum;
    for (int64_t i = Team::Member(); i < classes; i += kTeam) {
      // Subtracts in two steps, because one would lose the digits of a small
      // logarithm.
      const C moved = get(i) - n.shift;
      out[r * classes + i] =
          Narrow<T>(log ? moved - log_sum : std::exp(moved) * scale);
    }
  }
}

template <typename T, int kTeam>
__global__ void __launch_bounds__(kThreads)
    XentKernel(GpuRowsView features, GpuRowsView labels, int64_t rows,
               int64_t classes, T* loss, T* backprop) {
  using Team = RowTeam<kTeam>;
  using C = Compute<T>;
  for (int64_t r = Team::First(); r < rows; r += Team::Step()) {
    const T* const row =
        static_cast<const T*>(features.data) + r * features.row_step;
    const T* const label =
        static_cast<const T*>(labels.data) + r * labels.row_step;
    const int64_t step = features.col_step;
    const auto get = [row, step](int64_t i) { return Widen(row[i * step]); };
    const Normalizer<C> n = Normalize<kTeam, C>(classes, get);
    const C log_sum = std::log(n.sum), scale = C(1) / n.sum;
    C total = 0;
    for (int64_t i = Team::Member(); i < classes; i += kTeam) {
      const C l = Widen(label[i * labels.col_step]);
      const C moved = get(i) - n.shift;
      // A label of 0 adds nothing, even if the term is infinite.
      if (l != C(0)) total += l * (log_sum - moved);
      backprop[r * classes + i] = Narrow<T>(std::exp(moved) * scale - l);
    }
    total = Team::Reduce(total, C(0), SumOf());
    if (Team::Member() == 0) loss[r] = Narrow<T>(total);
  }
}

template <typename T, typename Index, int kTeam>
__global__ void __launch_bounds__(kThreads)
    SparseXentKernel(const T* features, const Index* labels, int64_t rows,
                     int64_t classes, T* loss, T* backprop) {
  using Team = RowTeam<kTeam>;
  using C = Compute<T>;
  for (int64_t r = Team::First(); r < rows; r += Team::Step()) {
    const T* const row = features + r * classes;
    const auto get = [row](int64_t i) { return Widen(row[i]); };
    const Normalizer<C> n = Normalize<kTeam, C>(classes, get);
    const C log_sum = std::log(n.sum), scale = C(1) / n.sum;
    const int64_t label = static_cast<int64_t>(labels[r]);
    const bool bad = label < 0 || label >= classes;
    const C nan = std::numeric_limits<C>::quiet_NaN();
    for (int64_t i = Team::Member(); i < classes; i += kTeam) {
      const C grad = std::exp(get(i) - n.shift) * scale - C(i == label);
      backprop[r * classes + i] = Narrow<T>(bad ? nan : grad);
    }
    if (Team::Member() == 0) {
      loss[r] = Narrow<T>(bad ? nan : log_sum - (get(label) - n.shift));
    }
  }
}

}  // namespace
}  // namespace gpu

template <typename T>
Status GpuSoftmax(CUstream_st* stream, const void* x, int64_t rows,
                  int64_t classes, bool log, void* out) {
  return gpu::LaunchRows(
      stream, rows, classes, gpu::SoftmaxKernel<T, gpu::kWarp>,
      gpu::SoftmaxKernel<T, gpu::kThreads>, static_cast<const T*>(x), rows,
      classes, log, static_cast<T*>(out));
}

template <typename T>
Status GpuXent(CUstream_st* stream, const GpuRowsView& features,
               const GpuRowsView& labels, int64_t rows, int64_t classes,
               void* loss, void* backprop) {
  return gpu::LaunchRows(stream, rows, classes, gpu::XentKernel<T, gpu::kWarp>,
                         gpu::XentKernel<T, gpu::kThreads>, features, labels,
                         rows, classes, static_cast<T*>(loss),
                         static_cast<T*>(backprop));
}

template <typename T, typename Index>
Status GpuSparseXent(CUstream_st* stream, const void* features,
                     const void* labels, int64_t rows, int64_t classes,
                     void* loss, void* backprop) {
  return gpu::LaunchRows(
      stream, rows, classes, gpu::SparseXentKernel<T, Index, gpu::kWarp>,
      gpu::SparseXentKernel<T, Index, gpu::kThreads>,
      static_cast<const T*>(features), static_cast<const Index*>(labels), rows,
      classes, static_cast<T*>(loss), static_cast<T*>(backprop));
}

// A macro, because an explicit instantiation is no expression.
#define TW_GPU_SOFTMAX(T)                                                      \
  template Status GpuSoftmax<T>(CUstream_st*, const void*, int64_t, int64_t,   \
                                bool, void*);                                  \
  template Status GpuXent<T>(CUstream_st*, const GpuRowsView&,                 \
                             const GpuRowsView&, int64_t, int64_t, void*,      \
                             void*);                                           \
  template Status GpuSparseXent<T, int32_t>(                                   \
      CUstream_st*, const void*, const void*, int64_t, int64_t, void*, void*); \
  template Status GpuSparseXent<T, int64_t>(                                   \
      CUstream_st*, const void*, const void*, int64_t, int64_t, void*, void*)
TW_GPU_SOFTMAX(gpu::Half);
TW_GPU_SOFTMAX(gpu::Bfloat16);
TW_GPU_SOFTMAX(float);
TW_GPU_SOFTMAX(double);

}  // namespace tensorwright
