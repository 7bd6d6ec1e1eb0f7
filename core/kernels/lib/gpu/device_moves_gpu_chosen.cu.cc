// SPDX-License-Identifier: Apache-2.0
// Moves of elements that indices or conditions choose, on the device.

#include "core/kernels/lib/gpu/device_moves_gpu.cu.h"
#include "core/kernels/lib/gpu/device_moves_gpu.h"

namespace tensorwright {
namespace gpu {
namespace {

template <typename T, typename I, typename Index>
__global__ void __launch_bounds__(kThreads)
    GatherKernel(int64_t total, Divider<Index> slice, Divider<Index> n,
                 Divider<Index> outer, int64_t indices_of_batch, int64_t limit,
                 int64_t slice_size, const T* __restrict__ params,
                 const I* __restrict__ indices, T* __restrict__ out) {
  const Index step = GridStep<Index>(), end = static_cast<Index>(total);
  for (Index i = GridFirst<Index>(); i < end; i += step) {
    Index row, at, block, j, batch, unused;
    slice.Divide(i, &row, &at);
    n.Divide(row, &block, &j);
    outer.Divide(block, &batch, &unused);
    const I index = indices[static_cast<int64_t>(batch) * indices_of_batch + j];
    const bool good = index >= 0 && index < limit;
    const int64_t from =
        (static_cast<int64_t>(block) * limit + index) * slice_size + at;
    out[i] = good ? params[from] : T{};
  }
}

template <typename T, typename I>
Status Gather(CUstream_st* stream, const GatherMove& m) {
  const int64_t total = m.batch * m.outer * m.n * m.slice;
  if (total == 0) return OkStatus();
  return DispatchIndex(total, [&]<typename Index>(Index) {
    return Launch(stream, Blocks(total), kThreads, 0, GatherKernel<T, I, Index>,
                  total, Divider<Index>(m.slice), Divider<Index>(m.n),
                  Divider<Index>(m.outer), m.n, m.limit, m.slice,
                  static_cast<const T*>(m.params),
                  static_cast<const I*>(m.indices), static_cast<T*>(m.out));
  });
}

// Takes several elements of a slice for one, up to 16 bytes, if the slice's
// size and the addresses allow it.
template <class Move>
void WidenSlices(Move* move) {
  const auto address = reinterpret_cast<uintptr_t>(move->params) |
                       reinterpret_cast<uintptr_t>(move->out);
  while (move->size < 16 && move->slice > 0 && move->slice % 2 == 0 &&
         address % (2 * move->size) == 0) {
    move->slice /= 2;
    move->size *= 2;
  }
}

struct Coordinates {
  int depth;
  int64_t limits[GatherNdMove::kMaxDepth];
  int64_t strides[GatherNdMove::kMaxDepth];
};

template <typename T, typename I, typename Index>
__global__ void __launch_bounds__(kThreads)
    GatherNdKernel(int64_t total, Divider<Index> slice, int64_t slice_size,
                   Coordinates space, const T* __restrict__ params,
                   const I* __restrict__ indices, T* __restrict__ out) {
  const Index step = GridStep<Index>(), end = static_cast<Index>(total);
  for (Index i = GridFirst<Index>(); i < end; i += step) {
    Index row, at;
    slice.Divide(i, &row, &at);
    const I* const coordinates =
        indices + static_cast<int64_t>(row) * space.depth;
    bool good = true;
    int64_t number = 0;
    for (int d = 0; d < space.depth; ++d) {
      const int64_t c = coordinates[d];
      good = good && c >= 0 && c < space.limits[d];
      number += c * space.strides[d];
    }
    out[i] = good ? params[number * slice_size + at] : T{};
  }
}

template <typename T, typename I>
Status GatherNd(CUstream_st* stream, const GatherNdMove& m) {
  const int64_t total = m.rows * m.slice;
  if (total == 0) return OkStatus();
  Coordinates space;
  space.depth = m.depth;
  for (int d = 0; d < m.depth; ++d) {
    space.limits[d] = m.limits[d];
    space.strides[d] = m.strides[d];
  }
  return DispatchIndex(total, [&]<typename Index>(Index) {
    return Launch(stream, Blocks(total), kThreads, 0,
                  GatherNdKernel<T, I, Index>, total, Divider<Index>(m.slice),
                  m.slice, space, static_cast<const T*>(m.params),
                  static_cast<const I*>(m.indices), static_cast<T*>(m.out));
  });
}

template <typename T, typename I, typename Index>
__global__ void __launch_bounds__(kThreads)
    OneHotKernel(int64_t total, Divider<Index> suffix, Divider<Index> depth,
                 int64_t suffix_size, const I* __restrict__ indices,
                 const T* __restrict__ on, const T* __restrict__ off,
                 T* __restrict__ out) {
  const Index step = GridStep<Index>(), end = static_cast<Index>(total);
  const T hot = *on, cold = *off;
  for (Index i = GridFirst<Index>(); i < end; i += step) {
    Index rest, s, p, d;
    suffix.Divide(i, &rest, &s);
    depth.Divide(rest, &p, &d);
    const int64_t index = static_cast<int64_t>(
        indices[static_cast<int64_t>(p) * suffix_size + s]);
    out[i] = index == static_cast<int64_t>(d) ? hot : cold;
  }
}

template <typename T, typename I>
Status OneHot(CUstream_st* stream, const OneHotMove& m) {
  const int64_t total = m.prefix * m.depth * m.suffix;
  if (total == 0) return OkStatus();
  return DispatchIndex(total, [&]<typename Index>(Index) {
    return Launch(stream, Blocks(total), kThreads, 0, OneHotKernel<T, I, Index>,
                  total, Divider<Index>(m.suffix), Divider<Index>(m.depth),
                  m.suffix, static_cast<const I*>(m.indices),
                  static_cast<const T*>(m.on), static_cast<const T*>(m.off),
                  static_cast<T*>(m.out));
  });
}

template <typename Index>
struct SelectDims {
  int rank;
  Divider<Index> sizes[SelectMove::kMaxRank];
  int64_t strides[3][SelectMove::kMaxRank];
};

template <typename T, typename Index>
__global__ void __launch_bounds__(kThreads)
    SelectKernel(int64_t total, SelectDims<Index> dims, const bool* condition,
                 const T* yes, const T* no, T* out) {
  const Index step = GridStep<Index>(), end = static_cast<Index>(total);
  for (Index i = GridFirst<Index>(); i < end; i += step) {
    Index rest = i;
    int64_t at[3] = {0, 0, 0};
    for (int d = dims.rank - 1; d >= 0; --d) {
      Index index = rest;
      if (d > 0) dims.sizes[d].Divide(rest, &rest, &index);
      TW_UNROLL
      for (int k = 0; k < 3; ++k) {
        at[k] += static_cast<int64_t>(index) * dims.strides[k][d];
      }
    }
    out[i] = condition[at[0]] ? yes[at[1]] : no[at[2]];
  }
}

template <typename T>
Status Select(CUstream_st* stream, const SelectMove& m) {
  int64_t total = 1;
  for (int d = 0; d < m.rank; ++d) total *= m.sizes[d];
  if (total == 0) return OkStatus();
  return DispatchIndex(total, [&]<typename Index>(Index) {
    SelectDims<Index> dims;
    dims.rank = m.rank;
    for (int d = 0; d < m.rank; ++d) {
      dims.sizes[d] = Divider<Index>(m.sizes[d]);
      for (int k = 0; k < 3; ++k) dims.strides[k][d] = m.strides[k][d];
    }
    return Launch(stream, Blocks(total), kThreads, 0, SelectKernel<T, Index>,
                  total, dims, static_cast<const bool*>(m.condition),
                  static_cast<const T*>(m.yes), static_cast<const T*>(m.no),
                  static_cast<T*>(m.out));
  });
}

}  // namespace
}  // namespace gpu

Status GpuGather(CUstream_st* stream, const GatherMove& given) {
  GatherMove move = given;
  gpu::WidenSlices(&move);
  return gpu::DispatchSize(move.size, [&]<typename T>(T) {
    return move.index_bytes == 4 ? gpu::Gather<T, int32_t>(stream, move)
                                 : gpu::Gather<T, int64_t>(stream, move);
  });
}

Status GpuGatherNd(CUstream_st* stream, const GatherNdMove& given) {
  GatherNdMove move = given;
  gpu::WidenSlices(&move);
  return gpu::DispatchSize(move.size, [&]<typename T>(T) {
    return move.index_bytes == 4 ? gpu::GatherNd<T, int32_t>(stream, move)
                                 : gpu::GatherNd<T, int64_t>(stream, move);
  });
}

Status GpuOneHot(CUstream_st* stream, const OneHotMove& move) {
  return gpu::DispatchSize(move.size, [&]<typename T>(T) {
    switch (move.index_bytes) {
      case 1:
        return gpu::OneHot<T, uint8_t>(stream, move);
      case 4:
        return gpu::OneHot<T, int32_t>(stream, move);
      default:
        return gpu::OneHot<T, int64_t>(stream, move);
    }
  });
}

Status GpuSelect(CUstream_st* stream, const SelectMove& move) {
  return gpu::DispatchSize(
      move.size, [&]<typename T>(T) { return gpu::Select<T>(stream, move); });
}

}  // namespace tensorwright
