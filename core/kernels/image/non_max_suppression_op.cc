// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression, V2 to V5, and WithOverlaps.

#include "core/kernels/image/non_max_suppression_op.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"

namespace tensorwright {
namespace {

// Reads a scalar of either float type.
template <typename T>
T ScalarAs(const Tensor& scalar) {
  return scalar.dtype() == DT_HALF ? static_cast<T>(*scalar.base<Eigen::half>())
                                   : static_cast<T>(*scalar.base<float>());
}

Status ReadMost(const std::string& op, const Tensor& scalar, int64_t* most) {
  *most = *scalar.base<int32_t>();
  if (*most >= 0) return OkStatus();
  return errors::InvalidArgument(op, ": max_output_size must be >= 0, got ",
                                 *most);
}

template <typename T>
Status CheckOverlap(const std::string& op, T overlap) {
  if (overlap >= T(0) && overlap <= T(1)) return OkStatus();
  return errors::InvalidArgument(op, ": iou_threshold must be in [0, 1], got ",
                                 static_cast<float>(overlap));
}

// Writes numbers, followed by zeros, to an output of `size` elements.
template <typename T>
Status WritePadded(OpKernelContext* ctx, int output,
                   const std::vector<T>& numbers, int64_t size) {
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(output, TensorShape({size}), &out));
  std::copy(numbers.begin(), numbers.end(), out->base<T>());
  std::fill(out->base<T>() + numbers.size(), out->base<T>() + size, T(0));
  return OkStatus();
}

Status WriteCount(OpKernelContext* ctx, int output, size_t n) {
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(output, TensorShape(), &out));
  *out->base<int32_t>() = static_cast<int32_t>(n);
  return OkStatus();
}

}  // namespace

// The versions differ in their inputs and outputs.
template <typename T>
class NonMaxSuppressionOp final : public OpKernel {
 public:
  explicit NonMaxSuppressionOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), op_(ctx->def().op()) {
    if (ctx->HasAttr("iou_threshold")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("iou_threshold", &iou_threshold_));
      OP_REQUIRES_OK(ctx, CheckOverlap(op_, iou_threshold_));
    }
    if (ctx->HasAttr("pad_to_max_output_size")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("pad_to_max_output_size", &pad_));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& boxes = ctx->input(0);
    const Tensor& scores = ctx->input(1);
    Suppression<T> by;
    OP_REQUIRES_OK(ctx, ReadMost(op_, ctx->input(2), &by.most));
    by.max_overlap = ctx->num_inputs() > 3 ? ScalarAs<T>(ctx->input(3))
                                           : static_cast<T>(iou_threshold_);
    OP_REQUIRES_OK(ctx, CheckOverlap(op_, by.max_overlap));
    by.min_score = ctx->num_inputs() > 4 ? ScalarAs<T>(ctx->input(4))
                                         : std::numeric_limits<T>::lowest();
    if (ctx->num_inputs() > 5) {
      by.sigma = ScalarAs<T>(ctx->input(5));
      OP_REQUIRES(
          ctx, by.sigma >= T(0),
          errors::InvalidArgument(op_, ": soft_nms_sigma must be >= 0, got ",
                                  static_cast<float>(by.sigma)));
    }
    const Selected<T> selected = SelectBoxes(
        by, boxes.base<T>(), 4, scores.base<T>(), boxes.dim_size(0));
    const int64_t found = static_cast<int64_t>(selected.indices.size());
    const int64_t size = pad_ ? by.most : found;
    OP_REQUIRES_OK(ctx, WritePadded(ctx, 0, selected.indices, size));
    if (num_outputs() == 3) {
      OP_REQUIRES_OK(ctx, WritePadded(ctx, 1, selected.scores, size));
    }
    if (num_outputs() > 1) {
      OP_REQUIRES_OK(ctx, WriteCount(ctx, num_outputs() - 1, found));
    }
  }

 private:
  const std::string op_;
  float iou_threshold_ = 0.5f;
  bool pad_ = false;
};

namespace {

class NonMaxSuppressionWithOverlapsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const float* overlaps = ctx->input(0).base<float>();
    const Tensor& scores = ctx->input(1);
    const int64_t n = scores.NumElements();
    Suppression<float> by;
    OP_REQUIRES_OK(ctx, ReadMost("NonMaxSuppressionWithOverlaps", ctx->input(2),
                                 &by.most));
    by.max_overlap = *ctx->input(3).base<float>();
    by.min_score = *ctx->input(4).base<float>();
    const Selected<float> selected =
        Select(by, scores.base<float>(), n,
               [&](int64_t i, int64_t j) { return overlaps[i * n + j]; });
    OP_REQUIRES_OK(ctx,
                   WritePadded(ctx, 0, selected.indices,
                               static_cast<int64_t>(selected.indices.size())));
  }
};
REGISTER_KERNEL_BUILDER(
    Name("NonMaxSuppressionWithOverlaps").Device(DEVICE_CPU),
    NonMaxSuppressionWithOverlapsOp);

}  // namespace

REGISTER_KERNEL_BUILDER(Name("NonMaxSuppression").Device(DEVICE_CPU),
                        NonMaxSuppressionOp<float>);
REGISTER_KERNEL_FOR_TYPES(Name("NonMaxSuppressionV2").Device(DEVICE_CPU), "T",
                          NonMaxSuppressionOp, float, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("NonMaxSuppressionV3").Device(DEVICE_CPU), "T",
                          NonMaxSuppressionOp, float, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("NonMaxSuppressionV4").Device(DEVICE_CPU), "T",
                          NonMaxSuppressionOp, float, Eigen::half);
REGISTER_KERNEL_FOR_TYPES(Name("NonMaxSuppressionV5").Device(DEVICE_CPU), "T",
                          NonMaxSuppressionOp, float, Eigen::half);

}  // namespace tensorwright
