// SPDX-License-Identifier: Apache-2.0
// Gather and GatherV2: slices of a tensor along one dimension; ResourceGather:
// slices of a variable behind a handle.

#include <algorithm>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/index_util.h"
#include "core/kernels/lib/variables.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// params: [batch, outer, limit, slice], indices: [batch, n],
// out: [batch, outer, n, slice].
struct GatherSizes {
  int64_t batch = 1, outer = 1, limit = 1, slice = 1, n = 1;
};

// Writes slices [begin, end) of out.  Indices are in range.
template <typename T, typename Index>
void GatherSlices(const T* params, const Index* indices,
                  const GatherSizes& sizes, int64_t begin, int64_t end,
                  T* out) {
  for (int64_t at = begin; at < end;) {
    // The number of the (batch, outer) pair.
    const int64_t block = at / sizes.n;
    const int64_t first = at % sizes.n;
    const int64_t count = std::min(sizes.n - first, end - at);
    const T* from = params + block * sizes.limit * sizes.slice;
    const Index* index = indices + block / sizes.outer * sizes.n + first;
    T* to = out + at * sizes.slice;
    if (sizes.slice == 1) {
      for (int64_t i = 0; i < count; ++i) to[i] = from[index[i]];
    } else {
      for (int64_t i = 0; i < count; ++i) {
        CopyRun(from + index[i] * sizes.slice, sizes.slice,
                to + i * sizes.slice);
      }
    }
    at += count;
  }
}

template <typename Index>
class GatherOp final : public OpKernel {
 public:
  explicit GatherOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    if (ctx->HasAttr("batch_dims")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("batch_dims", &batch_dims_));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    if (input_type(0) != DT_RESOURCE || output_type(0) == DT_RESOURCE) {
      return Gather(ctx, ctx->input(0));
    }
    ReadableVariable params;
    OP_REQUIRES_OK(ctx, params.Open(ctx, 0, output_type(0)));
    Gather(ctx, params.tensor());
  }

 private:
  void Gather(OpKernelContext* ctx, const Tensor& params) {
    const Tensor& indices = ctx->input(1);
    OP_REQUIRES(
        ctx, params.dims() >= 1,
        errors::InvalidArgument("params must be at least 1 dimensional, "
                                "got shape ",
                                params.shape().DebugString()));
    int axis = 0, batch_dims = 0;
    OP_REQUIRES_OK(ctx, ResolveDims(ctx, params, &axis, &batch_dims));

    GatherSizes sizes;
    sizes.batch = SizeOfDims(params.shape(), 0, batch_dims);
    sizes.outer = SizeOfDims(params.shape(), batch_dims, axis);
    sizes.limit = params.dim_size(axis);
    sizes.slice = SizeOfDims(params.shape(), axis + 1, params.dims());
    sizes.n = SizeOfDims(indices.shape(), batch_dims, indices.dims());
    TensorShape shape;
    for (int d = 0; d < axis; ++d) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(params.dim_size(d)));
    }
    for (int d = batch_dims; d < indices.dims(); ++d) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(indices.dim_size(d)));
    }
    for (int d = axis + 1; d < params.dims(); ++d) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(params.dim_size(d)));
    }
    const DeviceMoves* const moves = MovesOf(ctx);
    if (moves == nullptr) {
      OP_REQUIRES_OK(ctx, CheckIndices<Index>(indices, sizes.limit, "indices"));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    if (moves != nullptr) {
      OP_REQUIRES_OK(
          ctx, moves->Gather(
                   ctx, {.params = params.data(),
                         .indices = indices.data(),
                         .index_bytes = static_cast<int64_t>(sizeof(Index)),
                         .batch = sizes.batch,
                         .outer = sizes.outer,
                         .limit = sizes.limit,
                         .slice = sizes.slice,
                         .n = sizes.n,
                         .size = DataTypeSize(params.dtype()),
                         .out = out->data()}));
      return;
    }
    const Index* index = indices.base<Index>();
    OP_REQUIRES_OK(
        ctx, DispatchElement(params.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(ctx, sizes.batch * sizes.outer * sizes.n,
                      3 + sizes.slice * MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        GatherSlices(params.base<T>(), index, sizes, begin, end,
                                     out->base<T>());
                      });
        }));
  }

  // GatherV2's axis and batch_dims, counted from the front; without an axis it
  // is the dimension after the batch.
  Status ResolveDims(OpKernelContext* ctx, const Tensor& params, int* axis,
                     int* batch_dims) const {
    const Tensor& indices = ctx->input(1);
    int64_t given = batch_dims_;
    if (ctx->num_inputs() > 2) {
      const Tensor& axis_tensor = ctx->input(2);
      if (axis_tensor.dims() != 0) {
        return errors::InvalidArgument("axis must be scalar, got shape ",
                                       axis_tensor.shape().DebugString());
      }
      given = ScalarIndex(axis_tensor);
    } else if (batch_dims_ < 0) {
      return errors::InvalidArgument("batch_dims must not be negative, got ",
                                     batch_dims_);
    }
    const int rank = params.dims();
    if (given < -rank || given >= rank) {
      return errors::InvalidArgument("Expected axis in the range [", -rank,
                                     ", ", rank, "), but got ", given);
    }
    *axis = static_cast<int>(given < 0 ? given + rank : given);
    const int b = batch_dims_ < 0 ? batch_dims_ + indices.dims() : batch_dims_;
    if (b < 0 || b > indices.dims() || b > *axis) {
      return errors::InvalidArgument(
          "batch_dims (", batch_dims_, ") must be in [0, ", indices.dims(),
          "] and less than or equal to axis (", *axis, ")");
    }
    for (int d = 0; d < b; ++d) {
      if (params.dim_size(d) != indices.dim_size(d)) {
        return errors::InvalidArgument("params.shape[", d,
                                       "]: ", params.dim_size(d),
                                       " should be equal to indices.shape[", d,
                                       "]: ", indices.dim_size(d));
      }
    }
    *batch_dims = b;
    return OkStatus();
  }

  int batch_dims_ = 0;
};
REGISTER_KERNEL_FOR_TYPES(Name("Gather").Device(DEVICE_CPU), "Tindices",
                          GatherOp, int32_t, int64_t);
REGISTER_KERNEL_FOR_TYPES(
    Name("GatherV2").Device(DEVICE_CPU).HostMemory("axis"), "Tindices",
    GatherOp, int16_t, int32_t, int64_t);
REGISTER_KERNEL_FOR_TYPES(
    Name("ResourceGather").Device(DEVICE_CPU).HostMemory("resource"),
    "Tindices", GatherOp, int32_t, int64_t);
REGISTER_CHOOSER_ON_GPU(GatherOp<int32_t>, "Tparams",
                        Name("Gather").TypeConstraint<int32_t>("Tindices"));
REGISTER_CHOOSER_ON_GPU(GatherOp<int64_t>, "Tparams",
                        Name("Gather").TypeConstraint<int64_t>("Tindices"));
REGISTER_CHOOSER_ON_GPU(
    GatherOp<int32_t>, "Tparams",
    Name("GatherV2").HostMemory("axis").TypeConstraint<int32_t>("Tindices"));
REGISTER_CHOOSER_ON_GPU(
    GatherOp<int64_t>, "Tparams",
    Name("GatherV2").HostMemory("axis").TypeConstraint<int64_t>("Tindices"));
REGISTER_CHOOSER_ON_GPU(GatherOp<int32_t>, "dtype",
                        Name("ResourceGather")
                            .HostMemory("resource")
                            .TypeConstraint<int32_t>("Tindices"));
REGISTER_CHOOSER_ON_GPU(GatherOp<int64_t>, "dtype",
                        Name("ResourceGather")
                            .HostMemory("resource")
                            .TypeConstraint<int64_t>("Tindices"));

}  // namespace
}  // namespace tensorwright
