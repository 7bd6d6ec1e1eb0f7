// SPDX-License-Identifier: Apache-2.0
// SparseTensorDenseAdd: adds the elements of a sparse tensor to a dense one.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/framework/bounds_check.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/sparse/sparse_util.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

// places[i] = the place of row i in a tensor of that shape; InvalidArgument if
// it is outside.
template <typename Index>
Status DensePlaces(const Tensor& indices, const TensorShape& shape,
                   std::vector<int64_t>* places) {
  const int rank = shape.dims();
  const int64_t n = indices.dim_size(0);
  places->resize(n);
  const Index* row = indices.base<Index>();
  for (int64_t i = 0; i < n; ++i, row += rank) {
    int64_t place = 0;
    for (int d = 0; d < rank; ++d) {
      if (!FastBoundsCheck(row[d], shape.dim_size(d))) {
        return errors::InvalidArgument(
            "a_indices[", i, "] = [",
            absl::StrJoin(absl::MakeConstSpan(row, rank), ","),
            "] is out of bounds of b, of shape ", shape.DebugString());
      }
      place = place * shape.dim_size(d) + row[d];
    }
    (*places)[i] = place;
  }
  return OkStatus();
}

}  // namespace

template <typename T>
class SparseTensorDenseAddOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput a(ctx, 0);
    const Tensor& b = ctx->input(3);
    OP_REQUIRES_OK(ctx, a.Check("a_"));
    OP_REQUIRES(ctx, a.rank() == b.dims(),
                errors::InvalidArgument(
                    "Two operands have different ranks; received: ", a.rank(),
                    " and ", b.dims()));
    for (int d = 0; d < b.dims(); ++d) {
      OP_REQUIRES(ctx, IntAt(a.shape, d) == b.dim_size(d),
                  errors::InvalidArgument(
                      "Dimension ", d,
                      " does not equal (no broadcasting is supported): sparse "
                      "side ",
                      IntAt(a.shape, d), " vs dense side ", b.dim_size(d)));
    }
    std::vector<int64_t> places;
    OP_REQUIRES_OK(ctx,
                   a.indices.dtype() == DT_INT32
                       ? DensePlaces<int32_t>(a.indices, b.shape(), &places)
                       : DensePlaces<int64_t>(a.indices, b.shape(), &places));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({3}, 0, b.shape(), &out));
    T* const sum = out->base<T>();
    if (!out->SharesBufferWith(b)) {
      const T* const from = b.base<T>();
      ParallelFor(ctx, b.NumElements(), MoveCost<T>(),
                  [&](int64_t begin, int64_t end) {
                    CopyRun(from + begin, end - begin, sum + begin);
                  });
    }
    const T* const values = a.values.base<T>();
    for (size_t i = 0; i < places.size(); ++i) {
      sum[places[i]] = functor::Add<T>()(sum[places[i]], values[i]);
    }
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("SparseTensorDenseAdd").Device(DEVICE_CPU), "T",
                          SparseTensorDenseAddOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);

}  // namespace tensorwright
