// SPDX-License-Identifier: Apache-2.0
// SpaceToDepth and DepthToSpace: both are a transposition of blocks.

#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/transpose_op.h"
#include "core/util/overflow.h"
#include "core/util/tensor_format.h"

namespace tensorwright {
namespace {

// The space side as [n, h, block, w, block, c] (NHWC) or [n, c, h, block, w,
// block] (NCHW), and the depth side as a permutation of it.
template <bool kToDepth>
class SpaceDepthOp final : public OpKernel {
 public:
  explicit SpaceDepthOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("block_size", &block_));
    OP_REQUIRES(
        ctx, block_ > 1 && block_ <= INT32_MAX,
        errors::InvalidArgument("Block size should be > 1, but was: ", block_));
    std::string format;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("data_format", &format));
    OP_REQUIRES(ctx, format != "NCHW_VECT_C",
                errors::InvalidArgument(
                    type_string(), ": the CPU has no data_format NCHW_VECT_C"));
    channels_last_ = format == "NHWC";
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    OP_REQUIRES(ctx, in.dims() == 4,
                errors::InvalidArgument("Input rank should be: 4 instead of: ",
                                        in.dims()));
    const int space = channels_last_ ? 1 : 2;
    int64_t n = in.dim_size(0), h = in.dim_size(space),
            w = in.dim_size(space + 1), c = in.dim_size(channels_last_ ? 3 : 1);
    // The sizes of the space side in blocks, and of its channels.
    if (kToDepth) {
      OP_REQUIRES(ctx, h % block_ == 0 && w % block_ == 0,
                  errors::InvalidArgument(
                      "Image height ", h, " and width ", w,
                      " should be divisible by block_size: ", block_));
      h /= block_;
      w /= block_;
    } else {
      OP_REQUIRES(ctx, c % (block_ * block_) == 0,
                  errors::InvalidArgument(
                      "Input depth dimension ", c,
                      " should be divisible by: ", block_ * block_));
      c /= block_ * block_;
    }
    TensorShape shape;
    OP_REQUIRES_OK(ctx, OutputShape(n, h, w, c, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, Rearrange(ctx, in, n, h, w, c, out));
  }

 private:
  Status OutputShape(int64_t n, int64_t h, int64_t w, int64_t c,
                     TensorShape* shape) const {
    if (kToDepth) {
      c = MultiplyWithoutOverflow(c, block_ * block_);
    } else {
      h = MultiplyWithoutOverflow(h, block_);
      w = MultiplyWithoutOverflow(w, block_);
    }
    if (c < 0 || h < 0 || w < 0) {
      return errors::InvalidArgument(type_string(),
                                     ": the output is too large");
    }
    const std::vector<int64_t> sizes = channels_last_
                                           ? std::vector<int64_t>{n, h, w, c}
                                           : std::vector<int64_t>{n, c, h, w};
    return TensorShape::BuildTensorShape(sizes, shape);
  }

  Status Rearrange(OpKernelContext* ctx, const Tensor& in, int64_t n, int64_t h,
                   int64_t w, int64_t c, Tensor* out) const {
    const int64_t b = block_;
    TensorShape from, to;
    std::vector<int32_t> perm;
    if (channels_last_) {
      from = kToDepth ? TensorShape({n, h, b, w, b, c})
                      : TensorShape({n, h, w, b, b, c});
      to = kToDepth ? TensorShape({n, h, w, b, b, c})
                    : TensorShape({n, h, b, w, b, c});
      perm = {0, 1, 3, 2, 4, 5};
    } else if (kToDepth) {
      from = TensorShape({n, c, h, b, w, b});
      to = TensorShape({n, b, b, c, h, w});
      perm = {0, 3, 5, 1, 2, 4};
    } else {
      from = TensorShape({n, b, b, c, h, w});
      to = TensorShape({n, c, h, b, w, b});
      perm = {0, 3, 4, 1, 5, 2};
    }
    Tensor source(in.dtype()), target(in.dtype());
    if (!source.CopyFrom(in, from) || !target.CopyFrom(*out, to)) {
      return errors::Internal(type_string(), ": reshape failed");
    }
    return DoTranspose(ctx, source, perm, &target);
  }

  int64_t block_ = 0;
  bool channels_last_ = true;
};

using SpaceToDepthOp = SpaceDepthOp<true>;
using DepthToSpaceOp = SpaceDepthOp<false>;
REGISTER_KERNEL_BUILDER(Name("SpaceToDepth").Device(DEVICE_CPU),
                        SpaceToDepthOp);
REGISTER_KERNEL_BUILDER(Name("DepthToSpace").Device(DEVICE_CPU),
                        DepthToSpaceOp);

}  // namespace
}  // namespace tensorwright
