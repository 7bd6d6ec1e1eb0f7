// SPDX-License-Identifier: Apache-2.0
// SparseReshape: gives the same elements, in row-major order, another shape.

#include <cstdint>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// Returns, for each dimension, the product of the sizes behind it, which fits
// because the shape was checked.
std::vector<int64_t> StridesOf(absl::Span<const int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) {
    strides[d - 1] = static_cast<int64_t>(static_cast<uint64_t>(strides[d]) *
                                          static_cast<uint64_t>(sizes[d]));
  }
  return strides;
}

// Returns `wanted` with its size -1, if it has one, replaced by the size that
// gives `elements`.
Status Complete(int64_t elements, absl::Span<const int64_t> wanted,
                std::vector<int64_t>* sizes) {
  sizes->assign(wanted.begin(), wanted.end());
  int64_t product = 1, unknown = -1;
  for (size_t d = 0; d < wanted.size(); ++d) {
    const int64_t size = wanted[d];
    if (size == -1) {
      if (unknown != -1) {
        return errors::InvalidArgument(
            "only one output dimension may be -1, "
            "not both ",
            unknown, " and ", d);
      }
      unknown = static_cast<int64_t>(d);
      continue;
    }
    if (size < 0) {
      return errors::InvalidArgument("size ", d, " must be non-negative, not ",
                                     size);
    }
    if (__builtin_mul_overflow(product, size, &product)) {
      return errors::InvalidArgument("new_shape [", absl::StrJoin(wanted, ","),
                                     "] has too many elements");
    }
  }
  if (unknown == -1) return OkStatus();
  if (product == 0) {
    return errors::InvalidArgument(
        "reshape cannot infer the missing input size for an empty tensor "
        "unless all specified input sizes are non-zero");
  }
  if (elements % product != 0) {
    return errors::InvalidArgument("Input to reshape is a SparseTensor with ",
                                   elements,
                                   " dense values, but the requested shape "
                                   "requires a multiple of ",
                                   product);
  }
  (*sizes)[unknown] = elements / product;
  return OkStatus();
}

class SparseReshapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& shape = ctx->input(1);
    const Tensor& wanted = ctx->input(2);
    OP_REQUIRES_OK(ctx, Check(indices, shape, wanted));
    const auto old_sizes = sparse::SizesOf(shape);
    TensorShape old_shape, new_shape;
    OP_REQUIRES_OK(ctx, ShapeOf(old_sizes, &old_shape));
    std::vector<int64_t> new_sizes;
    OP_REQUIRES_OK(ctx, Complete(old_shape.num_elements(),
                                 sparse::SizesOf(wanted), &new_sizes));
    OP_REQUIRES_OK(ctx, ShapeOf(new_sizes, &new_shape));
    OP_REQUIRES(
        ctx, new_shape.num_elements() == old_shape.num_elements(),
        errors::InvalidArgument("Input to reshape is a tensor with ",
                                old_shape.num_elements(),
                                " dense values, but the requested shape has ",
                                new_shape.num_elements()));
    OP_REQUIRES(
        ctx, indices.dim_size(0) == 0 || old_shape.num_elements() > 0,
        errors::InvalidArgument("Input tensor has ", indices.dim_size(0),
                                " elements, but its shape ",
                                old_shape.DebugString(), " has none"));
    if (old_sizes == absl::MakeConstSpan(new_sizes)) {
      ctx->set_output(0, indices);
      ctx->set_output(1, shape);
      return;
    }
    OP_REQUIRES_OK(ctx, SetSizes(ctx, 1, new_sizes));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx,
        ctx->allocate_output(
            0, TensorShape({indices.dim_size(0), new_shape.dims()}), &out));
    MoveRows(ctx, sparse::RowsOf(indices), StridesOf(old_sizes),
             StridesOf(new_sizes), out->base<int64_t>());
  }

 private:
  static Status Check(const Tensor& indices, const Tensor& shape,
                      const Tensor& wanted) {
    if (indices.dims() != 2) {
      return errors::InvalidArgument(
          "Input indices should be a matrix but received shape ",
          indices.shape().DebugString());
    }
    if (shape.dims() != 1 || wanted.dims() != 1) {
      return errors::InvalidArgument(
          "Input and target shape should be vectors but received shapes ",
          shape.shape().DebugString(), " and ", wanted.shape().DebugString());
    }
    if (indices.dim_size(1) != shape.NumElements()) {
      return errors::InvalidArgument(
          "Input tensor rank must match input shape length, got ",
          indices.dim_size(1), " and ", shape.NumElements());
    }
    return OkStatus();
  }

  // A row's place is the same in both shapes.  Rows outside the first shape
  // give rows outside the second.
  static void MoveRows(OpKernelContext* ctx, sparse::Rows rows,
                       const std::vector<int64_t>& old_strides,
                       const std::vector<int64_t>& new_strides, int64_t* out) {
    const size_t rank = new_strides.size();
    const int64_t cost =
        static_cast<int64_t>(2 * old_strides.size() + 25 * rank);
    ParallelFor(ctx, rows.n, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        uint64_t place = 0;
        for (size_t d = 0; d < old_strides.size(); ++d) {
          place += static_cast<uint64_t>(rows[i][d]) *
                   static_cast<uint64_t>(old_strides[d]);
        }
        int64_t* const to = out + i * static_cast<int64_t>(rank);
        int64_t rest = static_cast<int64_t>(place);
        for (size_t d = 0; d + 1 < rank; ++d) {
          to[d] = rest / new_strides[d];
          rest -= to[d] * new_strides[d];
        }
        if (rank > 0) to[rank - 1] = rest;
      }
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("SparseReshape").Device(DEVICE_CPU),
                        SparseReshapeOp);

}  // namespace
}  // namespace tensorwright
