// SPDX-License-Identifier: Apache-2.0
// Transpose and InvertPermutation.
#include "core/kernels/transpose_op.h"

#ifdef __SSE2__
#include <emmintrin.h>
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>
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
// Squares in registers.  Square::Run transposes kSize rows of kSize elements.
__m128i Load(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
void Store(void* p, __m128i v) {
  _mm_storeu_si128(static_cast<__m128i*>(p), v);
}

struct Square8 {
  static constexpr int64_t kSize = 2;
  static void Run(const uint64_t* in, int64_t in_stride, uint64_t* out,
                  int64_t out_stride) {
    const __m128i r0 = Load(in), r1 = Load(in + in_stride);
    Store(out, _mm_unpacklo_epi64(r0, r1));
    Store(out + out_stride, _mm_unpackhi_epi64(r0, r1));
  }
};

struct Square4 {
  static constexpr int64_t kSize = 4;
  static void Run(const uint32_t* in, int64_t in_stride, uint32_t* out,
                  int64_t out_stride) {
    const __m128i r0 = Load(in), r1 = Load(in + in_stride),
                  r2 = Load(in + 2 * in_stride), r3 = Load(in + 3 * in_stride);
    const __m128i a = _mm_unpacklo_epi32(r0, r1);
    const __m128i b = _mm_unpackhi_epi32(r0, r1);
    const __m128i x = _mm_unpacklo_epi32(r2, r3);
    const __m128i y = _mm_unpackhi_epi32(r2, r3);
    Store(out, _mm_unpacklo_epi64(a, x));
    Store(out + out_stride, _mm_unpackhi_epi64(a, x));
    Store(out + 2 * out_stride, _mm_unpacklo_epi64(b, y));
    Store(out + 3 * out_stride, _mm_unpackhi_epi64(b, y));
  }
};

struct Square2 {
  static constexpr int64_t kSize = 8;
  static void Run(const uint16_t* in, int64_t in_stride, uint16_t* out,
                  int64_t out_stride) {
    __m128i a[8], b[8];
    for (int i = 0; i < 8; ++i) a[i] = Load(in + i * in_stride);
    // Interleaving rows i and i + 4 three times is a transposition.
    Interleave(a, b);
    Interleave(b, a);
    Interleave(a, b);
    for (int i = 0; i < 8; ++i) Store(out + i * out_stride, b[i]);
  }
  static void Interleave(const __m128i* from, __m128i* to) {
    for (int i = 0; i < 4; ++i) {
      to[2 * i] = _mm_unpacklo_epi16(from[i], from[i + 4]);
      to[2 * i + 1] = _mm_unpackhi_epi16(from[i], from[i + 4]);
    }
  }
};

struct Square1 {
  static constexpr int64_t kSize = 16;
  static void Run(const uint8_t* in, int64_t in_stride, uint8_t* out,
                  int64_t out_stride) {
    __m128i a[16], b[16];
    for (int i = 0; i < 16; ++i) a[i] = Load(in + i * in_stride);
    Interleave(a, b);
    Interleave(b, a);
    Interleave(a, b);
    Interleave(b, a);
    for (int i = 0; i < 16; ++i) Store(out + i * out_stride, a[i]);
  }
  static void Interleave(const __m128i* from, __m128i* to) {
    for (int i = 0; i < 8; ++i) {
      to[2 * i] = _mm_unpacklo_epi8(from[i], from[i + 8]);
      to[2 * i + 1] = _mm_unpackhi_epi8(from[i], from[i + 8]);
    }
  }
};

template <typename Square, typename T>
void TransposeBySquares(const T* in, int64_t in_stride, int64_t rows,
                        int64_t cols, T* out, int64_t out_stride) {
  constexpr int64_t kSize = Square::kSize;
  // As many squares below each other as fill a cache line of the output.
  constexpr int64_t kLine = std::max<int64_t>(kSize, 64 / sizeof(T));
  int64_t r = 0;
  const auto squares = [&](int64_t height) {
    int64_t c = 0;
    for (; c + kSize <= cols; c += kSize) {
      for (int64_t i = r; i < r + height; i += kSize) {
        Square::Run(in + i * in_stride + c, in_stride, out + c * out_stride + i,
                    out_stride);
      }
    }
    TransposeTile<T>(in + r * in_stride + c, in_stride, height, cols - c,
                     out + c * out_stride + r, out_stride);
    r += height;
  };
  while (r + kLine <= rows) squares(kLine);
  while (r + kSize <= rows) squares(kSize);
  TransposeTile<T>(in + r * in_stride, in_stride, rows - r, cols, out + r,
                   out_stride);
}

void TransposeTile(const uint64_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint64_t* out, int64_t out_stride) {
  TransposeBySquares<Square8>(in, in_stride, rows, cols, out, out_stride);
}
void TransposeTile(const uint32_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint32_t* out, int64_t out_stride) {
  TransposeBySquares<Square4>(in, in_stride, rows, cols, out, out_stride);
}
void TransposeTile(const uint16_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint16_t* out, int64_t out_stride) {
  TransposeBySquares<Square2>(in, in_stride, rows, cols, out, out_stride);
}
void TransposeTile(const uint8_t* in, int64_t in_stride, int64_t rows,
                   int64_t cols, uint8_t* out, int64_t out_stride) {
  TransposeBySquares<Square1>(in, in_stride, rows, cols, out, out_stride);
}
#endif

// Outputs of so many bytes would not stay in a cache for who reads them.
constexpr int64_t kLargeBytes = 16 << 20;
constexpr int64_t kLineBytes = 64;
// A streamed tile is one line high and so wide, at most.
constexpr int64_t kStreamedCols = 2048;
template <typename T>
constexpr int64_t kLine = kLineBytes / sizeof(T);

#ifdef __SSE2__
template <typename T>
constexpr bool kCanStream = std::is_unsigned_v<T>;

// TransposeTile to memory past the caches, which need not read the output
// before it is written: the input is transposed in squares of whole cache
// lines, also of the output, and asked for a few lines ahead, because the
// processor does not see through so many streams.  The caller ends with
// FinishStreams.
template <typename T>
void StreamTile(const T* in, int64_t in_stride, int64_t rows, int64_t cols,
                T* out, int64_t out_stride) {
  constexpr int64_t kAhead = 4 * kLine<T>;
  constexpr int64_t kPart = sizeof(__m128i) / sizeof(T);
  alignas(kLineBytes) T square[kLine<T> * kLine<T>];
  for (int64_t r = 0; r < rows; r += kLine<T>) {
    int64_t c = 0;
    for (; c + kLine<T> <= cols; c += kLine<T>) {
      const T* from = in + r * in_stride + c;
      for (int64_t i = 0; i < kLine<T>; ++i) {
        const T* ahead = from + i * in_stride + kAhead;
        _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
      }
      TransposeTile(from, in_stride, kLine<T>, kLine<T>, &square[0], kLine<T>);
      for (int64_t i = 0; i < kLine<T>; ++i) {
        T* to = out + (c + i) * out_stride + r;
        for (int64_t part = 0; part < kLine<T>; part += kPart) {
          _mm_stream_si128(reinterpret_cast<__m128i*>(to + part),
                           Load(square + i * kLine<T> + part));
        }
      }
    }
    TransposeTile(in + r * in_stride + c, in_stride, kLine<T>, cols - c,
                  out + c * out_stride + r, out_stride);
  }
}
void FinishStreams() { _mm_sfence(); }
#else
template <typename T>
constexpr bool kCanStream = false;
#endif

// Whether an output of so many elements is worth StreamTile, and its rows are
// whole lines.
template <typename T>
bool IsStreamed(int64_t elements, int64_t rows, int64_t cols, const T* out) {
  return elements * int64_t{sizeof(T)} >= kLargeBytes && rows % kLine<T> == 0 &&
         cols >= kLine<T> && reinterpret_cast<uintptr_t>(out) % kLineBytes == 0;
}

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
// Tiles of them stay in the cache both ways.  A tile is longest along the
// output's rows: that is what is written to memory line by line, and each of
// its columns is a stream of its own.
template <typename T>
void TransposeByTiles(OpKernelContext* ctx, const T* in,
                      const StridedView& view, int cols_dim, T* out) {
  const int rank = static_cast<int>(view.sizes.size());
  const int64_t rows = view.sizes[rank - 1];
  const int64_t in_stride = view.strides[rank - 1];
  const int64_t cols = view.sizes[cols_dim];
  int64_t out_stride = 1;
  for (int d = cols_dim + 1; d < rank; ++d) out_stride *= view.sizes[d];

  constexpr int64_t kStreams = sizeof(T) == 1 ? 64 : 32;
  constexpr int64_t kTileElements = 32768 / sizeof(T);
  const int64_t few = std::min(cols, kStreams);
  int64_t tile_rows = std::min(rows, kTileElements / few);
  int64_t tile_cols = tile_rows < rows
                          ? few
                          : std::min(cols, std::max(few, kTileElements / rows));
  auto transpose = +[](const T* from, int64_t from_stride, int64_t r, int64_t c,
                       T* to, int64_t to_stride) {
    TransposeTile(from, from_stride, r, c, to, to_stride);
  };
  auto finish = +[] {};
  if constexpr (kCanStream<T>) {
    if (IsStreamed(view.NumElements(), rows, cols, out)) {
      tile_rows = kLine<T>;
      tile_cols = std::min(cols, kStreamedCols);
      transpose = &StreamTile<T>;
      finish = &FinishStreams;
    }
  }

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
  const int64_t row_tiles = (rows + tile_rows - 1) / tile_rows;
  const int64_t col_tiles = (cols + tile_cols - 1) / tile_cols;
  int64_t units = row_tiles * col_tiles;
  for (const Loop& loop : loops) units *= loop.size;

  const int64_t tile_elements = tile_rows * tile_cols;
  ParallelFor(ctx, units, 2 * tile_elements * MoveCost<T>(),
              [&](int64_t begin, int64_t end) {
                for (int64_t unit = begin; unit < end; ++unit) {
                  const int64_t c = unit % col_tiles * tile_cols;
                  const int64_t r = unit / col_tiles % row_tiles * tile_rows;
                  int64_t rest = unit / col_tiles / row_tiles;
                  const T* from = in + r * in_stride + c;
                  T* to = out + c * out_stride + r;
                  for (const Loop& loop : loops) {
                    const int64_t i = rest % loop.size;
                    rest /= loop.size;
                    from += i * loop.in_stride;
                    to += i * loop.out_stride;
                  }
                  transpose(from, in_stride, std::min(tile_rows, rows - r),
                            std::min(tile_cols, cols - c), to, out_stride);
                }
                finish();
              });
}

// A run of elements that moves as one: a pixel of three colours.
template <typename T>
struct Pixel {
  T colors[3];
};

// The view of the same memory in units of its last runs, of `run` elements.
StridedView ViewOfRuns(const StridedView& view, int64_t run) {
  StridedView runs;
  for (size_t d = 0; d + 1 < view.sizes.size(); ++d) {
    runs.Append(view.sizes[d], view.strides[d] / run);
  }
  return runs;
}

// Moves elements of type T.
template <typename T>
void TransposeView(OpKernelContext* ctx, const T* in, const StridedView& view,
                   T* out) {
  const int rank = static_cast<int>(view.sizes.size());
  int cols_dim = rank - 1;
  for (int d = 0; d < rank; ++d) {
    if (view.strides[d] == 1) cols_dim = d;
  }
  if (cols_dim != rank - 1) {
    TransposeByTiles(ctx, in, view, cols_dim, out);
    return;
  }
  // Runs stay together.  Those as short as a pixel are not worth a copy each.
  if constexpr (std::is_unsigned_v<T>) {
    if (rank > 1 && view.sizes.back() == 3) {
      using Run = Pixel<T>;
      TransposeView(ctx, reinterpret_cast<const Run*>(in), ViewOfRuns(view, 3),
                    reinterpret_cast<Run*>(out));
      return;
    }
  }
  ParallelFor(ctx, view.NumElements(), MoveCost<T>(),
              [&view, in, out](int64_t begin, int64_t end) {
                CopyFromView(in, view, begin, end, out);
              });
}

}  // namespace

Status DoTranspose(OpKernelContext* ctx, const Tensor& in,
                   absl::Span<const int32_t> perm, Tensor* out) {
  if (in.NumElements() == 0) return OkStatus();
  const StridedView view = TransposedView(in.shape(), perm);
  return DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
    TransposeView(ctx, in.base<T>(), view, out->base<T>());
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
