// SPDX-License-Identifier: Apache-2.0
// Joins tensors, and cuts one into parts, in memory that is a device's own.
//
// Apart from concat_lib.h, because custom ops include that one: they get no
// headers of devices.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_CONCAT_DEVICE_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_CONCAT_DEVICE_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu/device_moves.h"

namespace tensorwright {

// Joins parts, or cuts a whole, on a device if the kernel computes on one;
// false if not.  The parts are tensors whose rows have sizes[i] elements; what
// goes wrong becomes the kernel's status.
inline bool JoinedOnDevice(OpKernelContext* ctx,
                           absl::Span<const Tensor* const> parts,
                           absl::Span<const int64_t> sizes, int64_t rows,
                           Tensor* whole) {
  const DeviceMoves* moves = MovesOf(ctx);
  if (moves == nullptr) return false;
  absl::InlinedVector<DevicePart, 8> list;
  for (size_t i = 0; i < parts.size(); ++i) {
    list.push_back({parts[i]->data(), sizes[i]});
  }
  ctx->SetStatus(JoinOnDevice(ctx, *moves, list, rows,
                              DataTypeSize(whole->dtype()), whole->data()));
  return true;
}
inline bool CutWasOnDevice(OpKernelContext* ctx, const Tensor& whole,
                           int64_t rows, absl::Span<const int64_t> sizes,
                           absl::Span<Tensor* const> parts) {
  const DeviceMoves* moves = MovesOf(ctx);
  if (moves == nullptr) return false;
  absl::InlinedVector<DevicePart, 8> list;
  for (size_t i = 0; i < parts.size(); ++i) {
    list.push_back({parts[i]->data(), sizes[i]});
  }
  ctx->SetStatus(CutOnDevice(ctx, *moves, whole.data(), rows,
                             DataTypeSize(whole.dtype()), list));
  return true;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_CONCAT_DEVICE_H_
