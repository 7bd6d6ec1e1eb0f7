// SPDX-License-Identifier: Apache-2.0
// An optimizer of one's own, for variables of both kinds, written with the
// helpers of TensorFlow's.
#define EIGEN_USE_THREADS

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/kernels/resource_variable_ops.h"
#include "tensorflow/core/kernels/training_op_helpers.h"
#include "tensorflow/core/kernels/variable_ops.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

using CPUDevice = Eigen::ThreadPoolDevice;

REGISTER_OP("CorpusApplySignMomentum")
    .Input("var: Ref(T)")
    .Input("m: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: {float, double}")
    .Attr("use_locking: bool = false")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle s = c->input(0);
      TF_RETURN_IF_ERROR(c->Merge(s, c->input(1), &s));
      TF_RETURN_IF_ERROR(c->Merge(s, c->input(3), &s));
      c->set_output(0, s);
      return Status::OK();
    });

REGISTER_OP("CorpusResourceApplySignMomentum")
    .Input("var: resource")
    .Input("m: resource")
    .Input("lr: T")
    .Input("grad: T")
    .Attr("T: {float, double}")
    .Attr("use_locking: bool = false")
    .SetShapeFn(shape_inference::NoOutputs);

template <typename Device, typename T>
class CorpusApplySignMomentumOp : public OpKernel {
 public:
  explicit CorpusApplySignMomentumOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_locking", &use_exclusive_lock_));
  }

  void Compute(OpKernelContext* ctx) override {
    auto locks = MaybeLockVariableInputMutexesInOrder<Device, T>(
        ctx, use_exclusive_lock_, /*sparse=*/false, {0, 1});
    Tensor var, m;
    OP_REQUIRES_OK(ctx, (GetInputTensorFromVariable<Device, T>(
                            ctx, 0, use_exclusive_lock_, false, &var)));
    OP_REQUIRES_OK(ctx, GetInputTensorFromVariable(ctx, 1, use_exclusive_lock_,
                                                   false, &m));
    OP_REQUIRES(
        ctx, var.IsInitialized() && m.IsInitialized(),
        errors::FailedPrecondition(
            "Attempting to use uninitialized variables: ", requested_input(0)));
    const Tensor& lr = ctx->input(2);
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(lr.shape()),
                errors::InvalidArgument("lr is not a scalar : ",
                                        lr.shape().DebugString()));
    const Tensor& grad = ctx->input(3);
    OP_REQUIRES(
        ctx, var.shape().IsSameSize(grad.shape()),
        errors::InvalidArgument("var and grad do not have the same shape",
                                var.shape().DebugString(), " ",
                                grad.shape().DebugString()));
    const Device& device = ctx->template eigen_device<Device>();
    auto v = var.flat<T>();
    auto mm = m.flat<T>();
    mm.device(device) = mm * T(0.5) + grad.flat<T>();
    v.device(device) -= mm.sign() * lr.scalar<T>()();
    MaybeForwardRefInputToRefOutput(ctx, 0, 0);
  }

 private:
  bool use_exclusive_lock_;
};

#define REGISTER_KERNELS(D, T)                                      \
  REGISTER_KERNEL_BUILDER(Name("CorpusApplySignMomentum")           \
                              .Device(DEVICE_##D)                   \
                              .TypeConstraint<T>("T"),              \
                          CorpusApplySignMomentumOp<D##Device, T>); \
  REGISTER_KERNEL_BUILDER(Name("CorpusResourceApplySignMomentum")   \
                              .HostMemory("var")                    \
                              .HostMemory("m")                      \
                              .Device(DEVICE_##D)                   \
                              .TypeConstraint<T>("T"),              \
                          CorpusApplySignMomentumOp<D##Device, T>);
#define REGISTER_CPU_KERNELS(T) REGISTER_KERNELS(CPU, T);
TF_CALL_float(REGISTER_CPU_KERNELS);
TF_CALL_double(REGISTER_CPU_KERNELS);
#undef REGISTER_CPU_KERNELS
#undef REGISTER_KERNELS

}  // namespace tensorflow
