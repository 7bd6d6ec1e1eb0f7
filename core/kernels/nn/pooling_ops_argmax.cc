// SPDX-License-Identifier: Apache-2.0
// Kernels of MaxPoolWithArgmax and its gradients.

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <string>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The attrs and sizes that the three kernels share.
class ArgmaxPool {
 public:
  Status Init(OpKernelConstruction* ctx) {
    TF_RETURN_IF_ERROR(ReadPoolAttrs(ctx, 4, &attrs_));
    return ctx->GetAttr("include_batch_in_index", &include_batch_);
  }

  Status Compute(const TensorShape& input, PoolDimensions* dims) const {
    TF_RETURN_IF_ERROR(ComputePoolDimensions(attrs_, input, dims));
    return CheckNoDepthWindow(attrs_);
  }

  // The type of the node, for messages.
  const std::string& op() const { return attrs_.op; }

  // Returns the number from which indices of image `b` count.
  int64_t FirstIndex(const PoolDimensions& dims, int64_t b) const {
    return include_batch_ ? 0 : b * dims.InputSize();
  }
  // Returns one more than the largest index.
  int64_t Indices(const PoolDimensions& dims) const {
    return (include_batch_ ? dims.batch : 1) * dims.InputSize();
  }

 private:
  WindowAttrs attrs_;
  bool include_batch_ = false;
};

Status CheckShape(const std::string& op, const char* name, const Tensor& t,
                  const TensorShape& expected) {
  if (t.shape() == expected) return OkStatus();
  return errors::InvalidArgument(op, ": Expected ", name, " shape to be ",
                                 expected.DebugString(), ", but got ",
                                 t.shape().DebugString());
}

// Indices of either type, so that kernels are compiled once for both.
class Argmax {
 public:
  explicit Argmax(const Tensor& t)
      : narrow_(t.dtype() == DT_INT32 ? t.base<int32>() : nullptr),
        wide_(t.dtype() == DT_INT32 ? nullptr : t.base<int64_t>()) {}
  int64_t operator[](int64_t i) const {
    return narrow_ != nullptr ? narrow_[i] : wide_[i];
  }

 private:
  const int32* narrow_;
  const int64_t* wide_;
};

// Calls f(position in argmax, position in the input) for all images in
// parallel; InvalidArgument for an index that lies outside its image.
template <typename F>
Status ForEachIndex(OpKernelContext* ctx, const std::string& op,
                    const ArgmaxPool& pool, const PoolDimensions& dims,
                    const Tensor& indices, const F& f) {
  const Argmax argmax(indices);
  const int64_t in = dims.InputSize(), out = dims.OutputSize();
  std::atomic<int64_t> bad{-1};
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = pool.FirstIndex(dims, b);
      for (int64_t i = b * out; i < (b + 1) * out; ++i) {
        const int64_t index = argmax[i];
        // Compares before adding, because the sum may overflow.
        if (index < b * in - first || index >= (b + 1) * in - first) {
          bad.store(i, std::memory_order_relaxed);
          return;
        }
        f(i, first + index);
      }
    }
  };
  ParallelFor(ctx, dims.batch, 5 * out, run);
  const int64_t found = bad.load();
  if (found < 0) return OkStatus();
  return errors::InvalidArgument(op, ": argmax must lie in its image, got ",
                                 argmax[found], " at position ", found,
                                 " for images of ", in, " elements");
}

template <typename T>
class MaxPoolWithArgmaxOp final : public OpKernel {
 public:
  explicit MaxPoolWithArgmaxOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, pool_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, pool_.Compute(input.shape(), &dims));
    const bool narrow = ctx->expected_output_dtype(1) == DT_INT32;
    OP_REQUIRES(
        ctx,
        !narrow || pool_.Indices(dims) - 1 <= std::numeric_limits<int32>::max(),
        errors::InvalidArgument(pool_.op(), ": an input of shape ",
                                input.shape().DebugString(),
                                " has too many elements for indices of int32"));
    Tensor *output = nullptr, *argmax = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, dims.OutputShape(), &argmax));
    if (output->NumElements() == 0) return;
    OP_REQUIRES(ctx, input.NumElements() > 0,
                errors::InvalidArgument(pool_.op(),
                                        ": input must not be empty, got shape ",
                                        input.shape().DebugString()));
    const PoolStrides in(dims, &WindowDim::input);
    const T* x = input.base<T>();
    T* y = output->base<T>();
    int32* places32 = narrow ? argmax->base<int32>() : nullptr;
    int64_t* places64 = narrow ? nullptr : argmax->base<int64_t>();
    const auto run = [&](int64_t begin, int64_t end) {
      using C = ComputeType<T>;
      const auto larger = [](T a, T b) {
        return static_cast<C>(a) > static_cast<C>(b);
      };
      ForEachWindow(dims, begin, end, [&](int64_t to, const PoolWindow& w) {
        const int64_t best = FirstMaximum(in, w, x, larger);
        y[to] = x[best];  // SAME and VALID give no window of padding alone.
        const int64_t place = best - pool_.FirstIndex(dims, w.batch);
        if (narrow) {
          places32[to] = static_cast<int32>(place);
        } else {
          places64[to] = place;
        }
      });
    };
    ParallelFor(ctx, dims.batch, dims.Cost(), run);
  }

 private:
  ArgmaxPool pool_;
};

template <typename T>
class MaxPoolGradWithArgmaxOp final : public OpKernel {
 public:
  explicit MaxPoolGradWithArgmaxOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, pool_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& grad = ctx->input(1);
    const Tensor& argmax = ctx->input(2);
    const std::string& op = pool_.op();
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, pool_.Compute(input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckShape(op, "grad", grad, dims.OutputShape()));
    OP_REQUIRES_OK(ctx, CheckShape(op, "argmax", argmax, dims.OutputShape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    T* to = output->base<T>();
    std::fill_n(to, output->NumElements(), T(0));
    const T* g = grad.base<T>();
    const auto add = [=](int64_t i, int64_t at) {
      using C = ComputeType<T>;
      to[at] = static_cast<T>(static_cast<C>(to[at]) + static_cast<C>(g[i]));
    };
    OP_REQUIRES_OK(ctx, ForEachIndex(ctx, op, pool_, dims, argmax, add));
  }

 private:
  ArgmaxPool pool_;
};

class MaxPoolGradGradWithArgmaxOp final : public OpKernel {
 public:
  explicit MaxPoolGradGradWithArgmaxOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, pool_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& grad = ctx->input(1);
    const Tensor& argmax = ctx->input(2);
    const std::string& op = pool_.op();
    PoolDimensions dims;
    OP_REQUIRES_OK(ctx, pool_.Compute(input.shape(), &dims));
    OP_REQUIRES_OK(ctx, CheckShape(op, "grad", grad, input.shape()));
    OP_REQUIRES_OK(ctx, CheckShape(op, "argmax", argmax, dims.OutputShape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, dims.OutputShape(), &output));
    Status status;
    OP_REQUIRES_OK(
        ctx, DispatchElement(grad.dtype(), [&]<typename T>(ElementTag<T>) {
          const T* g = RawFlat<T>(grad).data();
          T* to = RawFlat<T>(output).data();
          const auto copy = [=](int64_t i, int64_t at) { to[i] = g[at]; };
          status = ForEachIndex(ctx, op, pool_, dims, argmax, copy);
        }));
    OP_REQUIRES_OK(ctx, status);
  }

 private:
  ArgmaxPool pool_;
};

// It moves elements only, so all types share it.
template <typename T>
using MaxPoolGradGradWithArgmax = MaxPoolGradGradWithArgmaxOp;

REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolWithArgmax").Device(DEVICE_CPU), "T",
                          MaxPoolWithArgmaxOp, float, double, Eigen::half,
                          Eigen::bfloat16, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolGradWithArgmax").Device(DEVICE_CPU), "T",
                          MaxPoolGradWithArgmaxOp, float, double, Eigen::half,
                          Eigen::bfloat16, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64);
REGISTER_KERNEL_FOR_TYPES(Name("MaxPoolGradGradWithArgmax").Device(DEVICE_CPU),
                          "T", MaxPoolGradGradWithArgmax, float, double,
                          Eigen::half, Eigen::bfloat16, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64);

}  // namespace
}  // namespace tensorwright
