// SPDX-License-Identifier: Apache-2.0
// SparseConcat: joins sparse tensors along a dimension.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

class SparseConcatOp final : public OpKernel {
 public:
  explicit SparseConcatOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("concat_dim", &concat_dim_));
  }

  void Compute(OpKernelContext* ctx) override {
    OpInputList indices, values, shapes;
    OP_REQUIRES_OK(ctx, ctx->input_list("indices", &indices));
    OP_REQUIRES_OK(ctx, ctx->input_list("values", &values));
    OP_REQUIRES_OK(ctx, ctx->input_list("shapes", &shapes));
    std::vector<int64_t> sizes, starts;
    int64_t along = 0;
    OP_REQUIRES_OK(ctx, Lay(indices, values, shapes, &along, &sizes, &starts));
    OP_REQUIRES_OK(ctx, SetSizes(ctx, 2, sizes));

    const int64_t rank = static_cast<int64_t>(sizes.size());
    int64_t n = 0;
    for (int i = 0; i < indices.size(); ++i) n += indices[i].dim_size(0);
    Tensor all_rows, all_values;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_temp(DT_INT64, TensorShape({n, rank}), &all_rows));
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(values[0].dtype(), TensorShape({n}),
                                           &all_values));
    int64_t* row = all_rows.base<int64_t>();
    for (int i = 0; i < indices.size(); ++i) {
      const int64_t count = indices[i].NumElements();
      std::copy_n(indices[i].base<int64_t>(), count, row);
      for (int64_t k = along; k < count; k += rank) {
        row[k] = static_cast<int64_t>(static_cast<uint64_t>(row[k]) +
                                      static_cast<uint64_t>(starts[i]));
      }
      row += count;
    }
    OP_REQUIRES_OK(ctx, DispatchElement(
                            all_values.dtype(), [&]<typename T>(ElementTag<T>) {
                              T* to = all_values.base<T>();
                              for (int i = 0; i < values.size(); ++i) {
                                const int64_t count = values[i].NumElements();
                                CopyRun(values[i].base<T>(), count, to);
                                to += count;
                              }
                            }));
    const sparse::Rows rows = sparse::RowsOf(all_rows);
    if (sparse::IsSorted(rows)) {
      ctx->set_output(0, std::move(all_rows));
      ctx->set_output(1, std::move(all_values));
      return;
    }
    const std::vector<int64_t> order =
        sparse::SortedOrder(rows, sizes, AllDims(rank));
    OP_REQUIRES_OK(ctx, SetRows(ctx, 0, rows, order));
    OP_REQUIRES_OK(ctx, SetValues(ctx, 1, all_values, order));
  }

 private:
  // Finds the sizes of the whole, and the start of each part along the
  // dimension.
  Status Lay(const OpInputList& indices, const OpInputList& values,
             const OpInputList& shapes, int64_t* along,
             std::vector<int64_t>* sizes, std::vector<int64_t>* starts) const {
    for (int i = 0; i < indices.size(); ++i) {
      TF_RETURN_IF_ERROR(
          sparse::CheckParts("", indices[i], values[i], shapes[i]));
      const auto part = sparse::SizesOf(shapes[i]);
      if (i == 0) {
        const int64_t rank = static_cast<int64_t>(part.size());
        *along = concat_dim_ < 0 ? concat_dim_ + rank : concat_dim_;
        if (*along < 0 || *along >= rank) {
          return errors::InvalidArgument("Concat dimension must be in range [",
                                         -rank, ", ", rank, "), got ",
                                         concat_dim_);
        }
        sizes->assign(part.begin(), part.end());
        (*sizes)[*along] = 0;
      }
      TF_RETURN_IF_ERROR(Append(i, *along, part, sizes, starts));
    }
    return OkStatus();
  }

  static Status Append(int i, int64_t along, absl::Span<const int64_t> part,
                       std::vector<int64_t>* sizes,
                       std::vector<int64_t>* starts) {
    if (part.size() != sizes->size()) {
      return errors::InvalidArgument(
          "Ranks of all input tensors must match: expected ", sizes->size(),
          " but got ", part.size(), " at position ", i);
    }
    for (size_t d = 0; d < part.size(); ++d) {
      if (static_cast<int64_t>(d) != along && part[d] != (*sizes)[d]) {
        return errors::InvalidArgument(
            "Input shapes must match: expected ", (*sizes)[d],
            " for dimension ", d, " but got ", part[d], " at position ", i);
      }
    }
    int64_t& size = (*sizes)[along];
    starts->push_back(size);
    if (part[along] < 0 || __builtin_add_overflow(size, part[along], &size)) {
      return errors::InvalidArgument(
          "sizes along the concat dimension must be >= 0 and have a sum that "
          "fits into int64, got ",
          part[along], " at position ", i);
    }
    return OkStatus();
  }

  int64_t concat_dim_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("SparseConcat").Device(DEVICE_CPU),
                        SparseConcatOp);

}  // namespace
}  // namespace tensorwright
