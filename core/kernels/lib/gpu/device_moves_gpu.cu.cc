// SPDX-License-Identifier: Apache-2.0
// Moves of elements by strides, on the device.

#include "core/kernels/lib/gpu/device_moves_gpu.cu.h"

#include <cstring>

#include "core/kernels/lib/gpu/device_moves_gpu.h"

namespace tensorwright {
namespace gpu {
namespace {

constexpr int kMaxRank = GpuStridedMove::kMaxRank;

template <typename Index>
struct MoveDims {
  int rank;
  Divider<Index> sizes[kMaxRank];
  int64_t from[kMaxRank];
  int64_t to[kMaxRank];
};

template <typename T, typename Index>
__global__ void __launch_bounds__(kThreads)
    MoveKernel(MoveDims<Index> dims, int64_t n, const T* __restrict__ src,
               T* __restrict__ dst) {
  const Index step = GridStep<Index>(), end = static_cast<Index>(n);
  for (Index i = GridFirst<Index>(); i < end; i += step) {
    Index rest = i;
    int64_t from = 0, to = 0;
    for (int d = dims.rank - 1; d > 0; --d) {
      Index index;
      dims.sizes[d].Divide(rest, &rest, &index);
      from += static_cast<int64_t>(index) * dims.from[d];
      to += static_cast<int64_t>(index) * dims.to[d];
    }
    from += static_cast<int64_t>(rest) * dims.from[0];
    to += static_cast<int64_t>(rest) * dims.to[0];
    dst[to] = src[from];
  }
}

template <typename T>
Status MoveElements(CUstream_st* stream, const GpuStridedMove& move,
                    const void* src, void* dst) {
  int64_t n = 1;
  for (int d = 0; d < move.rank; ++d) n *= move.sizes[d];
  const auto launch = [&]<typename Index>(Index) {
    MoveDims<Index> dims;
    dims.rank = move.rank;
    for (int d = 0; d < move.rank; ++d) {
      dims.sizes[d] = Divider<Index>(move.sizes[d]);
      dims.from[d] = move.from[d];
      dims.to[d] = move.to[d];
    }
    return Launch(stream, Blocks(n), kThreads, 0, MoveKernel<T, Index>, dims, n,
                  static_cast<const T*>(src), static_cast<T*>(dst));
  };
  return DispatchIndex(n, launch);
}

// ---- Two dimensions that change places --------------------------------------

constexpr int kTile = 32, kTileRows = 8;

// Moves [outer..., rows, cols]: src walks densely along rows, dst along cols.
// Tiles pass through shared memory, so that both sides are accessed in runs.
template <typename T>
__global__ void __launch_bounds__(kTile* kTileRows)
    TransposeKernel(MoveDims<uint64_t> outer, int64_t outers, int64_t rows,
                    int64_t cols, int64_t from_col, int64_t to_row,
                    const T* __restrict__ src, T* __restrict__ dst) {
  // The column more spreads the elements of a column over the banks.
  GPU_SHARED(T, tile, kTile * (kTile + 1));
  const int64_t row_tiles = (rows + kTile - 1) / kTile;
  const int64_t col_tiles = (cols + kTile - 1) / kTile;
  const int64_t tiles = row_tiles * col_tiles * outers;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int64_t row = t % row_tiles * kTile;
    const int64_t col = t / row_tiles % col_tiles * kTile;
    uint64_t rest = static_cast<uint64_t>(t / row_tiles / col_tiles);
    int64_t from = 0, to = 0;
    for (int d = outer.rank - 1; d >= 0; --d) {
      uint64_t index;
      outer.sizes[d].Divide(rest, &rest, &index);
      from += static_cast<int64_t>(index) * outer.from[d];
      to += static_cast<int64_t>(index) * outer.to[d];
    }
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < kTile; y += kTileRows) {
      if (row + x < rows && col + y < cols) {
        tile[y * (kTile + 1) + x] = src[from + row + x + (col + y) * from_col];
      }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < kTile; y += kTileRows) {
      if (row + y < rows && col + x < cols) {
        dst[to + col + x + (row + y) * to_row] = tile[x * (kTile + 1) + y];
      }
    }
    __syncthreads();
  }
}

template <typename T>
Status TransposeElements(CUstream_st* stream, const GpuStridedMove& move,
                         int row_dim, int col_dim, const void* src, void* dst) {
  MoveDims<uint64_t> outer;
  outer.rank = 0;
  int64_t outers = 1;
  for (int d = 0; d < move.rank; ++d) {
    if (d == row_dim || d == col_dim) continue;
    outer.sizes[outer.rank] = Divider<uint64_t>(move.sizes[d]);
    outer.from[outer.rank] = move.from[d];
    outer.to[outer.rank] = move.to[d];
    ++outer.rank;
    outers *= move.sizes[d];
  }
  const int64_t rows = move.sizes[row_dim], cols = move.sizes[col_dim];
  const int64_t tiles =
      ((rows + kTile - 1) / kTile) * ((cols + kTile - 1) / kTile) * outers;
  return Launch(stream, Blocks(tiles, 1), dim3(kTile, kTileRows), 0,
                TransposeKernel<T>, outer, outers, rows, cols,
                move.from[col_dim], move.to[row_dim],
                static_cast<const T*>(src), static_cast<T*>(dst));
}

// ---- Which of them ----------------------------------------------------------

// Drops dimensions of 1 and joins neighbours that one pair of strides walks.
GpuStridedMove Simplified(const GpuStridedMove& move) {
  GpuStridedMove out;
  for (int d = 0; d < move.rank; ++d) {
    if (move.sizes[d] == 1) continue;
    const int last = out.rank - 1;
    if (last >= 0 && out.from[last] == move.sizes[d] * move.from[d] &&
        out.to[last] == move.sizes[d] * move.to[d]) {
      out.sizes[last] *= move.sizes[d];
      out.from[last] = move.from[d];
      out.to[last] = move.to[d];
      continue;
    }
    out.sizes[out.rank] = move.sizes[d];
    out.from[out.rank] = move.from[d];
    out.to[out.rank] = move.to[d];
    ++out.rank;
  }
  if (out.rank == 0) {
    out.rank = 1;
    out.sizes[0] = out.from[0] = out.to[0] = 1;
  }
  return out;
}

// Takes two elements for one, as long as all runs and addresses allow it, so
// that an access moves up to 16 bytes.
int64_t Widened(GpuStridedMove* move, int64_t size, const void* src,
                const void* dst) {
  const int last = move->rank - 1;
  const auto address =
      reinterpret_cast<uintptr_t>(src) | reinterpret_cast<uintptr_t>(dst);
  while (size < 16 && move->from[last] == 1 && move->to[last] == 1) {
    bool even = address % (2 * size) == 0 && move->sizes[last] % 2 == 0;
    for (int d = 0; d < last; ++d) {
      even = even && move->from[d] % 2 == 0 && move->to[d] % 2 == 0;
    }
    if (!even) break;
    move->sizes[last] /= 2;
    for (int d = 0; d < last; ++d) {
      move->from[d] /= 2;
      move->to[d] /= 2;
    }
    size *= 2;
  }
  return size;
}

template <typename T>
Status MoveOrTranspose(CUstream_st* stream, const GpuStridedMove& move,
                       const void* src, void* dst) {
  // Fewer columns or rows leave most of a tile empty.
  constexpr int64_t kFew = 8;
  int row_dim = -1, col_dim = -1;
  for (int d = 0; d < move.rank; ++d) {
    if (move.from[d] == 1) row_dim = d;
    if (move.to[d] == 1) col_dim = d;
  }
  if (row_dim >= 0 && col_dim >= 0 && row_dim != col_dim &&
      move.sizes[row_dim] >= kFew && move.sizes[col_dim] >= kFew) {
    return TransposeElements<T>(stream, move, row_dim, col_dim, src, dst);
  }
  return MoveElements<T>(stream, move, src, dst);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    FillKernel(T value, int64_t n, T* __restrict__ dst) {
  const int64_t step = GridStep<int64_t>();
  for (int64_t i = GridFirst<int64_t>(); i < n; i += step) dst[i] = value;
}

template <typename T>
Status FillElements(CUstream_st* stream, const void* value, int64_t n,
                    void* dst) {
  T element;
  std::memcpy(&element, value, sizeof(T));
  return Launch(stream, Blocks(n), kThreads, 0, FillKernel<T>, element, n,
                static_cast<T*>(dst));
}

}  // namespace
}  // namespace gpu

Status GpuMove(CUstream_st* stream, const GpuStridedMove& given, int64_t size,
               const void* src, void* dst) {
  GpuStridedMove move = gpu::Simplified(given);
  size = gpu::Widened(&move, size, src, dst);
  return gpu::DispatchSize(size, [&]<typename T>(T) {
    return gpu::MoveOrTranspose<T>(stream, move, src, dst);
  });
}

Status GpuFill(CUstream_st* stream, const void* host_value, int64_t n,
               int64_t size, void* dst) {
  // Sixteen bytes at a time, if the value and the address allow it.
  unsigned char sixteen[16];
  if (size <= 16 && 16 % size == 0) {
    for (int64_t i = 0; i < 16; i += size) {
      std::memcpy(sixteen + i, host_value, size);
    }
  }
  if (reinterpret_cast<uintptr_t>(dst) % 16 == 0 && n * size % 16 == 0) {
    return gpu::FillElements<gpu::Sixteen>(stream, sixteen, n * size / 16, dst);
  }
  return gpu::DispatchSize(size, [&]<typename T>(T) {
    return gpu::FillElements<T>(stream, host_value, n, dst);
  });
}

}  // namespace tensorwright
