// SPDX-License-Identifier: Apache-2.0
// Divides products into pieces: a grid over the rows and columns of c, or parts
// of k.

#include "core/kernels/lib/matmul_pieces.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/kernels/lib/onednn_util.h"
#include "core/kernels/lib/repeatable.h"
#include "core/lib/core/errors.h"
#include "core/platform/mutex.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// More pieces than most machines have cores to spare for a session; with many
// more, each would pack its own copy of much of a and b.
constexpr int64_t kMostPieces = 16;
// Sides of pieces are multiples of what oneDNN's inner kernels fill at once.
constexpr int64_t kStep = 16;
// Pieces with shorter sides would be slower than their sum is short.
constexpr int64_t kShortSide = 64;

int64_t Pieces(int64_t length, int64_t piece) {
  return (length + piece - 1) / piece;
}

// The sides of a piece of one product.
struct PieceSizes {
  int64_t m, n, k;

  int64_t CountOf(const MatMulArgs& args) const {
    return Pieces(args.m, m) * Pieces(args.n, n) * Pieces(args.k, k);
  }
};

PieceSizes SizesFor(const MatMulArgs& args) {
  PieceSizes sizes{args.m, args.n, args.k};
  const double flops = 2.0 * static_cast<double>(args.m) *
                       static_cast<double>(args.n) *
                       static_cast<double>(args.k);
  const int64_t wanted =
      PiecesOf(flops, std::max<int64_t>(1, kMostPieces / args.batch));
  const auto divided = [](int64_t side, int64_t by) {
    return (Pieces(side, by) + kStep - 1) / kStep * kStep;
  };
  if (args.m <= kShortSide && args.n <= kShortSide) {
    sizes.k = std::min(args.k, divided(args.k, wanted));
    return sizes;
  }
  for (int64_t count = 1; count < wanted; count *= 2) {
    int64_t& longer = sizes.m > sizes.n ? sizes.m : sizes.n;
    if (longer <= kStep) break;
    longer = divided(longer, 2);
  }
  return sizes;
}

// Multiplies one piece, on this thread.
Status Multiply(OpKernelContext* ctx, const MatMulArgs& args, int64_t m,
                int64_t n, int64_t k, const float* a, const float* b,
                float* c) {
  return onednn::Run(ctx, /*flops=*/0, [&](int) -> Status {
    const dnnl_status_t status =
        dnnl_sgemm(args.transpose_a ? 'T' : 'N', args.transpose_b ? 'T' : 'N',
                   m, n, k, 1.0f, a, args.transpose_a ? args.m : args.k, b,
                   args.transpose_b ? args.k : args.n, 0.0f, c, args.n);
    if (status == dnnl_success) return OkStatus();
    return errors::Internal("oneDNN: dnnl_sgemm failed with status ", status);
  });
}

// to[i] += from[i], for parts of a sum.
void AddParts(OpKernelContext* ctx, const float* parts, int64_t count,
              int64_t size, float* to) {
  ParallelFor(ctx, size, count, [&](int64_t begin, int64_t end) {
    std::copy(parts + begin, parts + end, to + begin);
    for (int64_t p = 1; p < count; ++p) {
      const float* const from = parts + p * size;
      for (int64_t i = begin; i < end; ++i) to[i] += from[i];
    }
  });
}

}  // namespace

Status MatMulInPieces(OpKernelContext* ctx, const MatMulArgs& args,
                      const float* a, const float* b, float* c) {
  const PieceSizes sizes = SizesFor(args);
  const int64_t size = args.m * args.n;
  const int64_t rows = Pieces(args.m, sizes.m);
  const int64_t parts = Pieces(args.k, sizes.k);
  const int64_t each = sizes.CountOf(args);
  Tensor buffer;
  float* sums = c;
  if (parts > 1) {
    TF_RETURN_IF_ERROR(ctx->allocate_temp(
        DT_FLOAT, TensorShape({args.batch, parts, size}), &buffer));
    sums = buffer.base<float>();
  }
  mutex mu;
  Status status;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t product = i / each;
      const int64_t part = i % each % parts;
      const int64_t at = i % each / parts;
      const int64_t row = at % rows * sizes.m, col = at / rows * sizes.n;
      const int64_t p = part * sizes.k;
      const float* const from_a =
          a + product * args.m * args.k +
          (args.transpose_a ? p * args.m + row : row * args.k + p);
      const float* const from_b =
          b + product * args.k * args.n +
          (args.transpose_b ? col * args.k + p : p * args.n + col);
      const Status done =
          Multiply(ctx, args, std::min(sizes.m, args.m - row),
                   std::min(sizes.n, args.n - col),
                   std::min(sizes.k, args.k - p), from_a, from_b,
                   sums + (product * parts + part) * size + row * args.n + col);
      if (done.ok()) continue;
      mutex_lock lock(mu);
      status.Update(done);
    }
  };
  const double cost = static_cast<double>(sizes.m) *
                      static_cast<double>(sizes.n) *
                      static_cast<double>(sizes.k) / 8;
  ParallelFor(ctx, args.batch * each,
              static_cast<int64_t>(std::min(cost, 1e15)), run);
  if (!status.ok() || parts == 1) return status;
  for (int64_t i = 0; i < args.batch; ++i) {
    AddParts(ctx, sums + i * parts * size, parts, size, c + i * size);
  }
  return OkStatus();
}

}  // namespace tensorwright
