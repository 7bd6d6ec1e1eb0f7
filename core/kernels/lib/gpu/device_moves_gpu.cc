// SPDX-License-Identifier: Apache-2.0
// Offers the moves of a GPU to kernels that only move elements.

#include "core/kernels/lib/gpu/device_moves_gpu.h"

#include "core/framework/gpu_device_context.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The dense side of a view as strides of its own.
Status MakeMove(const StridedView& view, bool from_view, GpuStridedMove* move) {
  move->rank = static_cast<int>(view.sizes.size());
  if (move->rank > GpuStridedMove::kMaxRank) {
    return errors::Unimplemented(
        "A move on a GPU has at most ", GpuStridedMove::kMaxRank,
        " dimensions that do not fold, got ", move->rank);
  }
  int64_t dense = 1;
  for (int d = move->rank - 1; d >= 0; --d) {
    move->sizes[d] = view.sizes[d];
    move->from[d] = from_view ? view.strides[d] : dense;
    move->to[d] = from_view ? dense : view.strides[d];
    dense *= view.sizes[d];
  }
  return OkStatus();
}

class GpuMoves final : public DeviceMoves {
 public:
  Status FromView(OpKernelContext* ctx, const void* from,
                  const StridedView& view, int64_t size,
                  void* to) const override {
    if (view.NumElements() == 0) return OkStatus();
    GpuStridedMove move;
    TF_RETURN_IF_ERROR(MakeMove(view, /*from_view=*/true, &move));
    const char* first = static_cast<const char*>(from) + view.offset * size;
    return GpuMove(GpuStream(ctx), move, size, first, to);
  }

  Status ToView(OpKernelContext* ctx, const void* from, const StridedView& view,
                int64_t size, void* to) const override {
    if (view.NumElements() == 0) return OkStatus();
    GpuStridedMove move;
    TF_RETURN_IF_ERROR(MakeMove(view, /*from_view=*/false, &move));
    char* first = static_cast<char*>(to) + view.offset * size;
    return GpuMove(GpuStream(ctx), move, size, from, first);
  }

  Status Fill(OpKernelContext* ctx, const void* host_value, int64_t n,
              int64_t size, void* to) const override {
    return GpuFill(GpuStream(ctx), host_value, n, size, to);
  }

  Status Gather(OpKernelContext* ctx, const GatherMove& move) const override {
    return GpuGather(GpuStream(ctx), move);
  }
  Status GatherNd(OpKernelContext* ctx,
                  const GatherNdMove& move) const override {
    return GpuGatherNd(GpuStream(ctx), move);
  }
  Status OneHot(OpKernelContext* ctx, const OneHotMove& move) const override {
    return GpuOneHot(GpuStream(ctx), move);
  }
};

[[maybe_unused]] const bool kMovesAreOffered = [] {
  OfferDeviceMoves(new GpuMoves);
  return true;
}();

}  // namespace
}  // namespace tensorwright
