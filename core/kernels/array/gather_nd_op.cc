// SPDX-License-Identifier: Apache-2.0
// GatherNd: slices of a tensor by their coordinates; ResourceGatherNd: slices
// of a variable behind a handle.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/index_util.h"
#include "core/kernels/lib/variables.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

template <typename Index>
class GatherNdOp final : public OpKernel {
 public:
  explicit GatherNdOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadBadIndicesPolicy(ctx, &bad_indices_));
  }

  void Compute(OpKernelContext* ctx) override {
    if (input_type(0) != DT_RESOURCE || output_type(0) == DT_RESOURCE) {
      return GatherFrom(ctx, ctx->input(0));
    }
    ReadableVariable params;
    OP_REQUIRES_OK(ctx, params.Open(ctx, 0, output_type(0)));
    GatherFrom(ctx, params.tensor());
  }

 private:
  void GatherFrom(OpKernelContext* ctx, const Tensor& params) {
    const Tensor& indices = ctx->input(1);
    OP_REQUIRES(ctx, indices.dims() >= 1,
                errors::InvalidArgument("indices must be at least a vector"));
    const int64_t depth = indices.dim_size(indices.dims() - 1);
    OP_REQUIRES(ctx, depth <= params.dims(),
                errors::InvalidArgument(
                    "index innermost dimension length must be <= params rank; "
                    "saw: ",
                    depth, " vs. ", params.dims()));
    TensorShape shape = indices.shape();
    shape.RemoveLastDims(1);
    const int64_t rows = shape.num_elements();
    for (int d = static_cast<int>(depth); d < params.dims(); ++d) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(params.dim_size(d)));
    }
    const CoordinateSpace space = MakeCoordinateSpace(params.shape(), depth);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (const DeviceMoves* moves = MovesOf(ctx)) {
      OP_REQUIRES_OK(
          ctx, GatherOnDevice(ctx, *moves, space, params, indices, rows, out));
      return;
    }
    std::atomic<bool> bad{false};
    OP_REQUIRES_OK(
        ctx, DispatchElement(params.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(
              ctx, rows, 5 + depth + space.slice * MoveCost<T>(),
              [&](int64_t begin, int64_t end) {
                if (!Gather(space, indices.base<Index>(), params.base<T>(),
                            begin, end, out->base<T>())) {
                  bad = true;
                }
              });
        }));
    if (bad) {
      std::vector<int64_t> slices(rows);  // Tells which one is bad.
      OP_REQUIRES_OK(ctx, SlicesAt<Index>(space, indices, params.shape(),
                                          "param", bad_indices_, &slices));
    }
  }

  static Status GatherOnDevice(OpKernelContext* ctx, const DeviceMoves& moves,
                               const CoordinateSpace& space,
                               const Tensor& params, const Tensor& indices,
                               int64_t rows, Tensor* out) {
    GatherNdMove move{.params = params.data(),
                      .indices = indices.data(),
                      .index_bytes = static_cast<int64_t>(sizeof(Index)),
                      .rows = rows,
                      .slice = space.slice,
                      .depth = static_cast<int>(space.limits.size()),
                      .limits = {},
                      .strides = {},
                      .size = DataTypeSize(params.dtype()),
                      .out = out->data()};
    if (move.depth > GatherNdMove::kMaxDepth) {
      return errors::Unimplemented(
          "GatherNd: a GPU takes at most ", GatherNdMove::kMaxDepth,
          " coordinates for a slice, got ", move.depth);
    }
    std::copy(space.limits.begin(), space.limits.end(), move.limits);
    std::copy(space.strides.begin(), space.strides.end(), move.strides);
    return moves.GatherNd(ctx, move);
  }

  // Writes slices [begin, end) of out, zero if their coordinates are bad; false
  // if some are.
  template <typename T>
  static bool Gather(const CoordinateSpace& space, const Index* indices,
                     const T* params, int64_t begin, int64_t end, T* out) {
    const int64_t depth = static_cast<int64_t>(space.limits.size());
    constexpr int64_t kBlock = 64;
    int64_t at[kBlock];
    bool good = true;
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t n = std::min(kBlock, end - first);
      // Slices lie anywhere in memory: those of a block are all requested
      // before the first is needed.
      for (int64_t i = 0; i < n; ++i) {
        at[i] = SliceAt(space, indices + (first + i) * depth);
        __builtin_prefetch(params + std::max<int64_t>(at[i], 0) * space.slice);
      }
      for (int64_t i = 0; i < n; ++i) {
        T* to = out + (first + i) * space.slice;
        if (at[i] < 0) {
          std::fill_n(to, space.slice, T());
          good = false;
        } else {
          CopyRun(params + at[i] * space.slice, space.slice, to);
        }
      }
    }
    return good;
  }

  BadIndices bad_indices_;
};
REGISTER_KERNEL_FOR_TYPES(Name("GatherNd").Device(DEVICE_CPU), "Tindices",
                          GatherNdOp, int16_t, int32_t, int64_t);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceGatherNd").Device(DEVICE_CPU).HostMemory("resource"),
    "Tindices", GatherNdOp, int32_t, int64_t);
REGISTER_CHOOSER_ON_GPU(GatherNdOp<int32_t>, "Tparams",
                        Name("GatherNd").TypeConstraint<int32_t>("Tindices"));
REGISTER_CHOOSER_ON_GPU(GatherNdOp<int64_t>, "Tparams",
                        Name("GatherNd").TypeConstraint<int64_t>("Tindices"));
REGISTER_CHOOSER_ON_GPU(GatherNdOp<int32_t>, "dtype",
                        Name("ResourceGatherNd")
                            .HostMemory("resource")
                            .TypeConstraint<int32_t>("Tindices"));
REGISTER_CHOOSER_ON_GPU(GatherNdOp<int64_t>, "dtype",
                        Name("ResourceGatherNd")
                            .HostMemory("resource")
                            .TypeConstraint<int64_t>("Tindices"));

}  // namespace
}  // namespace tensorwright
