// SPDX-License-Identifier: Apache-2.0
// Kernels of Dilation2D and its gradients.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/window_attrs.h"
#include "core/util/window_geometry.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

struct DilationDimensions {
  int64_t batch = 0, depth = 0;
  WindowDim rows, cols;

  TensorShape OutputShape() const {
    return TensorShape({batch, rows.output, cols.output, depth});
  }
  int64_t InputSize() const { return rows.input * cols.input * depth; }
  int64_t OutputSize() const { return rows.output * cols.output * depth; }
  // Roughly the CPU cycles for one image.
  int64_t Cost() const { return 3 * OutputSize() * rows.filter * cols.filter; }
};

Status ComputeDimensions(const WindowAttrs& attrs, const TensorShape& input,
                         const TensorShape& filter, DilationDimensions* d) {
  if (input.dims() != 4 || filter.dims() != 3) {
    return errors::InvalidArgument(
        attrs.op,
        ": input must be 4-dimensional and filter 3-dimensional, "
        "got ",
        input.DebugString(), " and ", filter.DebugString());
  }
  if (input.dim_size(3) != filter.dim_size(2)) {
    return errors::InvalidArgument(
        attrs.op,
        ": input and filter must have the same depth: ", input.dim_size(3),
        " vs ", filter.dim_size(2));
  }
  d->batch = input.dim_size(0);
  d->depth = input.dim_size(3);
  const auto compute = [&](int i, WindowDim* w) {
    return attrs.ComputeWindow(i, input.dim_size(i), filter.dim_size(i - 1), w);
  };
  TF_RETURN_IF_ERROR(compute(1, &d->rows));
  return compute(2, &d->cols);
}

// Calls f(offset of the input pixel, offset of the filter tap) for the taps of
// output (i, j) that fall inside the image; both offsets are the first
// channel's.
template <typename F>
void ForEachTap(const DilationDimensions& d, int64_t i, int64_t j, const F& f) {
  for (int64_t ki = 0; ki < d.rows.filter; ++ki) {
    const int64_t row =
        i * d.rows.stride - d.rows.pad_before + ki * d.rows.dilation;
    if (row < 0 || row >= d.rows.input) continue;
    for (int64_t kj = 0; kj < d.cols.filter; ++kj) {
      const int64_t col =
          j * d.cols.stride - d.cols.pad_before + kj * d.cols.dilation;
      if (col < 0 || col >= d.cols.input) continue;
      f((row * d.cols.input + col) * d.depth,
        (ki * d.cols.filter + kj) * d.depth);
    }
  }
}

template <typename T>
void DilateImage(const DilationDimensions& d, const T* image, const T* filter,
                 T* output) {
  using C = ComputeType<T>;
  std::vector<C> best(d.depth);
  for (int64_t i = 0; i < d.rows.output; ++i) {
    for (int64_t j = 0; j < d.cols.output; ++j) {
      std::fill(best.begin(), best.end(), std::numeric_limits<C>::lowest());
      ForEachTap(d, i, j, [&](int64_t at, int64_t tap) {
        for (int64_t c = 0; c < d.depth; ++c) {
          const C sum = static_cast<C>(static_cast<C>(image[at + c]) +
                                       static_cast<C>(filter[tap + c]));
          if (sum > best[c]) best[c] = sum;
        }
      });
      for (int64_t c = 0; c < d.depth; ++c) *output++ = static_cast<T>(best[c]);
    }
  }
}

// Calls f(channel's input offset, channel's tap offset, gradient) for the first
// maximum in each output's window of an image.
template <typename T, typename F>
void ForEachMaximum(const DilationDimensions& d, const T* image,
                    const T* filter, const T* grad, const F& f) {
  using C = ComputeType<T>;
  struct Best {
    C value;
    int64_t at, tap;
  };
  std::vector<Best> best(d.depth);
  for (int64_t i = 0; i < d.rows.output; ++i) {
    for (int64_t j = 0; j < d.cols.output; ++j) {
      std::fill(best.begin(), best.end(),
                Best{std::numeric_limits<C>::lowest(), -1, -1});
      ForEachTap(d, i, j, [&](int64_t at, int64_t tap) {
        for (int64_t c = 0; c < d.depth; ++c) {
          const C sum = static_cast<C>(static_cast<C>(image[at + c]) +
                                       static_cast<C>(filter[tap + c]));
          if (best[c].at < 0 || sum > best[c].value) {
            best[c] = {sum, at + c, tap + c};
          }
        }
      });
      for (int64_t c = 0; c < d.depth; ++c, ++grad) {
        if (best[c].at >= 0) f(best[c].at, best[c].tap, *grad);
      }
    }
  }
}

template <typename T>
void AddTo(T* to, T value) {
  using C = ComputeType<T>;
  *to = static_cast<T>(static_cast<C>(*to) + static_cast<C>(value));
}

}  // namespace

template <typename T>
class DilationOp final : public OpKernel {
 public:
  explicit DilationOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadDilationAttrs(ctx, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(1);
    DilationDimensions d;
    OP_REQUIRES_OK(
        ctx, ComputeDimensions(attrs_, input.shape(), filter.shape(), &d));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, d.OutputShape(), &output));
    if (output->NumElements() == 0) return;
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        DilateImage(d, input.base<T>() + b * d.InputSize(), filter.base<T>(),
                    output->base<T>() + b * d.OutputSize());
      }
    };
    ParallelFor(ctx, d.batch, d.Cost(), run);
  }

 private:
  WindowAttrs attrs_;
};

// kInput: 0 gives the gradient of the input, 1 that of the filter.
template <typename T, int kInput>
class DilationBackprop final : public OpKernel {
 public:
  explicit DilationBackprop(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadDilationAttrs(ctx, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(1);
    const Tensor& grad = ctx->input(2);
    DilationDimensions d;
    OP_REQUIRES_OK(
        ctx, ComputeDimensions(attrs_, input.shape(), filter.shape(), &d));
    OP_REQUIRES(ctx, grad.shape() == d.OutputShape(),
                errors::InvalidArgument(
                    attrs_.op, ": Expected out_backprop shape to be ",
                    d.OutputShape().DebugString(), ", but got ",
                    grad.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, ctx->input(kInput).shape(), &output));
    T* to = output->base<T>();
    std::fill_n(to, output->NumElements(), T(0));
    if (grad.NumElements() == 0) return;
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        T* image_grad = to + b * d.InputSize();
        ForEachMaximum(d, input.base<T>() + b * d.InputSize(), filter.base<T>(),
                       grad.base<T>() + b * d.OutputSize(),
                       [&](int64_t at, int64_t tap, T g) {
                         AddTo(kInput == 0 ? image_grad + at : to + tap, g);
                       });
      }
    };
    if constexpr (kInput == 0) {
      ParallelFor(ctx, d.batch, d.Cost(), run);
    } else {
      run(0, d.batch);  // All images add to one filter.
    }
  }

 private:
  WindowAttrs attrs_;
};

template <typename T>
using DilationBackpropInputOp = DilationBackprop<T, 0>;
template <typename T>
using DilationBackpropFilterOp = DilationBackprop<T, 1>;

REGISTER_KERNEL_FOR_TYPES(Name("Dilation2D").Device(DEVICE_CPU), "T",
                          DilationOp, float, double, Eigen::half,
                          Eigen::bfloat16, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("Dilation2DBackpropInput").Device(DEVICE_CPU),
                          "T", DilationBackpropInputOp, float, double,
                          Eigen::half, Eigen::bfloat16, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("Dilation2DBackpropFilter").Device(DEVICE_CPU),
                          "T", DilationBackpropFilterOp, float, double,
                          Eigen::half, Eigen::bfloat16, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);

}  // namespace tensorwright
