// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/lib/gpu/device_moves.h"

#include <atomic>

#include "core/kernels/lib/element_dispatch.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

std::atomic<const DeviceMoves*> offered{nullptr};

// Calls move(data, view, size) for each part that has elements.
template <typename Move>
Status ForEachPart(absl::Span<const DevicePart> parts, int64_t rows,
                   const Move& move) {
  int64_t row = 0;
  for (const DevicePart& part : parts) row += part.size;
  int64_t at = 0;
  for (const DevicePart& part : parts) {
    StridedView view;
    view.Append(rows, row);
    view.Append(part.size, 1);
    view.offset = at;
    at += part.size;
    if (view.NumElements() == 0) continue;
    view.Simplify();
    TF_RETURN_IF_ERROR(move(part.data, view));
  }
  return OkStatus();
}

}  // namespace

const DeviceMoves* MovesOf(OpKernelContext* ctx) {
  if (ctx->op_device_context() == nullptr) return nullptr;
  if (ctx->num_outputs() == 0 || ctx->output_memory_type(0) == HOST_MEMORY) {
    return nullptr;
  }
  return offered.load(std::memory_order_acquire);
}

void OfferDeviceMoves(const DeviceMoves* moves) {
  offered.store(moves, std::memory_order_release);
}

Status FillZeros(OpKernelContext* ctx, const DeviceMoves& moves, Tensor* out) {
  const char zero[16] = {};
  return moves.Fill(ctx, zero, out->NumElements(), DataTypeSize(out->dtype()),
                    out->data());
}

Status MoveFromView(OpKernelContext* ctx, const Tensor& in,
                    const StridedView& view, Tensor* out) {
  if (const DeviceMoves* moves = MovesOf(ctx)) {
    return moves->FromView(ctx, in.data(), view, DataTypeSize(in.dtype()),
                           out->data());
  }
  return DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
    CopyFromView(ctx, in.base<T>(), view, out->base<T>());
  });
}

Status MoveToView(OpKernelContext* ctx, const Tensor& in,
                  const StridedView& view, Tensor* out) {
  if (const DeviceMoves* moves = MovesOf(ctx)) {
    return moves->ToView(ctx, in.data(), view, DataTypeSize(in.dtype()),
                         out->data());
  }
  return DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
    ParallelFor(ctx, in.NumElements(), MoveCost<T>(),
                [&](int64_t begin, int64_t end) {
                  CopyToView(in.base<T>(), view, begin, end, out->base<T>());
                });
  });
}

Status JoinOnDevice(OpKernelContext* ctx, const DeviceMoves& moves,
                    absl::Span<const DevicePart> parts, int64_t rows,
                    int64_t size, void* whole) {
  return ForEachPart(parts, rows, [&](void* data, const StridedView& view) {
    return moves.ToView(ctx, data, view, size, whole);
  });
}

Status CutOnDevice(OpKernelContext* ctx, const DeviceMoves& moves,
                   const void* whole, int64_t rows, int64_t size,
                   absl::Span<const DevicePart> parts) {
  return ForEachPart(parts, rows, [&](void* data, const StridedView& view) {
    return moves.FromView(ctx, whole, view, size, data);
  });
}

}  // namespace tensorwright
