// SPDX-License-Identifier: Apache-2.0
// The gradient of max pools with planes.

#include <algorithm>
#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// One pool whose images are seen in NHWC: each channel of an NCHW image counts
// as an image of one channel.
template <typename T>
struct EqualsGrad {
  const PoolDimensions* d;
  int64_t channels;
  const T* input;
  const T* output;
  const T* grad;
  T* input_grad;
};

// Computes plane `p` of the gradient of one image: adds every output gradient
// to those elements of its window that equal the output.
template <typename T>
struct EqualsGradLoop {
  TW_WIDE_LOOP static void Run(const EqualsGrad<T>* g, int64_t image,
                               int64_t p) {
    using C = ComputeType<T>;
    const PoolDimensions& d = *g->d;
    const int64_t n = g->channels;
    const int64_t row = d.cols.input * n, plane = d.rows.input * row;
    const int64_t start = (image * d.planes.input + p) * plane;
    const T* const x = g->input + start;
    T* const dx = g->input_grad + start;
    std::fill_n(dx, plane, T(0));
    for (int64_t o = 0; o < d.planes.output; ++o) {
      const WindowRange planes(d.planes, o);
      if (p < planes.first || p >= planes.last) continue;
      int64_t from =
          (image * d.planes.output + o) * d.rows.output * d.cols.output * n;
      for (int64_t i = 0; i < d.rows.output; ++i) {
        const WindowRange rows(d.rows, i);
        for (int64_t j = 0; j < d.cols.output; ++j, from += n) {
          const WindowRange cols(d.cols, j);
          const T* const y = g->output + from;
          const T* const dy = g->grad + from;
          for (int64_t r = rows.first; r < rows.last; ++r) {
            for (int64_t c = cols.first; c < cols.last; ++c) {
              const T* const in = x + r * row + c * n;
              T* const to = dx + r * row + c * n;
              TW_VECTORIZE
              for (int64_t k = 0; k < n; ++k) {
                const C share = static_cast<C>(in[k]) == static_cast<C>(y[k])
                                    ? static_cast<C>(dy[k])
                                    : C(0);
                to[k] = static_cast<T>(static_cast<C>(to[k]) + share);
              }
            }
          }
        }
      }
    }
  }
};

}  // namespace

template <typename T>
void MaxPoolGradOfEquals(OpKernelContext* ctx, const PoolDimensions& d,
                         const T* input, const T* output, const T* grad,
                         T* input_grad) {
  const bool last = d.format == FORMAT_NHWC;
  const int64_t images = last ? d.batch : d.batch * d.depth.input;
  const EqualsGrad<T> g{
      &d, last ? d.depth.input : 1, input, output, grad, input_grad};
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      RunWide<EqualsGradLoop<T>>(&g, k / d.planes.input, k % d.planes.input);
    }
  };
  const int64_t planes = images * d.planes.input;
  ParallelFor(ctx, planes, d.Cost() * d.batch / planes + 1, run);
}

template void MaxPoolGradOfEquals(OpKernelContext*, const PoolDimensions&,
                                  const float*, const float*, const float*,
                                  float*);
template void MaxPoolGradOfEquals(OpKernelContext*, const PoolDimensions&,
                                  const Eigen::half*, const Eigen::half*,
                                  const Eigen::half*, Eigen::half*);
template void MaxPoolGradOfEquals(OpKernelContext*, const PoolDimensions&,
                                  const Eigen::bfloat16*,
                                  const Eigen::bfloat16*,
                                  const Eigen::bfloat16*, Eigen::bfloat16*);

}  // namespace tensorwright
