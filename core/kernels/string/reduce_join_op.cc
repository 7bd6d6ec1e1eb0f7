// SPDX-License-Identifier: Apache-2.0
// ReduceJoin: joins strings along some dimensions.

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using Sizes = absl::InlinedVector<int64_t, 4>;

// Loops over some dimensions of a tensor; the first of them changes fastest.
struct Walk {
  Sizes sizes;
  Sizes strides;

  int64_t count() const {
    int64_t n = 1;
    for (const int64_t size : sizes) n *= size;
    return n;
  }
  int64_t OffsetOf(int64_t i) const {
    int64_t offset = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      offset += i % sizes[d] * strides[d];
      i /= sizes[d];
    }
    return offset;
  }
};

class ReduceJoinOp final : public OpKernel {
 public:
  explicit ReduceJoinOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("keep_dims", &keep_dims_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("separator", &separator_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Walk joined, kept;
    TensorShape shape;
    OP_REQUIRES_OK(ctx, Plan(input.shape(), Flat<int32_t>(ctx->input(1)),
                             &joined, &kept, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    const auto in = Flat<std::string>(input);
    const auto out = Flat<std::string>(output);
    const int64_t each = joined.count();
    ParallelFor(ctx, output->NumElements(), 100 + 20 * each,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    Join(in, kept.OffsetOf(i), joined, each, &out[i]);
                  }
                });
  }

 private:
  Status Plan(const TensorShape& in, absl::Span<const int32_t> axes,
              Walk* joined, Walk* kept, TensorShape* shape) const {
    const int rank = in.dims();
    Sizes strides(rank, 1);
    for (int d = rank - 1; d > 0; --d) {
      strides[d - 1] = strides[d] * in.dim_size(d);
    }
    absl::InlinedVector<bool, 4> reduced(rank, false);
    for (const int32_t axis : axes) {
      if (axis < -rank || axis >= rank) {
        return errors::OutOfRange("ReduceJoin: Invalid reduction dimension ",
                                  axis, " for input with ", rank,
                                  " dimension(s)");
      }
      const int d = axis < 0 ? axis + rank : axis;
      if (reduced[d]) {
        return errors::InvalidArgument(
            "ReduceJoin: Duplicate reduction dimension ", axis);
      }
      reduced[d] = true;
      joined->sizes.push_back(in.dim_size(d));
      joined->strides.push_back(strides[d]);
    }
    for (int d = 0; d < rank; ++d) {
      if (!reduced[d]) {
        TF_RETURN_IF_ERROR(shape->AddDimWithStatus(in.dim_size(d)));
      } else if (keep_dims_) {
        TF_RETURN_IF_ERROR(shape->AddDimWithStatus(1));
      }
      if (!reduced[rank - 1 - d]) {
        // The output's last dimension changes fastest.
        kept->sizes.push_back(in.dim_size(rank - 1 - d));
        kept->strides.push_back(strides[rank - 1 - d]);
      }
    }
    return OkStatus();
  }

  void Join(absl::Span<const std::string> in, int64_t offset,
            const Walk& joined, int64_t each, std::string* out) const {
    if (each == 0) return;
    size_t length = separator_.size() * static_cast<size_t>(each - 1);
    for (int64_t k = 0; k < each; ++k) {
      length += in[offset + joined.OffsetOf(k)].size();
    }
    out->reserve(length);
    for (int64_t k = 0; k < each; ++k) {
      if (k > 0) *out += separator_;
      *out += in[offset + joined.OffsetOf(k)];
    }
  }

  bool keep_dims_;
  std::string separator_;
};
REGISTER_KERNEL_BUILDER(Name("ReduceJoin").Device(DEVICE_CPU), ReduceJoinOp);

}  // namespace
}  // namespace tensorwright
