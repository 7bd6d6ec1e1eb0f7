// SPDX-License-Identifier: Apache-2.0
// A training op on reference variables: several locks, Eigen updates.
#define EIGEN_USE_THREADS

#include <algorithm>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/kernels/bounds_check.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

using CPUDevice = Eigen::ThreadPoolDevice;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

static Status ApplyLionShapeFn(InferenceContext* c) {
  ShapeHandle unused;
  ShapeHandle s = c->input(0);
  TF_RETURN_IF_ERROR(c->Merge(s, c->input(1), &s));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &unused));
  TF_RETURN_IF_ERROR(c->Merge(s, c->input(4), &s));
  if (c->num_outputs() > 0) c->set_output(0, s);
  return Status::OK();
}

REGISTER_OP("CorpusApplyLion")
    .Input("var: Ref(T)")
    .Input("m: Ref(T)")
    .Input("lr: T")
    .Input("beta: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .SetShapeFn(ApplyLionShapeFn);

namespace functor {
template <typename Device, typename T>
struct CorpusApplyLion {
  void operator()(const Device& d, typename TTypes<T>::Flat var,
                  typename TTypes<T>::Flat m,
                  typename TTypes<T>::ConstScalar lr,
                  typename TTypes<T>::ConstScalar beta,
                  typename TTypes<T>::ConstFlat grad) {
    m.device(d) = m + (grad - m) * (T(1) - beta());
    var.device(d) -= m.sign() * lr();
  }
};
}  // namespace functor

template <typename Device, typename T>
class CorpusApplyLionOp : public OpKernel {
 public:
  explicit CorpusApplyLionOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_locking", &use_exclusive_lock_));
  }

  void Compute(OpKernelContext* ctx) override {
    mutex* first = ctx->input_ref_mutex(0);
    mutex* second = ctx->input_ref_mutex(1);
    if (second < first) std::swap(first, second);
    if (use_exclusive_lock_) {
      mutex_lock l1(*first);
      if (first == second) return DoValidate(ctx);
      mutex_lock l2(*second);
      DoValidate(ctx);
    } else {
      DoValidate(ctx);
    }
  }

 private:
  void DoValidate(OpKernelContext* ctx) {
    Tensor var = ctx->mutable_input(0, use_exclusive_lock_);
    Tensor m = ctx->mutable_input(1, use_exclusive_lock_);
    OP_REQUIRES(
        ctx, var.IsInitialized(),
        errors::FailedPrecondition(
            "Attempting to use uninitialized variables: ", requested_input(0)));
    OP_REQUIRES(
        ctx, m.IsInitialized(),
        errors::FailedPrecondition(
            "Attempting to use uninitialized variables: ", requested_input(1)));
    const Tensor& lr = ctx->input(2);
    const Tensor& beta = ctx->input(3);
    const Tensor& grad = ctx->input(4);
    OP_REQUIRES(ctx, TensorShapeUtils::IsLegacyScalar(lr.shape()),
                errors::InvalidArgument("lr is not a scalar: ",
                                        lr.shape().DebugString()));
    OP_REQUIRES(ctx, var.shape().IsSameSize(grad.shape()),
                errors::InvalidArgument(
                    "var and grad differ in shape: ", var.shape().DebugString(),
                    " ", grad.shape().DebugString()));
    const Device& device = ctx->template eigen_device<Device>();
    functor::CorpusApplyLion<Device, T>()(device, var.flat<T>(), m.flat<T>(),
                                          lr.scalar<T>(), beta.scalar<T>(),
                                          grad.flat<T>());
    ctx->forward_ref_input_to_ref_output(0, 0);
  }

  bool use_exclusive_lock_;
};

#define REGISTER_KERNELS(D, T)                                           \
  REGISTER_KERNEL_BUILDER(                                               \
      Name("CorpusApplyLion").Device(DEVICE_##D).TypeConstraint<T>("T"), \
      CorpusApplyLionOp<D##Device, T>);
#define REGISTER_CPU_KERNELS(T) REGISTER_KERNELS(CPU, T);

TF_CALL_float(REGISTER_CPU_KERNELS);
TF_CALL_double(REGISTER_CPU_KERNELS);
#undef REGISTER_CPU_KERNELS
#undef REGISTER_KERNELS

}  // namespace tensorflow
