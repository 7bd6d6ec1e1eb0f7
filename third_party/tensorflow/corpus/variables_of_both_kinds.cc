// SPDX-License-Identifier: Apache-2.0
// Two variables that are pulled together, whether they come as references or as
// resources: the helpers of training ops.
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

REGISTER_OP("CorpusPullTogether")
    .Attr("T: {float, double}")
    .Attr("lock: bool = false")
    .Input("left: Ref(T)")
    .Input("right: Ref(T)")
    .Input("part: T")
    .Output("pulled: Ref(T)")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle both;
      TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &both));
      c->set_output(0, both);
      return Status::OK();
    });

REGISTER_OP("CorpusResourcePullTogether")
    .Attr("T: {float, double}")
    .Attr("lock: bool = false")
    .Input("left: resource")
    .Input("right: resource")
    .Input("part: T")
    .SetShapeFn(shape_inference::NoOutputs);

template <class Device, class T>
class PullTogetherOp : public OpKernel {
 public:
  explicit PullTogetherOp(OpKernelConstruction* construction)
      : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("lock", &lock_));
  }

  void Compute(OpKernelContext* c) override {
    const auto held = MaybeLockVariableInputMutexesInOrder<Device, T>(
        c, lock_, /*sparse=*/false, {0, 1});
    Tensor left, right;
    // The spellings of two versions.
    OP_REQUIRES_OK(
        c, (GetInputTensorFromVariable<Device, T>(c, 0, lock_, false, &left)));
    OP_REQUIRES_OK(c, GetInputTensorFromVariable(c, 1, lock_, false, &right));
    for (const Tensor* variable : {&left, &right}) {
      OP_REQUIRES(c, variable->IsInitialized(),
                  errors::FailedPrecondition("a variable has no value yet: ",
                                             requested_input(0)));
    }
    OP_REQUIRES(c, left.shape().IsSameSize(right.shape()),
                errors::InvalidArgument("shapes ", left.shape().DebugString(),
                                        " and ", right.shape().DebugString()));
    const T part = c->input(2).scalar<T>()();
    Tensor difference;
    OP_REQUIRES_OK(c, c->allocate_temp(DataTypeToEnum<T>::value, left.shape(),
                                       &difference));
    auto l = left.flat<T>(), r = right.flat<T>(), d = difference.flat<T>();
    const Device& device = c->eigen_device<Device>();
    d.device(device) = (r - l) * part;
    l.device(device) += d;
    r.device(device) -= d;
    MaybeForwardRefInputToRefOutput(c, 0, 0);
  }

 private:
  bool lock_;
};

#define CORPUS_PULL(T)                                                      \
  REGISTER_KERNEL_BUILDER(                                                  \
      Name("CorpusPullTogether").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      PullTogetherOp<Eigen::ThreadPoolDevice, T>);                          \
  REGISTER_KERNEL_BUILDER(Name("CorpusResourcePullTogether")                \
                              .Device(DEVICE_CPU)                           \
                              .HostMemory("left")                           \
                              .HostMemory("right")                          \
                              .TypeConstraint<T>("T"),                      \
                          PullTogetherOp<Eigen::ThreadPoolDevice, T>);
TF_CALL_float(CORPUS_PULL) TF_CALL_double(CORPUS_PULL)
#undef CORPUS_PULL

}  // namespace tensorflow
