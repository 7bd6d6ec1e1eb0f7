// SPDX-License-Identifier: Apache-2.0
// Kernels of FractionalAvgPool, FractionalMaxPool and their gradients.

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/nn/fractional_pool_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Calls f(offset of the input pixel in its image) for the pixels of a window.
template <typename F>
void ForEachPixel(const FractionalWindows& w, int64_t row, int64_t row_end,
                  int64_t col, int64_t col_end, const F& f) {
  for (int64_t r = row; r < row_end; ++r) {
    for (int64_t c = col; c < col_end; ++c) f((r * w.input_cols + c) * w.depth);
  }
}

struct Average {
  template <typename T>
  static void Image(const FractionalWindows& w, const T* x, T* y) {
    ForEachFractionalWindow(
        w, [&](int64_t to, int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
          const T count = static_cast<T>((r1 - r0) * (c1 - c0));
          std::fill_n(y + to, w.depth, T(0));
          ForEachPixel(w, r0, r1, c0, c1, [&](int64_t at) {
            for (int64_t d = 0; d < w.depth; ++d) {
              y[to + d] = functor::Add<T>()(y[to + d], x[at + d]);
            }
          });
          for (int64_t d = 0; d < w.depth; ++d) y[to + d] /= count;
        });
  }
};

struct Maximum {
  template <typename T>
  static void Image(const FractionalWindows& w, const T* x, T* y) {
    ForEachFractionalWindow(
        w, [&](int64_t to, int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
          std::copy_n(x + (r0 * w.input_cols + c0) * w.depth, w.depth, y + to);
          ForEachPixel(w, r0, r1, c0, c1, [&](int64_t at) {
            for (int64_t d = 0; d < w.depth; ++d) {
              // A number replaces a NaN, and a NaN replaces nothing.
              const bool first = y[to + d] != y[to + d];
              if (first || x[at + d] > y[to + d]) y[to + d] = x[at + d];
            }
          });
        });
  }
};

// Each gradient goes to the first element that equals the maximum.
template <typename T>
void MaximumGradImage(const FractionalWindows& w, const T* x, const T* y,
                      const T* g, T* dx) {
  ForEachFractionalWindow(
      w, [&](int64_t to, int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
        for (int64_t d = 0; d < w.depth; ++d) {
          int64_t place = -1;
          ForEachPixel(w, r0, r1, c0, c1, [&](int64_t at) {
            if (place < 0 && x[at + d] == y[to + d]) place = at + d;
          });
          if (place >= 0) {
            dx[place] = functor::Add<T>()(dx[place], g[to + d]);
          }
        }
      });
}

// Adds shares in double, so that integers are rounded once.
template <typename T>
void AverageGradImage(const FractionalWindows& w, const T* g, T* dx) {
  std::vector<double> sums(w.InputSize(), 0.0);
  ForEachFractionalWindow(
      w, [&](int64_t from, int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
        const double count = static_cast<double>((r1 - r0) * (c1 - c0));
        ForEachPixel(w, r0, r1, c0, c1, [&](int64_t at) {
          for (int64_t d = 0; d < w.depth; ++d) {
            sums[at + d] += static_cast<double>(g[from + d]) / count;
          }
        });
      });
  for (size_t i = 0; i < sums.size(); ++i) dx[i] = static_cast<T>(sums[i]);
}

// Calls f(image) for all images in parallel.
template <typename F>
void ForEachImage(OpKernelContext* ctx, const FractionalWindows& w,
                  int64_t batch, const F& f) {
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) f(b);
  };
  ParallelFor(ctx, batch, 4 * w.InputSize(), run);
}

// Reads the windows' sequences from inputs `first` and `first` + 1.
Status WindowsFromInputs(OpKernelContext* ctx, int first, bool overlapping,
                         const TensorShape& input, const TensorShape& output,
                         FractionalWindows* w) {
  const std::string& op = ctx->op_kernel().type_string();
  if (input.dims() != 4 || output.dims() != 4 ||
      input.dim_size(0) != output.dim_size(0) ||
      input.dim_size(3) != output.dim_size(3)) {
    return errors::InvalidArgument(
        op,
        ": input and out_backprop must be 4-dimensional with the same batch "
        "and depth, got ",
        input.DebugString(), " and ", output.DebugString());
  }
  const Tensor& rows = ctx->input(first);
  const Tensor& cols = ctx->input(first + 1);
  TF_RETURN_IF_ERROR(CheckPoolingSequence(
      op, "row_pooling_sequence", rows, input.dim_size(1), output.dim_size(1)));
  TF_RETURN_IF_ERROR(CheckPoolingSequence(
      op, "col_pooling_sequence", cols, input.dim_size(2), output.dim_size(2)));
  w->rows = Flat<int64_t>(rows);
  w->cols = Flat<int64_t>(cols);
  w->overlapping = overlapping;
  w->input_rows = input.dim_size(1);
  w->input_cols = input.dim_size(2);
  w->depth = input.dim_size(3);
  return OkStatus();
}

}  // namespace

template <typename T, typename Reduction>
class FractionalPoolOp final : public OpKernel {
 public:
  explicit FractionalPoolOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, pool_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    FractionalWindows w;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, pool_.Begin(ctx, input, &w, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    ForEachImage(ctx, w, shape.dim_size(0), [&](int64_t b) {
      Reduction::Image(w, input.base<T>() + b * w.InputSize(),
                       output->base<T>() + b * w.OutputSize());
    });
  }

 private:
  FractionalPool pool_;
};

template <typename T>
class FractionalAvgPoolGradOp final : public OpKernel {
 public:
  explicit FractionalAvgPoolGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("overlapping", &overlapping_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sizes = ctx->input(0);
    const Tensor& grad = ctx->input(1);
    OP_REQUIRES(ctx, sizes.dims() == 1 && sizes.NumElements() == 4,
                errors::InvalidArgument(
                    "FractionalAvgPoolGrad: orig_input_tensor_shape must be "
                    "1-dimensional and 4 elements, got shape ",
                    sizes.shape().DebugString()));
    TensorShape shape;
    for (int64_t size : Flat<int64_t>(sizes)) {
      OP_REQUIRES(ctx, size >= 0,
                  errors::InvalidArgument(
                      "FractionalAvgPoolGrad: orig_input_tensor_shape must not "
                      "be negative, got ",
                      size));
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(size));
    }
    FractionalWindows w;
    OP_REQUIRES_OK(
        ctx, WindowsFromInputs(ctx, 2, overlapping_, shape, grad.shape(), &w));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    ForEachImage(ctx, w, shape.dim_size(0), [&](int64_t b) {
      AverageGradImage(w, grad.base<T>() + b * w.OutputSize(),
                       output->base<T>() + b * w.InputSize());
    });
  }

 private:
  bool overlapping_ = false;
};

template <typename T>
class FractionalMaxPoolGradOp final : public OpKernel {
 public:
  explicit FractionalMaxPoolGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("overlapping", &overlapping_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& orig_output = ctx->input(1);
    const Tensor& grad = ctx->input(2);
    OP_REQUIRES(ctx, orig_output.shape() == grad.shape(),
                errors::InvalidArgument(
                    "FractionalMaxPoolGrad: orig_output and out_backprop must "
                    "have one shape, got ",
                    orig_output.shape().DebugString(), " and ",
                    grad.shape().DebugString()));
    FractionalWindows w;
    OP_REQUIRES_OK(ctx, WindowsFromInputs(ctx, 3, overlapping_, input.shape(),
                                          grad.shape(), &w));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    std::fill_n(output->base<T>(), output->NumElements(), T(0));
    ForEachImage(ctx, w, input.dim_size(0), [&](int64_t b) {
      MaximumGradImage(w, input.base<T>() + b * w.InputSize(),
                       orig_output.base<T>() + b * w.OutputSize(),
                       grad.base<T>() + b * w.OutputSize(),
                       output->base<T>() + b * w.InputSize());
    });
  }

 private:
  bool overlapping_ = false;
};

template <typename T>
using FractionalAvgPoolOp = FractionalPoolOp<T, Average>;
template <typename T>
using FractionalMaxPoolOp = FractionalPoolOp<T, Maximum>;

REGISTER_KERNEL_FOR_TYPES(Name("FractionalAvgPool").Device(DEVICE_CPU), "T",
                          FractionalAvgPoolOp, float, double, int32, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("FractionalMaxPool").Device(DEVICE_CPU), "T",
                          FractionalMaxPoolOp, float, double, int32, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("FractionalAvgPoolGrad")
                              .Device(DEVICE_CPU)
                              .HostMemory("orig_input_tensor_shape"),
                          "T", FractionalAvgPoolGradOp, float, double, int32,
                          int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("FractionalMaxPoolGrad").Device(DEVICE_CPU), "T",
                          FractionalMaxPoolGradOp, float, double, int32,
                          int64_t);

}  // namespace tensorwright
