// SPDX-License-Identifier: Apache-2.0
// `namespace tf = tensorflow`, labels, and names fully qualified.
#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/platform/logging.h"

REGISTER_OP("CorpusAliased")
    .Input("activations: float32")
    .Input("label_lengths: int32")
    .Attr("blank_label: int = 0")
    .Output("costs: float32")
    .Output("gradients: float32");

namespace tf = tensorflow;

using tf::shape_inference::InferenceContext;
using tf::shape_inference::ShapeHandle;

namespace aliased_op {

class AliasedOpBase : public tf::OpKernel {
 public:
  explicit AliasedOpBase(tf::OpKernelConstruction* ctx) : tf::OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("blank_label", &blank_label_));
  }

  void Compute(tf::OpKernelContext* ctx) override {
    const tf::Tensor* activations;
    const tf::Tensor* label_lengths;
    OP_REQUIRES_OK(ctx, ctx->input("activations", &activations));
    OP_REQUIRES_OK(ctx, ctx->input("label_lengths", &label_lengths));
    OP_REQUIRES(ctx, activations->shape().dims() == 3,
                tf::errors::InvalidArgument("activations is not a 3-Tensor"));
    OP_REQUIRES(ctx, tf::TensorShapeUtils::IsVector(label_lengths->shape()),
                tf::errors::InvalidArgument("label_lengths is not a vector"));
    const tf::TensorShape& act_shape = activations->shape();
    const auto max_time = act_shape.dim_size(0);
    const auto batch_size = act_shape.dim_size(1);
    const auto num_classes_raw = act_shape.dim_size(2);
    OP_REQUIRES(
        ctx,
        tf::FastBoundsCheck(num_classes_raw, std::numeric_limits<int>::max()),
        tf::errors::InvalidArgument("num_classes cannot exceed max int"));

    auto act_t = activations->tensor<float, 3>();
    tf::Tensor* costs = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output("costs", label_lengths->shape(), &costs));
    auto costs_t = costs->vec<float>();
    tf::Tensor* grads = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output("gradients", activations->shape(), &grads));
    set_zero(grads);
    auto grads_t = grads->tensor<float, 3>();
    for (tf::int64 b = 0; b < batch_size; ++b) {
      costs_t(b) = 0;
      for (tf::int64 t = 0; t < max_time; ++t) {
        costs_t(b) -= act_t(t, b, blank_label_);
        grads_t(t, b, blank_label_) = -1;
      }
    }
    VLOG(2) << tf::strings::StrCat("batch ", batch_size);
  }

 private:
  int blank_label_;
  virtual void set_zero(tf::Tensor* t) = 0;
};

class AliasedOpCPU : public AliasedOpBase {
 public:
  explicit AliasedOpCPU(tf::OpKernelConstruction* ctx) : AliasedOpBase(ctx) {}

 private:
  void set_zero(tf::Tensor* t) override { t->flat<float>().setZero(); }
};

REGISTER_KERNEL_BUILDER(Name("CorpusAliased").Device(::tensorflow::DEVICE_CPU),
                        AliasedOpCPU);

class AliasedOpLabelled : public AliasedOpCPU {
 public:
  using AliasedOpCPU::AliasedOpCPU;
};
REGISTER_KERNEL_BUILDER(Name("CorpusAliased")
                            .Device(::tensorflow::DEVICE_CPU)
                            .Label("aliased")
                            .Priority(1),
                        AliasedOpLabelled);

}  // namespace aliased_op

#undef EIGEN_USE_THREADS
