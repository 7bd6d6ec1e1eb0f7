// SPDX-License-Identifier: Apache-2.0
// UnsortedSegmentJoin: joins the strings of one id.

#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

int64_t ScalarOf(const Tensor& t) {
  return t.dtype() == DT_INT32 ? t.scalar_value<int32_t>()
                               : t.scalar_value<int64_t>();
}

template <typename Index>
class UnsortedSegmentJoinOp final : public OpKernel {
 public:
  explicit UnsortedSegmentJoinOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("separator", &separator_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& inputs = ctx->input(0);
    const Tensor& segment_ids = ctx->input(1);
    const int64_t segments = ScalarOf(ctx->input(2));
    OP_REQUIRES(
        ctx, segments >= 0,
        errors::InvalidArgument(
            "UnsortedSegmentJoin: num_segments must be >= 0, got ", segments));
    OP_REQUIRES(ctx, segment_ids.dims() > 0,
                errors::InvalidArgument(
                    "UnsortedSegmentJoin: segment_ids cannot have rank 0"));
    TensorShape shape({segments});
    int64_t row = 1;
    for (int d = segment_ids.dims(); d < inputs.dims(); ++d) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(inputs.dim_size(d)));
      row *= inputs.dim_size(d);
    }
    const auto ids = Flat<Index>(segment_ids);
    for (size_t i = 0; i < ids.size(); ++i) {
      OP_REQUIRES(ctx, ids[i] >= 0 && ids[i] < segments,
                  errors::InvalidArgument(
                      "UnsortedSegmentJoin: segment_ids[", i, "] = ", ids[i],
                      " is out of range [0, ", segments, ")"));
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    Join(Flat<std::string>(inputs), ids, row, Flat<std::string>(output));
  }

 private:
  void Join(absl::Span<const std::string> in, absl::Span<const Index> ids,
            int64_t row, absl::Span<std::string> out) const {
    for (size_t i = 0; i < ids.size(); ++i) {
      for (int64_t k = 0; k < row; ++k) {
        std::string& joined = out[static_cast<int64_t>(ids[i]) * row + k];
        // As in TensorFlow, no separator follows an empty beginning.
        if (!joined.empty()) joined += separator_;
        joined += in[static_cast<int64_t>(i) * row + k];
      }
    }
  }

  std::string separator_;
};
REGISTER_KERNEL_FOR_TYPES(Name("UnsortedSegmentJoin").Device(DEVICE_CPU),
                          "Tindices", UnsortedSegmentJoinOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
