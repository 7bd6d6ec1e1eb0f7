// SPDX-License-Identifier: Apache-2.0
// Kernels of LRN and LRNGrad, which divide each pixel's channels by a power of
// the squares around them (Krizhevsky et al. 2012).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

struct LrnAttrs {
  int64_t depth_radius = 5;
  float bias = 1, alpha = 1, beta = 0.5f;
};

Status InitAttrs(OpKernelConstruction* ctx, LrnAttrs* attrs) {
  TF_RETURN_IF_ERROR(ctx->GetAttr("depth_radius", &attrs->depth_radius));
  TF_RETURN_IF_ERROR(ctx->GetAttr("bias", &attrs->bias));
  TF_RETURN_IF_ERROR(ctx->GetAttr("alpha", &attrs->alpha));
  TF_RETURN_IF_ERROR(ctx->GetAttr("beta", &attrs->beta));
  if (attrs->depth_radius >= 0 && attrs->depth_radius <= INT32_MAX) {
    return OkStatus();
  }
  return errors::InvalidArgument(
      "LRN: depth_radius must be a non-negative int32, got ",
      attrs->depth_radius);
}

// Sums the elements within `radius` of each of n elements.
class WindowSums {
 public:
  WindowSums(int64_t n, int64_t radius)
      : n_(n), radius_(std::min(radius, n)), padded_(n + 2 * radius_, 0.0f) {}

  // The memory for the elements.
  float* in() { return padded_.data() + radius_; }
  void Sum(float* out) const {
    std::fill_n(out, n_, 0.0f);
    for (int64_t k = 0; k <= 2 * radius_; ++k) {
      const float* from = padded_.data() + k;
      for (int64_t i = 0; i < n_; ++i) out[i] += from[i];
    }
  }

 private:
  int64_t n_, radius_;
  std::vector<float> padded_;  // Zeros on both sides.
};

// Computes x^-beta, x > 0; the exponents that networks use need no pow.
void NegativePower(float beta, int64_t n, const float* x, float* y) {
  if (beta == 0.5f) {
    for (int64_t i = 0; i < n; ++i) y[i] = 1.0f / std::sqrt(x[i]);
  } else if (beta == 1.0f) {
    for (int64_t i = 0; i < n; ++i) y[i] = 1.0f / x[i];
  } else if (beta == 0.75f) {
    for (int64_t i = 0; i < n; ++i) {
      const float root = std::sqrt(x[i]);
      y[i] = 1.0f / (root * std::sqrt(root));
    }
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = std::pow(x[i], -beta);
  }
}

// Works on one pixel at a time; the buffers serve all pixels of a thread.
class LrnRow {
 public:
  LrnRow(const LrnAttrs& attrs, int64_t depth)
      : attrs_(attrs),
        depth_(depth),
        sums_(depth, attrs.depth_radius),
        norm_(depth),
        power_(depth) {}

  // norm = bias + alpha * (sum of squares around), power = norm^-beta.
  template <typename T>
  void Normalize(const T* x) {
    for (int64_t i = 0; i < depth_; ++i) {
      const float v = static_cast<float>(x[i]);
      sums_.in()[i] = v * v;
    }
    sums_.Sum(norm_.data());
    for (float& v : norm_) v = attrs_.bias + attrs_.alpha * v;
    NegativePower(attrs_.beta, depth_, norm_.data(), power_.data());
  }

  template <typename T>
  void Forward(const T* x, T* y) {
    Normalize(x);
    for (int64_t i = 0; i < depth_; ++i) {
      y[i] = static_cast<T>(static_cast<float>(x[i]) * power_[i]);
    }
  }

  // y = x n^-beta, so dx_j = g_j n_j^-beta - 2 alpha beta x_j * (the sum of
  // g_i y_i / n_i over the i whose window holds j).
  template <typename T>
  void Backward(const T* g, const T* x, const T* y, T* dx) {
    Normalize(x);
    for (int64_t i = 0; i < depth_; ++i) {
      sums_.in()[i] =
          static_cast<float>(g[i]) * static_cast<float>(y[i]) / norm_[i];
    }
    sums_.Sum(norm_.data());
    const float factor = 2 * attrs_.alpha * attrs_.beta;
    for (int64_t i = 0; i < depth_; ++i) {
      dx[i] = static_cast<T>(static_cast<float>(g[i]) * power_[i] -
                             factor * static_cast<float>(x[i]) * norm_[i]);
    }
  }

  // Roughly the CPU cycles.
  static int64_t Cost(const LrnAttrs& attrs, int64_t depth) {
    const int64_t window = 2 * std::min(attrs.depth_radius, depth) + 1;
    return depth * (window / 2 + 20);
  }

 private:
  const LrnAttrs attrs_;
  const int64_t depth_;
  WindowSums sums_;
  std::vector<float> norm_, power_;
};

Status CheckImage(const TensorShape& shape) {
  if (shape.dims() == 4) return OkStatus();
  return errors::InvalidArgument("LRN: in must be 4-dimensional, got shape ",
                                 shape.DebugString());
}

}  // namespace

template <typename T>
class LrnOp final : public OpKernel {
 public:
  explicit LrnOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitAttrs(ctx, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    OP_REQUIRES_OK(ctx, CheckImage(input.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    if (output->NumElements() == 0) return;
    const int64_t depth = input.dim_size(3);
    const T* x = input.base<T>();
    T* y = output->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      LrnRow row(attrs_, depth);
      for (int64_t r = begin; r < end; ++r) {
        row.Forward(x + r * depth, y + r * depth);
      }
    };
    ParallelFor(ctx, input.NumElements() / depth, LrnRow::Cost(attrs_, depth),
                run);
  }

 private:
  LrnAttrs attrs_;
};

template <typename T>
class LrnGradOp final : public OpKernel {
 public:
  explicit LrnGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, InitAttrs(ctx, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grad = ctx->input(0);
    const Tensor& input = ctx->input(1);
    const Tensor& output = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckImage(input.shape()));
    OP_REQUIRES(
        ctx, grad.shape() == input.shape() && output.shape() == input.shape(),
        errors::InvalidArgument(
            "LRNGrad: input_grads, input_image and output_image must have one "
            "shape, got ",
            grad.shape().DebugString(), ", ", input.shape().DebugString(),
            " and ", output.shape().DebugString()));
    Tensor* result = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &result));
    if (result->NumElements() == 0) return;
    const int64_t depth = input.dim_size(3);
    const T* g = grad.base<T>();
    const T* x = input.base<T>();
    const T* y = output.base<T>();
    T* dx = result->base<T>();
    const auto run = [&](int64_t begin, int64_t end) {
      LrnRow row(attrs_, depth);
      for (int64_t at = begin * depth; at < end * depth; at += depth) {
        row.Backward(g + at, x + at, y + at, dx + at);
      }
    };
    ParallelFor(ctx, input.NumElements() / depth,
                2 * LrnRow::Cost(attrs_, depth), run);
  }

 private:
  LrnAttrs attrs_;
};

REGISTER_KERNEL_FOR_TYPES(Name("LRN").Device(DEVICE_CPU), "T", LrnOp, float,
                          Eigen::half, Eigen::bfloat16);
REGISTER_KERNEL_FOR_TYPES(Name("LRNGrad").Device(DEVICE_CPU), "T", LrnGradOp,
                          float, Eigen::half, Eigen::bfloat16);

}  // namespace tensorwright
