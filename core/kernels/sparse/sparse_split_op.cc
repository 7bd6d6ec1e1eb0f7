// SPDX-License-Identifier: Apache-2.0
// SparseSplit: cuts a sparse tensor into parts along a dimension.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// Cuts a dimension of size `whole` into `parts` parts; the first whole % parts
// ones are larger by one.
struct Cut {
  int64_t whole, parts;

  int64_t size(int64_t part) const {
    return whole / parts + (part < whole % parts ? 1 : 0);
  }
  int64_t start(int64_t part) const {
    return part * (whole / parts) + std::min(part, whole % parts);
  }
  int64_t part_of(int64_t index) const {
    const int64_t least = whole / parts, larger = whole % parts;
    const int64_t in_larger = larger * (least + 1);
    return index < in_larger ? index / (least + 1)
                             : larger + (index - in_larger) / least;
  }
};

class SparseSplitOp final : public OpKernel {
 public:
  explicit SparseSplitOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_split", &num_split_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& split_dim = ctx->input(0);
    const SparseInput in(ctx, 1);
    OP_REQUIRES(ctx, split_dim.dims() == 0,
                errors::InvalidArgument(
                    "Input split_dim should be a scalar but received shape ",
                    split_dim.shape().DebugString()));
    OP_REQUIRES_OK(ctx, in.Check());
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ShapeOf(in.sizes(), &shape));
    const int64_t given = *split_dim.base<int64_t>(), rank = in.rank();
    const int64_t along = given < 0 ? given + rank : given;
    OP_REQUIRES(ctx, along >= 0 && along < rank,
                errors::InvalidArgument("Input split_dim should be in range [",
                                        -rank, ", ", rank, "), got ", given));
    const Cut cut{in.sizes()[along], num_split_};
    OP_REQUIRES(
        ctx, num_split_ >= 1 && num_split_ <= cut.whole,
        errors::InvalidArgument("Input num_split should be between 1 and the "
                                "splitting dimension size (",
                                cut.whole, "), got ", num_split_));
    OP_REQUIRES_OK(ctx, sparse::CheckInside(in.rows(), in.sizes()));
    OP_REQUIRES_OK(ctx, Write(ctx, in, along, cut));
  }

 private:
  Status Write(OpKernelContext* ctx, const SparseInput& in, int64_t along,
               const Cut& cut) const {
    const sparse::Rows rows = in.rows();
    std::vector<int64_t> part_of(rows.n), counts(num_split_, 0);
    for (int64_t i = 0; i < rows.n; ++i) {
      part_of[i] = cut.part_of(rows[i][along]);
      ++counts[part_of[i]];
    }
    std::vector<Tensor*> values(num_split_);
    std::vector<int64_t*> next(num_split_);
    for (int p = 0; p < num_split_; ++p) {
      Tensor* indices = nullptr;
      TF_RETURN_IF_ERROR(ctx->allocate_output(
          p, TensorShape({counts[p], rows.rank}), &indices));
      next[p] = indices->base<int64_t>();
      TF_RETURN_IF_ERROR(ctx->allocate_output(
          num_split_ + p, TensorShape({counts[p]}), &values[p]));
      std::vector<int64_t> sizes(in.sizes().begin(), in.sizes().end());
      sizes[along] = cut.size(p);
      TF_RETURN_IF_ERROR(SetSizes(ctx, 2 * num_split_ + p, sizes));
    }
    for (int64_t i = 0; i < rows.n; ++i) {
      int64_t*& to = next[part_of[i]];
      std::copy_n(rows[i], rows.rank, to);
      to[along] -= cut.start(part_of[i]);
      to += rows.rank;
    }
    return DispatchElement(in.values.dtype(), [&]<typename T>(ElementTag<T>) {
      std::vector<T*> to(num_split_);
      for (int p = 0; p < num_split_; ++p) to[p] = values[p]->base<T>();
      const T* const from = in.values.base<T>();
      for (int64_t i = 0; i < rows.n; ++i) *to[part_of[i]]++ = from[i];
    });
  }

  int num_split_ = 1;
};
REGISTER_KERNEL_BUILDER(Name("SparseSplit").Device(DEVICE_CPU), SparseSplitOp);

}  // namespace
}  // namespace tensorwright
