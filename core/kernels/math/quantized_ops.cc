// SPDX-License-Identifier: Apache-2.0
// QuantizedAdd and QuantizedMul: they add and multiply codes, with
// broadcasting.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/util/bcast.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Inputs x, y, min_x, max_x, min_y, max_y.
struct Operands {
  const Tensor &x, &y;
  float min_x = 0, max_x = 0, min_y = 0, max_y = 0;
  BCast bcast;

  explicit Operands(OpKernelContext* ctx)
      : x(ctx->input(0)),
        y(ctx->input(1)),
        bcast(BCast::FromShape(x.shape()), BCast::FromShape(y.shape())) {}

  Status Check(OpKernelContext* ctx) {
    TF_RETURN_IF_ERROR(
        IncreasingRange(ctx, 2, "min_x", "max_x", &min_x, &max_x));
    TF_RETURN_IF_ERROR(
        IncreasingRange(ctx, 4, "min_y", "max_y", &min_y, &max_y));
    if (bcast.IsValid()) return OkStatus();
    return errors::InvalidArgument(
        ctx->op_kernel().type_string(),
        ": incompatible shapes: ", x.shape().DebugString(), " vs. ",
        y.shape().DebugString());
  }

  // z[...] = fn(x's code, y's code).
  template <typename Fn>
  void Map(OpKernelContext* ctx, Tensor* z, Fn fn) const {
    const quint8* xs = x.base<quint8>();
    const quint8* ys = y.base<quint8>();
    qint32* zs = z->base<qint32>();
    const auto& sizes = bcast.result_shape();
    const int rank = static_cast<int>(sizes.size());
    const int64_t row = rank == 0 ? 1 : sizes[rank - 1];
    if (z->NumElements() == 0) return;
    ParallelFor(
        ctx, z->NumElements() / row, 2 * row, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            // The place in x and in y at which row r starts.
            int64_t rest = r, x_at = 0, y_at = 0, x_size = 1, y_size = 1;
            const int64_t x_step =
                rank == 0 || bcast.x_reshape()[rank - 1] == 1 ? 0 : 1;
            const int64_t y_step =
                rank == 0 || bcast.y_reshape()[rank - 1] == 1 ? 0 : 1;
            for (int d = rank - 1; d >= 0; --d) {
              const int64_t at = d == rank - 1 ? 0 : rest % sizes[d];
              if (d != rank - 1) rest /= sizes[d];
              if (bcast.x_reshape()[d] != 1) x_at += at * x_size;
              if (bcast.y_reshape()[d] != 1) y_at += at * y_size;
              x_size *= bcast.x_reshape()[d];
              y_size *= bcast.y_reshape()[d];
            }
            for (int64_t i = 0; i < row; ++i) {
              zs[r * row + i].value =
                  fn(xs[x_at + i * x_step].value, ys[y_at + i * y_step].value);
            }
          }
        });
  }
};

int32_t WrappedSum(int32_t x, int32_t y) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) +
                              static_cast<uint32_t>(y));
}

// The codes 0 ... 255 of one range converted to qint32 codes of another range.
struct CodeTable {
  int32_t codes[256];

  // The sum of two tensors is defined by steps of whole codes; one number that
  // is added to a tensor is converted exactly.
  CodeTable(bool exact, float min, float max, float new_min, float new_max) {
    const auto code = [&](uint8_t c) {
      return RealToCodeUnclamped<qint32>(
          CodeToReal<quint8>(quint8{c}, min, max), new_min, new_max);
    };
    const int64_t first = code(0);
    const int64_t step = static_cast<int32_t>(code(1) - first);
    for (int c = 0; c < 256; ++c) {
      const int64_t value =
          exact ? code(static_cast<uint8_t>(c)) : first + c * step;
      codes[c] = static_cast<int32_t>(std::clamp<int64_t>(
          value, kLowestCode<qint32>, kHighestCode<qint32>));
    }
  }
};

class QuantizedAddOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Operands in(ctx);
    OP_REQUIRES_OK(ctx, in.Check(ctx));
    // The range is symmetric, so that 0 + 0 is 0, and so wide that sums of both
    // arguments' codes leave 14 bits free above.
    const float largest =
        std::max(std::max(in.max_x, -in.min_x), std::max(in.max_y, -in.min_y));
    const float max_z = largest * (1 << 14);
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(
                            0, BCast::ToShape(in.bcast.output_shape()), &z));
    const bool x_alone = in.x.NumElements() == 1;
    const bool y_alone = !x_alone && in.y.NumElements() == 1;
    const CodeTable xs(x_alone, in.min_x, in.max_x, -max_z, max_z);
    const CodeTable ys(y_alone, in.min_y, in.max_y, -max_z, max_z);
    in.Map(ctx, z, [&](uint8_t x, uint8_t y) {
      return WrappedSum(xs.codes[x], ys.codes[y]);
    });
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, -max_z));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, max_z));
  }
};
REGISTER_KERNEL_BUILDER(Name("QuantizedAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("T1")
                            .TypeConstraint<quint8>("T2")
                            .TypeConstraint<qint32>("Toutput"),
                        QuantizedAddOp);

class QuantizedMulOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Operands in(ctx);
    OP_REQUIRES_OK(ctx, in.Check(ctx));
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(
                            0, BCast::ToShape(in.bcast.output_shape()), &z));
    const uint32_t zero_x = ZeroCode(in.min_x, in.max_x);
    const uint32_t zero_y = ZeroCode(in.min_y, in.max_y);
    in.Map(ctx, z, [=](uint8_t x, uint8_t y) {
      return static_cast<int32_t>((x - zero_x) * (y - zero_y));
    });
    const ProductRange range(in.min_x, in.max_x, in.min_y, in.max_y);
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, range.min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, range.max));
  }
};
REGISTER_KERNEL_BUILDER(Name("QuantizedMul")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("T1")
                            .TypeConstraint<quint8>("T2")
                            .TypeConstraint<qint32>("Toutput"),
                        QuantizedMulOp);

}  // namespace
}  // namespace tensorwright
