// SPDX-License-Identifier: Apache-2.0
// Transpose, ConjugateTranspose and InvertPermutation.
#include "core/kernels/array/transpose_op.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/array/transpose_op_stream.h"
#include "core/kernels/array/transpose_op_tile.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/strided_copy.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

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

// A dimension with its strides in both arrays.
struct Loop {
  int64_t size, in_stride, out_stride;
};

// All dimensions but the last and `cols_dim`, the innermost first.
absl::InlinedVector<Loop, 8> OtherLoops(const StridedView& view, int cols_dim) {
  const int last = static_cast<int>(view.sizes.size()) - 1;
  absl::InlinedVector<Loop, 8> loops;
  int64_t dense = 1;
  for (int d = last; d >= 0; --d) {
    if (d != last && d != cols_dim) {
      loops.push_back({view.sizes[d], view.strides[d], dense});
    }
    dense *= view.sizes[d];
  }
  return loops;
}

// Two dimensions of the view at a time: the output's last, `rows`, along which
// the input jumps, and the input's last, `cols`, along which the output jumps.
// Tiles of them stay in the cache both ways.  A tile is longest along the
// output's rows, which are written to memory line by line; each of its columns
// is a separate stream.
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
    if (IsTileStreamed(view.NumElements(), rows, cols, out)) {
      tile_rows = kLine<T>;
      tile_cols = std::min(cols, kStreamedCols);
      transpose = &StreamTile<T>;
      finish = &FinishStreams;
    }
  }

  const absl::InlinedVector<Loop, 8> loops = OtherLoops(view, cols_dim);
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
  // Runs stay together.  Runs as short as a pixel are not worth a copy each.
  if constexpr (std::is_unsigned_v<T>) {
    if (rank > 1 && view.sizes.back() == 3) {
      using Run = Pixel<T>;
      TransposeView(ctx, reinterpret_cast<const Run*>(in), ViewOfRuns(view, 3),
                    reinterpret_cast<Run*>(out));
      return;
    }
  }
  CopyFromView(ctx, in, view, out);
}

}  // namespace

Status DoTranspose(OpKernelContext* ctx, const Tensor& in,
                   absl::Span<const int32_t> perm, Tensor* out) {
  if (in.NumElements() == 0) return OkStatus();
  const StridedView view = TransposedView(in.shape(), perm);
  if (MovesOf(ctx) != nullptr) return MoveFromView(ctx, in, view, out);
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

// y = the conjugates of x, which may be y.  Both hold complex numbers.
template <typename R>
void Conjugate(OpKernelContext* ctx, const Tensor& x, Tensor* y) {
  const std::complex<R>* const from = x.base<std::complex<R>>();
  std::complex<R>* const to = y->base<std::complex<R>>();
  ParallelFor(ctx, x.NumElements(), 2, [from, to](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = std::conj(from[i]);
  });
}

class TransposeOp final : public OpKernel {
 public:
  explicit TransposeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    const DataType dtype = ctx->input_type(0);
    if (type_string() != "ConjugateTranspose") return;
    if (dtype == DT_COMPLEX64) conjugate_ = &Conjugate<float>;
    if (dtype == DT_COMPLEX128) conjugate_ = &Conjugate<double>;
  }

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
    if (!moves && conjugate_ == nullptr) {
      Tensor y(x.dtype());
      OP_REQUIRES(ctx, y.CopyFrom(x, shape),
                  errors::Internal("Transpose: reshape failed"));
      ctx->set_output(0, std::move(y));
      return;
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    if (moves) OP_REQUIRES_OK(ctx, DoTranspose(ctx, x, permutation, y));
    if (conjugate_ != nullptr) conjugate_(ctx, moves ? *y : x, y);
  }

 private:
  // Null where elements stay as they are.
  void (*conjugate_)(OpKernelContext*, const Tensor&, Tensor*) = nullptr;
};
REGISTER_KERNEL_BUILDER(Name("Transpose").Device(DEVICE_CPU).HostMemory("perm"),
                        TransposeOp);
REGISTER_MOVER_ON_GPU(TransposeOp, "T", Name("Transpose").HostMemory("perm"),
                      "x", "y");
REGISTER_KERNEL_BUILDER(
    Name("ConjugateTranspose").Device(DEVICE_CPU).HostMemory("perm"),
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
REGISTER_KERNEL_FOR_TYPES(Name("InvertPermutation")
                              .Device(DEVICE_GPU)
                              .HostMemory("x")
                              .HostMemory("y"),
                          "T", InvertPermutationOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
