// SPDX-License-Identifier: Apache-2.0
// QuantizedMatMul.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/quantized_ops.h"
#include "core/kernels/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A matrix of codes: element [i, j] is codes[i * row + j * column].
struct Codes {
  const quint8* codes;
  int64_t row, column;

  Codes(const Tensor& t, bool transposed)
      : codes(t.base<quint8>()),
        row(transposed ? 1 : t.dim_size(1)),
        column(transposed ? t.dim_size(1) : 1) {}
};

// c[i, j] += sum_k a[i, k] * b[k, j] for four rows of c, `n` long; b is widened
// to 16 bits and two rows of it stand side by side, so that one instruction
// multiplies and adds both.
struct FourRowsLoop {
  TW_WIDE_LOOP static void Run(const int16_t* a, const int16_t* b, int64_t k,
                               int64_t n, int64_t stride, uint32_t* c) {
    for (int64_t p = 0; p < k; p += 2) {
      const int32_t a00 = a[p], a01 = a[p + 1];
      const int32_t a10 = a[k + p], a11 = a[k + p + 1];
      const int32_t a20 = a[2 * k + p], a21 = a[2 * k + p + 1];
      const int32_t a30 = a[3 * k + p], a31 = a[3 * k + p + 1];
      const int16_t* b0 = b + p * stride;
      const int16_t* b1 = b0 + stride;
      TW_VECTORIZE
      for (int64_t j = 0; j < n; ++j) {
        const int32_t x = b0[j], y = b1[j];
        c[j] += static_cast<uint32_t>(a00 * x + a01 * y);
        c[stride + j] += static_cast<uint32_t>(a10 * x + a11 * y);
        c[2 * stride + j] += static_cast<uint32_t>(a20 * x + a21 * y);
        c[3 * stride + j] += static_cast<uint32_t>(a30 * x + a31 * y);
      }
    }
  }
};

// Sizes of a block: what is widened of b stays in the second-level cache.
constexpr int64_t kBlockK = 256;
constexpr int64_t kBlockN = 256;

// out[m, n] = (a[m, k] - zero_a) * (b[k, n] - zero_b), modulo 2^32: the
// products of the codes themselves are summed, and the zeros taken off by the
// sums of rows and columns.
class Product {
 public:
  Product(Codes a, Codes b, int64_t m, int64_t n, int64_t k, uint32_t zero_a,
          uint32_t zero_b, qint32* out)
      : a_(a),
        b_(b),
        n_(n),
        k_(k),
        zero_a_(zero_a),
        zero_b_(zero_b),
        out_(out),
        a_sums_(m),
        b_sums_(n) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t p = 0; p < k; ++p) a_sums_[i] += At(a_, i, p);
    }
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j) b_sums_[j] += At(b_, p, j);
    }
  }

  // Rows [begin, end) of the output.
  void Rows(int64_t begin, int64_t end) const {
    std::vector<int16_t> b_block(kBlockK * kBlockN), a_block(4 * kBlockK);
    std::vector<uint32_t> sums((end - begin + 3) / 4 * 4 * kBlockN);
    for (int64_t j = 0; j < n_; j += kBlockN) {
      const int64_t width = std::min(kBlockN, n_ - j);
      std::fill(sums.begin(), sums.end(), 0);
      for (int64_t p = 0; p < k_; p += kBlockK) {
        // Odd depths are filled up with zeros.
        const int64_t depth = std::min(kBlockK, k_ - p);
        const int64_t even = (depth + 1) / 2 * 2;
        for (int64_t q = 0; q < even; ++q) {
          for (int64_t i = 0; i < width; ++i) {
            b_block[q * kBlockN + i] =
                q < depth ? static_cast<int16_t>(At(b_, p + q, j + i)) : 0;
          }
        }
        for (int64_t i = begin; i < end; i += 4) {
          for (int64_t r = 0; r < 4; ++r) {
            for (int64_t q = 0; q < even; ++q) {
              a_block[r * even + q] =
                  q < depth && i + r < end
                      ? static_cast<int16_t>(At(a_, i + r, p + q))
                      : 0;
            }
          }
          RunWide<FourRowsLoop>(a_block.data(), b_block.data(), even, width,
                                kBlockN, sums.data() + (i - begin) * kBlockN);
        }
      }
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t c = 0; c < width; ++c) {
          const uint32_t sum = sums[(i - begin) * kBlockN + c];
          out_[i * n_ + j + c].value = static_cast<int32_t>(
              sum - zero_b_ * a_sums_[i] - zero_a_ * b_sums_[j + c] +
              static_cast<uint32_t>(k_) * zero_a_ * zero_b_);
        }
      }
    }
  }

 private:
  static uint8_t At(const Codes& m, int64_t i, int64_t j) {
    return m.codes[i * m.row + j * m.column].value;
  }

  const Codes a_, b_;
  const int64_t n_, k_;
  const uint32_t zero_a_, zero_b_;
  qint32* const out_;
  std::vector<uint32_t> a_sums_, b_sums_;
};

class QuantizedMatMulOp final : public OpKernel {
 public:
  explicit QuantizedMatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    float min_a = 0, max_a = 0, min_b = 0, max_b = 0;
    OP_REQUIRES_OK(ctx,
                   IncreasingRange(ctx, 2, "min_a", "max_a", &min_a, &max_a));
    OP_REQUIRES_OK(ctx,
                   IncreasingRange(ctx, 4, "min_b", "max_b", &min_b, &max_b));
    OP_REQUIRES(ctx, a.dims() == 2 && b.dims() == 2,
                errors::InvalidArgument(
                    "QuantizedMatMul: a and b must be matrices, got shapes ",
                    a.shape().DebugString(), " and ", b.shape().DebugString()));
    const int64_t m = a.dim_size(transpose_a_ ? 1 : 0);
    const int64_t k = a.dim_size(transpose_a_ ? 0 : 1);
    const int64_t n = b.dim_size(transpose_b_ ? 0 : 1);
    OP_REQUIRES(
        ctx, k == b.dim_size(transpose_b_ ? 1 : 0),
        errors::InvalidArgument(
            "QuantizedMatMul: Matrix size-incompatible: In[0]: ",
            a.shape().DebugString(), ", In[1]: ", b.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({m, n}), &out));
    const ProductRange range(min_a, max_a, min_b, max_b);
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, range.min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, range.max));
    if (out->NumElements() == 0) return;
    const Product product(Codes(a, transpose_a_), Codes(b, transpose_b_), m, n,
                          k, ZeroCode(min_a, max_a), ZeroCode(min_b, max_b),
                          out->base<qint32>());
    // Pieces of many rows, for each widens all of b.
    constexpr int64_t kRows = 64;
    const double work = static_cast<double>(kRows) *
                        (static_cast<double>(k) + 1) * static_cast<double>(n) /
                        8;
    ParallelFor(ctx, (m + kRows - 1) / kRows,
                static_cast<int64_t>(std::min(work, 1e12)) + 1,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    product.Rows(i * kRows, std::min((i + 1) * kRows, m));
                  }
                });
  }

 private:
  bool transpose_a_ = false, transpose_b_ = false;
};
REGISTER_KERNEL_BUILDER(Name("QuantizedMatMul")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("T1")
                            .TypeConstraint<quint8>("T2")
                            .TypeConstraint<qint32>("Toutput"),
                        QuantizedMatMulOp);

}  // namespace
}  // namespace tensorwright
