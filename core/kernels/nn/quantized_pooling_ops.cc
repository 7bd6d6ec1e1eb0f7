// SPDX-License-Identifier: Apache-2.0
// QuantizedAvgPool and QuantizedMaxPool: they pool codes.  The range of the
// codes does not matter, because neighbouring codes are equally far apart.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// to[i] = to[i] + x[i], or the larger of both, in the type of `to`.
template <typename T, typename To>
struct CombineLoop {
  TW_WIDE_LOOP static void Run(const T* x, int64_t n, To* to) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<To, CodeType<T>>) {
        to[i] = std::max<To>(to[i], x[i].value);
      } else {
        to[i] = static_cast<To>(to[i] + x[i].value);
      }
    }
  }
};

// x[i] / count, rounded towards 0.
template <typename T, typename To>
struct Quotients {
  // Half more than the sum keeps the quotient so far from whole numbers that
  // floats, and multiplying by the reciprocal, do not change the result.
  static constexpr int64_t kMostOfFloats = 4096;

  TW_WIDE_LOOP static void Run(const To* x, int64_t n, int64_t count, T* y) {
    if (count <= kMostOfFloats) {
      const float scale = 1.0f / static_cast<float>(count);
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        const float sum = static_cast<float>(static_cast<int32_t>(x[i]));
        const float half = __builtin_copysignf(0.5f, sum);
        y[i].value = static_cast<CodeType<T>>(
            static_cast<int32_t>((sum + half) * scale));
      }
    } else {
      const double divisor = static_cast<double>(count);
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i].value = static_cast<CodeType<T>>(
            static_cast<int32_t>(static_cast<double>(x[i]) / divisor));
      }
    }
  }
};

// Computes the windows of a row of the output; the `rows` rows of the windows
// are combined already.  `pixel` has room for a window's channels.
template <typename T, typename To>
struct WindowsLoop {
  TW_WIDE_LOOP static void Run(const To* columns, const WindowDim* d,
                               int64_t rows, int64_t depth, To* pixel, T* out) {
    constexpr bool kSums = !std::is_same_v<To, CodeType<T>>;
    for (int64_t x = 0; x < d->output; ++x, out += depth) {
      const WindowRange cols(*d, x);
      const To* from = columns + cols.first * depth;
      TW_VECTORIZE
      for (int64_t c = 0; c < depth; ++c) pixel[c] = from[c];
      for (int64_t p = 1; p < cols.size(); ++p) {
        from += depth;
        TW_VECTORIZE
        for (int64_t c = 0; c < depth; ++c) {
          pixel[c] = kSums ? static_cast<To>(pixel[c] + from[c])
                           : std::max(pixel[c], from[c]);
        }
      }
      if constexpr (kSums) {
        Quotients<T, To>::Run(pixel, depth, rows * cols.size(), out);
      } else {
        TW_VECTORIZE
        for (int64_t c = 0; c < depth; ++c) out[c].value = pixel[c];
      }
    }
  }
};

// Computes one row of the output: combines the rows of its windows first, along
// the image, and then the columns.  Every window has pixels of the image. To:
// CodeType<T> for maxima, else a type that holds the sum of a window.
template <typename T, typename To>
void PoolRow(const PoolDimensions& d, const T* image, int64_t row, To* columns,
             To* pixel, T* out) {
  constexpr bool kSums = !std::is_same_v<To, CodeType<T>>;
  const int64_t depth = d.depth.input, width = d.cols.input * depth;
  const WindowRange rows(d.rows, row);
  std::fill_n(columns, width,
              kSums ? To{0} : std::numeric_limits<To>::lowest());
  for (int64_t y = rows.first; y < rows.last; ++y) {
    RunWide<CombineLoop<T, To>>(image + y * width, width, columns);
  }
  RunWide<WindowsLoop<T, To>>(static_cast<const To*>(columns), &d.cols,
                              rows.size(), depth, pixel, out);
}

template <typename T, typename To>
void PoolSpace(OpKernelContext* ctx, const PoolDimensions& d, const T* input,
               T* output) {
  const int64_t in_row = d.cols.input * d.depth.input;
  const int64_t out_row = d.cols.output * d.depth.input;
  const int64_t cost =
      in_row * d.rows.filter / 8 + out_row * (d.cols.filter + 8) / 8;
  ParallelFor(ctx, d.batch * d.rows.output, cost,
              [&](int64_t begin, int64_t end) {
                std::vector<To> columns(in_row), pixel(d.depth.input);
                for (int64_t r = begin; r < end; ++r) {
                  const int64_t image = r / d.rows.output;
                  PoolRow(d, input + image * d.InputSize(), r % d.rows.output,
                          columns.data(), pixel.data(), output + r * out_row);
                }
              });
}

template <typename T>
void MaxPoolDepth(OpKernelContext* ctx, const PoolDimensions& d, const T* input,
                  T* output) {
  const PoolStrides in(d, &WindowDim::input);
  ParallelFor(ctx, d.batch, d.Cost(), [&](int64_t begin, int64_t end) {
    ForEachWindow(d, begin, end, [&](int64_t to, const PoolWindow& w) {
      const int64_t best = FirstMaximum(
          in, w, input, [](T a, T b) { return a.value > b.value; });
      output[to] = best < 0 ? T{kLowestCode<T>} : input[best];
    });
  });
}

}  // namespace

template <typename T, PoolKind kKind>
class QuantizedPool final : public OpKernel {
 public:
  explicit QuantizedPool(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadPoolAttrs(ctx, 4, &attrs_));
    OP_REQUIRES_OK(ctx, kKind == PoolKind::kMax ? CheckDepthWindow(attrs_)
                                                : CheckNoDepthWindow(attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    float min = 0, max = 0;
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 1, "min_input", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 2, "max_input", &max));
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, ComputePoolDimensions(attrs_, input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckDepthWindowDivides(attrs_, dims.depth.input));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &out));
    if (out->NumElements() > 0) {
      Pool(ctx, dims, input.base<T>(), out->base<T>());
    }
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, max));
  }

 private:
  static void Pool(OpKernelContext* ctx, const PoolDimensions& d,
                   const T* input, T* output) {
    if constexpr (kKind == PoolKind::kMax) {
      if (d.depth.filter > 1) return MaxPoolDepth(ctx, d, input, output);
      return PoolSpace<T, CodeType<T>>(ctx, d, input, output);
    } else {
      // The sums of larger windows do not fit these types.
      constexpr double kMostIn16Bits = 255, kMostIn32Bits = 1 << 23;
      using Short = std::conditional_t < kLowestCode<T><0, int16_t, uint16_t>;
      const double codes = static_cast<double>(d.rows.filter) *
                           static_cast<double>(d.cols.filter);
      if (codes <= kMostIn16Bits) {
        PoolSpace<T, Short>(ctx, d, input, output);
      } else if (codes <= kMostIn32Bits) {
        PoolSpace<T, int32_t>(ctx, d, input, output);
      } else {
        PoolSpace<T, int64_t>(ctx, d, input, output);
      }
    }
  }

  WindowAttrs attrs_;
};

template <typename T>
using QuantizedAvgPoolOp = QuantizedPool<T, PoolKind::kAverage>;
template <typename T>
using QuantizedMaxPoolOp = QuantizedPool<T, PoolKind::kMax>;

REGISTER_KERNEL_FOR_TYPES(Name("QuantizedAvgPool").Device(DEVICE_CPU), "T",
                          QuantizedAvgPoolOp, quint8, qint8);
REGISTER_KERNEL_FOR_TYPES(Name("QuantizedMaxPool").Device(DEVICE_CPU), "T",
                          QuantizedMaxPoolOp, quint8, qint8);

}  // namespace tensorwright
