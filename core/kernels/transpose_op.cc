// SPDX-License-Identifier: Apache-2.0
// Transpose and InvertPermutation.
#include "core/kernels/transpose_op.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/element_dispatch.h"
#include "core/kernels/strided_copy.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// out[c * out_stride + r] = in[r * in_stride + c] for a small tile.
template <typename T>
void TransposeTile(const T* in, int64_t in_stride, int64_t rows, int64_t cols,
                   T* out, int64_t out_stride) {
  for (int64_t c = 0; c < cols; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      out[c * out_stride + r] = in[r * in_stride + c];
    }
  }
}

#ifdef __SSE2__
// Four by four in registers: 4-byte elements are most of what is transposed.
inline void TransposeTile(const uint32_t* in, int64_t in_stride, int64_t rows,
                          int64_t cols, uint32_t* out, int64_t out_stride) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    int64_t c = 0;
    for (; c + 4 <= cols; c += 4) {
      const auto load = [&](int64_t i) {
        return _mm_loadu_si128(
            reinterpret_cast<const __m128i*>(in + (r + i) * in_stride + c));
      };
      const auto store = [&](int64_t i, __m128i v) {
        _mm_storeu_si128(
            reinterpret_cast<__m128i*>(out + (c + i) * out_stride + r), v);
      };
      const __m128i r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
      const __m128i a = _mm_unpacklo_epi32(r0, r1);
      const __m128i b = _mm_unpackhi_epi32(r0, r1);
      const __m128i x = _mm_unpacklo_epi32(r2, r3);
      const __m128i y = _mm_unpackhi_epi32(r2, r3);
      store(0, _mm_unpacklo_epi64(a, x));
      store(1, _mm_unpackhi_epi64(a, x));
      store(2, _mm_unpacklo_epi64(b, y));
      store(3, _mm_unpackhi_epi64(b, y));
    }
    TransposeTile<uint32_t>(in + r * in_stride + c, in_stride, 4, cols - c,
                            out + c * out_stride + r, out_stride);
  }
  TransposeTile<uint32_t>(in + r * in_stride, in_stride, rows - r, cols,
                          out + r, out_stride);
}
#endif

// The output as a strided view of the input, simplified.
StridedView TransposedView(const TensorShape& in,
                           absl::Span<const int32_t> perm) {
  const int rank = in.dims();
  absl::InlinedVector<int64_t, 8> strides(rank);
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= in.dim_size(d);
  }
  StridedView view;
  for (int32_t d : perm) view.Append(in.dim_size(d), strides[d]);
  view.Simplify();
  return view;
}

// Two dimensions of the view at a time: the output's last, `rows`, along which
// the input jumps, and the input's last, `cols`, along which the output jumps.
// Tiles of them stay in the cache both ways.
template <typename T>
void TransposeByTiles(OpKernelContext* ctx, const T* in,
                      const StridedView& view, int cols_dim, T* out) {
  constexpr int64_t kTile = 32;
  const int rank = static_cast<int>(view.sizes.size());
  const int64_t rows = view.sizes[rank - 1];
  const int64_t in_stride = view.strides[rank - 1];
  const int64_t cols = view.sizes[cols_dim];
  int64_t out_stride = 1;
  for (int d = cols_dim + 1; d < rank; ++d) out_stride *= view.sizes[d];

  // All other dimensions, with their strides in both arrays, and the tiles.
  struct Loop {
    int64_t size, in_stride, out_stride;
  };
  absl::InlinedVector<Loop, 8> loops;
  int64_t dense = 1;
  for (int d = rank - 1; d >= 0; --d) {
    if (d != rank - 1 && d != cols_dim) {
      loops.push_back({view.sizes[d], view.strides[d], dense});
    }
    dense *= view.sizes[d];
  }
  const int64_t row_tiles = (rows + kTile - 1) / kTile;
  const int64_t col_tiles = (cols + kTile - 1) / kTile;
  int64_t units = row_tiles * col_tiles;
  for (const Loop& loop : loops) units *= loop.size;

  const int64_t tile_elements = std::min(rows, kTile) * std::min(cols, kTile);
  ParallelFor(ctx, units, 2 * tile_elements * MoveCost<T>(),
              [&](int64_t begin, int64_t end) {
                for (int64_t unit = begin; unit < end; ++unit) {
                  const int64_t c = unit % col_tiles * kTile;
                  const int64_t r = unit / col_tiles % row_tiles * kTile;
                  int64_t rest = unit / col_tiles / row_tiles;
                  const T* from = in + r * in_stride + c;
                  T* to = out + c * out_stride + r;
                  for (const Loop& loop : loops) {
                    const int64_t i = rest % loop.size;
                    rest /= loop.size;
                    from += i * loop.in_stride;
                    to += i * loop.out_stride;
                  }
                  TransposeTile(from, in_stride, std::min(kTile, rows - r),
                                std::min(kTile, cols - c), to, out_stride);
                }
              });
}

}  // namespace

Status DoTranspose(OpKernelContext* ctx, const Tensor& in,
                   absl::Span<const int32_t> perm, Tensor* out) {
  if (in.NumElements() == 0) return OkStatus();
  const StridedView view = TransposedView(in.shape(), perm);
  const int rank = static_cast<int>(view.sizes.size());
  int cols_dim = rank - 1;
  for (int d = 0; d < rank; ++d) {
    if (view.strides[d] == 1) cols_dim = d;
  }
  return DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
    const T* from = in.base<T>();
    T* to = out->base<T>();
    if (cols_dim == rank - 1) {  // Runs stay together.
      ParallelFor(ctx, in.NumElements(), MoveCost<T>(),
                  [&view, from, to](int64_t begin, int64_t end) {
                    CopyFromView(from, view, begin, end, to);
                  });
    } else {
      TransposeByTiles(ctx, from, view, cols_dim, to);
    }
  });
}

namespace {

// Reads a permutation of 0..rank-1.
template <typename Tperm>
Status ReadPermutation(const Tensor& perm, int rank,
                       absl::InlinedVector<int32_t, 8>* out) {
  absl::InlinedVector<bool, 8> seen(rank, false);
  for (const Tperm given : Flat<Tperm>(perm)) {
    const int64_t d = given < 0 ? int64_t{given} + rank : int64_t{given};
    if (d < 0 || d >= rank) {
      return errors::InvalidArgument(given, " is out of range [0 .. ", rank,
                                     ")");
    }
    seen[d] = true;
    out->push_back(static_cast<int32_t>(d));
  }
  for (int d = 0; d < rank; ++d) {
    if (!seen[d]) {
      return errors::InvalidArgument(d, " is missing from {",
                                     perm.SummarizeValue(rank), "}.");
    }
  }
  return OkStatus();
}

class TransposeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& perm = ctx->input(1);
    const int rank = x.dims();
    OP_REQUIRES(ctx, perm.dims() == 1,
                errors::InvalidArgument("perm must be rank 1, got shape ",
                                        perm.shape().DebugString()));
    OP_REQUIRES(ctx, perm.NumElements() == rank,
                errors::InvalidArgument(
                    "transpose expects a vector of size ", rank,
                    ". But input(1) is a vector of size ", perm.NumElements()));
    absl::InlinedVector<int32_t, 8> permutation;
    OP_REQUIRES_OK(ctx,
                   perm.dtype() == DT_INT32
                       ? ReadPermutation<int32_t>(perm, rank, &permutation)
                       : ReadPermutation<int64_t>(perm, rank, &permutation));
    TensorShape shape;
    int previous = -1;
    bool moves = false;  // A dimension other than of size 1 changes places.
    for (int32_t d : permutation) {
      shape.AddDim(x.dim_size(d));
      if (x.dim_size(d) == 1) continue;
      moves |= d < previous;
      previous = d;
    }
    if (!moves) {
      Tensor y(x.dtype());
      OP_REQUIRES(ctx, y.CopyFrom(x, shape),
                  errors::Internal("Transpose: reshape failed"));
      ctx->set_output(0, std::move(y));
      return;
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    OP_REQUIRES_OK(ctx, DoTranspose(ctx, x, permutation, y));
  }
};
REGISTER_KERNEL_BUILDER(Name("Transpose").Device(DEVICE_CPU).HostMemory("perm"),
                        TransposeOp);

template <typename T>
class InvertPermutationOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    OP_REQUIRES(ctx, x.dims() == 1,
                errors::InvalidArgument(
                    "invert_permutation expects a 1D vector, got shape ",
                    x.shape().DebugString()));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    const absl::Span<const T> from = Flat<T>(x);
    const absl::Span<T> to = Flat<T>(y);
    std::fill(to.begin(), to.end(), T(-1));
    for (size_t i = 0; i < from.size(); ++i) {
      const T d = from[i];
      OP_REQUIRES(
          ctx, d >= 0 && static_cast<size_t>(d) < to.size(),
          errors::InvalidArgument(d, " is not between 0 and ", to.size()));
      OP_REQUIRES(ctx, to[d] == -1,
                  errors::InvalidArgument(d, " is duplicated in the input."));
      to[d] = static_cast<T>(i);
    }
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_FOR_TYPES(Name("InvertPermutation")
                              .Device(DEVICE_CPU)
                              .HostMemory("x")
                              .HostMemory("y"),
                          "T", InvertPermutationOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
