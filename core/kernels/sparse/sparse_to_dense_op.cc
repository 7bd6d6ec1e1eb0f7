// SPDX-License-Identifier: Apache-2.0
// SparseToDense: makes a dense tensor of one value, except for the elements
// listed.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/framework/bounds_check.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/int_elements.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class SparseToDenseOp final : public OpKernel {
 public:
  explicit SparseToDenseOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("validate_indices", &validate_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& sizes = ctx->input(1);
    const Tensor& values = ctx->input(2);
    const Tensor& default_value = ctx->input(3);
    OP_REQUIRES_OK(ctx, Check(indices, sizes, values, default_value));
    TensorShape shape;
    for (int64_t d = 0; d < sizes.NumElements(); ++d) {
      OP_REQUIRES(ctx, IntAt(sizes, d) >= 0,
                  errors::InvalidArgument("Dimension ", IntAt(sizes, d),
                                          " of output_shape must be >= 0"));
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(IntAt(sizes, d)));
    }
    std::vector<int64_t> places(indices.dims() > 0 ? indices.dim_size(0) : 1);
    OP_REQUIRES_OK(ctx, indices.dtype() == DT_INT32
                            ? Places<int32_t>(indices, shape, &places)
                            : Places<int64_t>(indices, shape, &places));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    OP_REQUIRES_OK(
        ctx, DispatchElement(values.dtype(), [&]<typename T>(ElementTag<T>) {
          T* const dense = out->base<T>();
          ParallelFor(ctx, out->NumElements(), MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        FillRun(*default_value.base<T>(), end - begin,
                                dense + begin);
                      });
          const T* const value = values.base<T>();
          const int64_t step = values.dims() == 0 ? 0 : 1;
          for (size_t i = 0; i < places.size(); ++i) {
            dense[places[i]] = value[static_cast<int64_t>(i) * step];
          }
        }));
  }

 private:
  static Status Check(const Tensor& indices, const Tensor& sizes,
                      const Tensor& values, const Tensor& default_value) {
    if (indices.dims() > 2) {
      return errors::InvalidArgument(
          "sparse_indices should be a scalar, vector, or matrix, got shape ",
          indices.shape().DebugString());
    }
    const int64_t n = indices.dims() > 0 ? indices.dim_size(0) : 1;
    const int64_t rank = indices.dims() > 1 ? indices.dim_size(1) : 1;
    if (sizes.dims() != 1) {
      return errors::InvalidArgument("output_shape must be rank 1, got shape ",
                                     sizes.shape().DebugString());
    }
    if (sizes.NumElements() != rank) {
      return errors::InvalidArgument(
          "output_shape has incorrect number of elements: ",
          sizes.NumElements(), " should be: ", rank);
    }
    if (values.dims() > 1 || (values.dims() == 1 && values.dim_size(0) != n)) {
      return errors::InvalidArgument("sparse_values has incorrect shape ",
                                     values.shape().DebugString(),
                                     ", should be [] or [", n, "]");
    }
    if (default_value.dims() != 0) {
      return errors::InvalidArgument("default_value should be a scalar, got ",
                                     default_value.shape().DebugString());
    }
    return OkStatus();
  }

  // places[i] = the place of row i of the indices.
  template <typename Index>
  Status Places(const Tensor& indices, const TensorShape& shape,
                std::vector<int64_t>* places) const {
    const int rank = shape.dims();
    const Index* row = indices.base<Index>();
    for (size_t i = 0; i < places->size(); ++i, row += rank) {
      int64_t place = 0;
      bool inside = true;
      for (int d = 0; d < rank; ++d) {
        inside &= FastBoundsCheck(row[d], shape.dim_size(d));
        place = inside ? place * shape.dim_size(d) + row[d] : 0;
      }
      const auto text = [&] {
        return absl::StrJoin(absl::MakeConstSpan(row, rank), ",");
      };
      if (!inside) {
        return errors::InvalidArgument("indices[", i, "] = [", text(),
                                       "] is out of bounds: need 0 <= index < ",
                                       shape.DebugString());
      }
      (*places)[i] = place;
      if (validate_ && i > 0 && place <= (*places)[i - 1]) {
        return errors::InvalidArgument(
            "indices[", i, "] = [", text(), "] is ",
            place == (*places)[i - 1]
                ? "repeated"
                : "out of order; tf.sparse.reorder puts rows in order");
      }
    }
    return OkStatus();
  }

  bool validate_ = true;
};
REGISTER_KERNEL_BUILDER(Name("SparseToDense").Device(DEVICE_CPU),
                        SparseToDenseOp);

}  // namespace
}  // namespace tensorwright
