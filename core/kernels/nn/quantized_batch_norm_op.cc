// SPDX-License-Identifier: Apache-2.0
// QuantizedBatchNormWithGlobalNormalization.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The range of every result is a million on both sides, with 11 bits behind the
// point.
constexpr float kMaxResult = 1 << 20;

double ResultCode(float x) {
  return RealToCode<qint32>(x, -kMaxResult, kMaxResult).value;
}

// Whole numbers in doubles: a product that does not fit a double exactly is
// beyond all codes anyway.
struct ScaleLoop {
  TW_WIDE_LOOP static void Run(const quint8* x, const double* code_of,
                               const double* scale, const double* offset,
                               double one, int64_t rows, int64_t depth,
                               qint32* y) {
    constexpr double kLow = kLowestCode<qint32>, kHigh = kHighestCode<qint32>;
    for (int64_t r = 0; r < rows; ++r) {
      TW_VECTORIZE
      for (int64_t c = 0; c < depth; ++c) {
        const double product = code_of[x[r * depth + c].value] * scale[c];
        double code = __builtin_trunc(product / one) + offset[c];
        code = code > kLow ? code : kLow;
        code = code < kHigh ? code : kHigh;
        y[r * depth + c].value = static_cast<int32_t>(code);
      }
    }
  }
};

// Inputs come in threes: codes and the ends of their range.
struct Quantized {
  const Tensor* codes = nullptr;
  float min = 0, max = 0;

  Status Read(OpKernelContext* ctx, int index, const char* min_name,
              const char* max_name) {
    codes = &ctx->input(index);
    TF_RETURN_IF_ERROR(ReadEnd(ctx, index + 1, min_name, &min));
    return ReadEnd(ctx, index + 2, max_name, &max);
  }

  // An end may be a vector of one element.
  static Status ReadEnd(OpKernelContext* ctx, int index, const char* name,
                        float* value) {
    const Tensor& end = ctx->input(index);
    if (end.NumElements() != 1) {
      return errors::InvalidArgument(
          "QuantizedBatchNormWithGlobalNormalization: ", name,
          " must have 1 element, got shape ", end.shape().DebugString());
    }
    *value = *end.base<float>();
    return OkStatus();
  }

  // InvalidArgument unless it is a vector with an element for each channel.
  Status CheckVector(const char* name, int64_t depth) const {
    if (codes->dims() == 1 && codes->dim_size(0) == depth) return OkStatus();
    return errors::InvalidArgument(
        "QuantizedBatchNormWithGlobalNormalization: ", name,
        " must be a vector with an element for each of ", depth,
        " channels, got shape ", codes->shape().DebugString());
  }

  float Real(int64_t i) const {
    return CodeToReal<quint8>(codes->base<quint8>()[i], min, max);
  }
};

class QuantizedBatchNormOp final : public OpKernel {
 public:
  explicit QuantizedBatchNormOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("variance_epsilon", &epsilon_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("scale_after_normalization", &scales_));
  }

  void Compute(OpKernelContext* ctx) override {
    Quantized t, mean, variance, beta, gamma;
    OP_REQUIRES_OK(ctx, t.Read(ctx, 0, "t_min", "t_max"));
    OP_REQUIRES_OK(ctx, mean.Read(ctx, 3, "m_min", "m_max"));
    OP_REQUIRES_OK(ctx, variance.Read(ctx, 6, "v_min", "v_max"));
    OP_REQUIRES_OK(ctx, beta.Read(ctx, 9, "beta_min", "beta_max"));
    OP_REQUIRES_OK(ctx, gamma.Read(ctx, 12, "gamma_min", "gamma_max"));
    OP_REQUIRES(ctx, t.codes->dims() == 4,
                errors::InvalidArgument(
                    "QuantizedBatchNormWithGlobalNormalization: t must be "
                    "4-dimensional, got shape ",
                    t.codes->shape().DebugString()));
    const int64_t depth = t.codes->dim_size(3);
    OP_REQUIRES_OK(ctx, mean.CheckVector("m", depth));
    OP_REQUIRES_OK(ctx, variance.CheckVector("v", depth));
    OP_REQUIRES_OK(ctx, beta.CheckVector("beta", depth));
    OP_REQUIRES_OK(ctx, gamma.CheckVector("gamma", depth));
    std::vector<double> scale(depth), offset(depth);
    for (int64_t c = 0; c < depth; ++c) {
      const float root = std::sqrt(variance.Real(c) + epsilon_);
      const float s = scales_ ? gamma.Real(c) / root : 1.0f / root;
      scale[c] = ResultCode(s);
      offset[c] = ResultCode((-mean.Real(c) * s) + beta.Real(c));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, t.codes->shape(), &out));
    if (out->NumElements() > 0) {
      Normalize(ctx, t, scale, offset, out->base<qint32>());
    }
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, -kMaxResult));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, kMaxResult));
  }

 private:
  static void Normalize(OpKernelContext* ctx, const Quantized& t,
                        const std::vector<double>& scale,
                        const std::vector<double>& offset, qint32* y) {
    double code_of[256];
    for (int c = 0; c < 256; ++c) {
      const quint8 code{static_cast<uint8_t>(c)};
      code_of[c] = ResultCode(CodeToReal<quint8>(code, t.min, t.max));
    }
    const double one = ResultCode(1.0f);
    const int64_t depth = static_cast<int64_t>(scale.size());
    const quint8* x = t.codes->base<quint8>();
    ParallelFor(ctx, t.codes->NumElements() / depth, 4 * depth,
                [&](int64_t begin, int64_t end) {
                  RunWide<ScaleLoop>(x + begin * depth,
                                     static_cast<const double*>(code_of),
                                     scale.data(), offset.data(), one,
                                     end - begin, depth, y + begin * depth);
                });
  }

  float epsilon_ = 0;
  bool scales_ = false;
};
REGISTER_KERNEL_BUILDER(Name("QuantizedBatchNormWithGlobalNormalization")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("Tinput")
                            .TypeConstraint<qint32>("out_type"),
                        QuantizedBatchNormOp);

}  // namespace
}  // namespace tensorwright
