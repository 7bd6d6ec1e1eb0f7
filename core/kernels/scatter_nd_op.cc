// SPDX-License-Identifier: Apache-2.0
// ScatterNd: a tensor of zeros to which slices are added at coordinates.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/index_util.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// to[i] += from[i]; for bool "or", for strings joining.
template <typename T>
void AddRun(const T* from, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, bool>) {
      to[i] = to[i] || from[i];
    } else {
      to[i] = static_cast<T>(to[i] + from[i]);
    }
  }
}

template <typename T>
class ScatterNdOp final : public OpKernel {
 public:
  explicit ScatterNdOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadBadIndicesPolicy(ctx, &bad_indices_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& updates = ctx->input(1);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(2), &shape));
    OP_REQUIRES_OK(ctx, CheckShapes(indices, updates.shape(), shape));
    const int64_t depth = indices.dim_size(indices.dims() - 1);
    const CoordinateSpace space = MakeCoordinateSpace(shape, depth);
    TensorShape rows = indices.shape();
    rows.RemoveLastDims(1);
    std::vector<int64_t> slices(rows.num_elements());
    OP_REQUIRES_OK(ctx, FindSlices(space, indices, shape, &slices));

    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    T* base = out->base<T>();
    ParallelFor(ctx, out->NumElements(), /*cost_per_unit=*/1,
                [base](int64_t begin, int64_t end) {
                  std::fill(base + begin, base + end, T());
                });
    // In order, by one thread: coordinates may repeat.
    for (size_t i = 0; i < slices.size(); ++i) {
      if (slices[i] < 0) continue;
      AddRun(updates.base<T>() + i * space.slice, space.slice,
             base + slices[i] * space.slice);
    }
  }

 private:
  // updates.shape = indices.shape[:-1] + shape[depth:].
  static Status CheckShapes(const Tensor& indices, const TensorShape& updates,
                            const TensorShape& shape) {
    if (indices.dims() < 1) {
      return errors::InvalidArgument(
          "Indices shape must have rank at least one. Found:",
          indices.shape().DebugString());
    }
    const int outer = indices.dims() - 1;
    const int64_t depth = indices.dim_size(outer);
    bool fits =
        depth <= shape.dims() && updates.dims() == outer + shape.dims() - depth;
    for (int d = 0; fits && d < updates.dims(); ++d) {
      fits = updates.dim_size(d) ==
             (d < outer ? indices.dim_size(d)
                        : shape.dim_size(static_cast<int>(d - outer + depth)));
    }
    if (!fits) {
      return errors::InvalidArgument(
          "Must have updates.shape = indices.shape[:-1] + shape[k:] with k = ",
          depth, ", got updates.shape: ", updates.DebugString(),
          ", indices.shape: ", indices.shape().DebugString(),
          ", shape: ", shape.DebugString());
    }
    if (shape.num_elements() == 0 && updates.num_elements() > 0) {
      return errors::InvalidArgument(
          "Indices and updates specified for empty output shape");
    }
    return OkStatus();
  }

  Status FindSlices(const CoordinateSpace& space, const Tensor& indices,
                    const TensorShape& shape,
                    std::vector<int64_t>* slices) const {
    switch (indices.dtype()) {
      case DT_INT16:
        return SlicesAt<int16_t>(space, indices, shape, "shape", bad_indices_,
                                 slices);
      case DT_INT32:
        return SlicesAt<int32_t>(space, indices, shape, "shape", bad_indices_,
                                 slices);
      default:
        return SlicesAt<int64_t>(space, indices, shape, "shape", bad_indices_,
                                 slices);
    }
  }

  BadIndices bad_indices_;
};
REGISTER_KERNEL_FOR_TYPES(
    Name("ScatterNd").Device(DEVICE_CPU).HostMemory("shape"), "T", ScatterNdOp,
    float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
    uint16_t, uint32_t, uint64_t, complex64, complex128, bool, std::string);

}  // namespace
}  // namespace tensorwright
