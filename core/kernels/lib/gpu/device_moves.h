// SPDX-License-Identifier: Apache-2.0
// Moves of elements in memory that is a device's own.
//
// Kernels that move elements and compute nothing have one class for all
// devices, which knows shapes and asks here for the moves: Concat, Slice, Pad,
// Transpose ...  The library of GPU support offers the moves when it is loaded.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu/device_moves_types.h"
#include "core/kernels/lib/strided_copy.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// A part of a whole that is seen as a matrix: `size` elements of each row.
struct DevicePart {
  void* data;
  int64_t size;
};

// Each call enqueues its work behind the kernel's and returns; addresses are of
// the device, elements of `size` bytes: 1, 2, 4, 8 or 16.
class DeviceMoves {
 public:
  virtual ~DeviceMoves() = default;

  // to[i] = the element i of the view of `from`, in row-major order.
  virtual Status FromView(OpKernelContext* ctx, const void* from,
                          const StridedView& view, int64_t size,
                          void* to) const = 0;
  // The element i of the view of `to` = from[i].  No stride is 0.
  virtual Status ToView(OpKernelContext* ctx, const void* from,
                        const StridedView& view, int64_t size,
                        void* to) const = 0;
  // to[0, n) = the value in the host's memory.
  virtual Status Fill(OpKernelContext* ctx, const void* host_value, int64_t n,
                      int64_t size, void* to) const = 0;
  virtual Status Gather(OpKernelContext* ctx, const GatherMove& move) const = 0;
  virtual Status GatherNd(OpKernelContext* ctx,
                          const GatherNdMove& move) const = 0;
  virtual Status OneHot(OpKernelContext* ctx, const OneHotMove& move) const = 0;
};

// The moves of the device that computes the kernel of `ctx`; null if its first
// output is in the host's memory.
const DeviceMoves* MovesOf(OpKernelContext* ctx);

// Offers the moves of GPU devices; called when their library is loaded, before
// there are such devices.  `moves` is never deleted.
void OfferDeviceMoves(const DeviceMoves* moves);

// out = the view of `in`, in the memory of either; neither holds strings on a
// device.  Unimplemented if there are no tensors of that dtype.
Status MoveFromView(OpKernelContext* ctx, const Tensor& in,
                    const StridedView& view, Tensor* out);

// out = 0, bit by bit, on the device.
Status FillZeros(OpKernelContext* ctx, const DeviceMoves& moves, Tensor* out);

// The view of `out` = in; the rest of `out` stays.
Status MoveToView(OpKernelContext* ctx, const Tensor& in,
                  const StridedView& view, Tensor* out);

// Row r of the whole has row r of each part, side by side; moves the parts into
// the whole, or out of it.
Status JoinOnDevice(OpKernelContext* ctx, const DeviceMoves& moves,
                    absl::Span<const DevicePart> parts, int64_t rows,
                    int64_t size, void* whole);
Status CutOnDevice(OpKernelContext* ctx, const DeviceMoves& moves,
                   const void* whole, int64_t rows, int64_t size,
                   absl::Span<const DevicePart> parts);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_GPU_DEVICE_MOVES_H_
