// SPDX-License-Identifier: Apache-2.0
// QuantizedMatMul.

#include "core/kernels/math/quantized_ops_matmul.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A matrix of codes; element [i, j] is codes[i * row + j * column].
struct Codes {
  const quint8* codes;
  int64_t row, column;

  Codes(const Tensor& t, bool transposed)
      : codes(t.base<quint8>()),
        row(transposed ? 1 : t.dim_size(1)),
        column(transposed ? t.dim_size(1) : 1) {}
};

// Sizes of a block: the widened part of b stays in the second-level cache.
constexpr int64_t kBlockK = 256;
constexpr int64_t kBlockN = kProductColumns;

// out[m, n] = (a[m, k] - zero_a) * (b[k, n] - zero_b), modulo 2^32.  The loop
// sums the products of the codes themselves and then corrects for the zeros by
// the sums of rows and columns.
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

  // Computes rows [begin, end) of the output.
  void Rows(int64_t begin, int64_t end) const {
    std::vector<int32_t> b_block(kBlockK / 2 * kBlockN);
    std::vector<int32_t> a_block(4 * kBlockK / 2);
    std::vector<int32_t> sums((end - begin + 3) / 4 * 4 * kBlockN);
    for (int64_t j = 0; j < n_; j += kBlockN) {
      const int64_t width = std::min(kBlockN, n_ - j);
      std::fill(sums.begin(), sums.end(), 0);
      for (int64_t p = 0; p < k_; p += kBlockK) {
        const int64_t pairs = (std::min(kBlockK, k_ - p) + 1) / 2;
        for (int64_t q = 0; q < pairs; ++q) {
          PairsOfB(p + 2 * q, j, width, b_block.data() + q * kBlockN);
        }
        for (int64_t i = begin; i < end; i += 4) {
          for (int64_t r = 0; r < 4; ++r) {
            for (int64_t q = 0; q < pairs; ++q) {
              a_block[r * pairs + q] =
                  i + r < end ? PairOfA(i + r, p + 2 * q) : 0;
            }
          }
          MultiplyPairs(a_block.data(), b_block.data(), pairs, width,
                        sums.data() + (i - begin) * kBlockN);
        }
      }
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t c = 0; c < width; ++c) {
          const uint32_t sum =
              static_cast<uint32_t>(sums[(i - begin) * kBlockN + c]);
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

  // Packs two codes as 16-bit halves; codes past the end of the depth are
  // zeros.
  static int32_t Pair(int32_t low, int32_t high) { return low | high << 16; }

  int32_t PairOfA(int64_t i, int64_t p) const {
    return Pair(At(a_, i, p), p + 1 < k_ ? At(a_, i, p + 1) : 0);
  }

  // Packs rows p and p + 1 of b, columns [j, j + width).
  void PairsOfB(int64_t p, int64_t j, int64_t width, int32_t* pairs) const {
    const quint8* low = b_.codes + p * b_.row + j * b_.column;
    if (p + 1 < k_) {
      const quint8* high = low + b_.row;
      for (int64_t i = 0; i < width; ++i) {
        pairs[i] = Pair(low[i * b_.column].value, high[i * b_.column].value);
      }
    } else {
      for (int64_t i = 0; i < width; ++i) {
        pairs[i] = Pair(low[i * b_.column].value, 0);
      }
    }
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
    // A piece has many rows, because each piece widens all of b.
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
