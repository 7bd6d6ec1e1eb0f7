// SPDX-License-Identifier: Apache-2.0
// The least and the greatest that each element of a series has been, in two
// reference variables: their locks in an order of one's own, updates by Eigen.
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

// All of one shape, but for the slack.
static Status RunningBoundsShape(shape_inference::InferenceContext* c) {
  shape_inference::ShapeHandle shape = c->input(0), slack;
  for (int i : {1, 2}) {
    TF_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
  }
  TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &slack));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, shape);
  return Status::OK();
}

REGISTER_OP("CorpusRunningBounds")
    .Attr("T: realnumbertype")
    .Attr("use_locking: bool = false")
    .Input("least: Ref(T)")
    .Input("greatest: Ref(T)")
    .Input("x: T")
    .Input("slack: T")
    .Output("least_out: Ref(T)")
    .Output("greatest_out: Ref(T)")
    .SetShapeFn(RunningBoundsShape);

namespace functor {
template <typename Device, typename T>
struct CorpusRunningBounds {
  void operator()(const Device& d, typename TTypes<T>::Flat least,
                  typename TTypes<T>::Flat greatest,
                  typename TTypes<T>::ConstFlat x,
                  typename TTypes<T>::ConstScalar slack) {
    least.device(d) = least.cwiseMin(x - x.constant(slack()));
    greatest.device(d) = greatest.cwiseMax(x + x.constant(slack()));
  }
};
}  // namespace functor

template <typename Device, typename T>
class RunningBoundsOp : public OpKernel {
 public:
  explicit RunningBoundsOp(OpKernelConstruction* construction)
      : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("use_locking", &locks_));
  }

  void Compute(OpKernelContext* context) override {
    if (!locks_) return Update(context);
    // By address, so that nobody waits for us while we wait for him.
    mutex* mutexes[2];
    for (int i = 0; i < 2; ++i) mutexes[i] = context->input_ref_mutex(i);
    std::sort(mutexes, mutexes + 2);
    mutex_lock first(*mutexes[0]);
    if (mutexes[0] == mutexes[1]) {
      Update(context);
    } else {
      mutex_lock second(*mutexes[1]);
      Update(context);
    }
  }

 private:
  void Update(OpKernelContext* context) {
    Tensor bounds[2];
    const Tensor &x = context->input(2), &slack = context->input(3);
    for (int i = 0; i < 2; ++i) {
      bounds[i] = context->mutable_input(i, locks_);
      OP_REQUIRES(
          context, bounds[i].IsInitialized(),
          errors::FailedPrecondition("no value yet: ", requested_input(i)));
      OP_REQUIRES(context, x.shape().IsSameSize(bounds[i].shape()),
                  errors::InvalidArgument("x and a bound differ in shape: ",
                                          x.shape().DebugString(), " and ",
                                          bounds[i].shape().DebugString()));
    }
    OP_REQUIRES(context, TensorShapeUtils::IsLegacyScalar(slack.shape()),
                errors::InvalidArgument("slack must be a scalar"));
    functor::CorpusRunningBounds<Device, T>()(
        context->eigen_device<Device>(), bounds[0].flat<T>(),
        bounds[1].flat<T>(), x.flat<T>(), slack.scalar<T>());
    for (int i = 0; i < 2; ++i) context->forward_ref_input_to_ref_output(i, i);
  }

  bool locks_;
};

#define RUNNING_BOUNDS(T)                                                    \
  REGISTER_KERNEL_BUILDER(                                                   \
      Name("CorpusRunningBounds").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      RunningBoundsOp<CPUDevice, T>);
TF_CALL_float(RUNNING_BOUNDS);
TF_CALL_double(RUNNING_BOUNDS);
#undef RUNNING_BOUNDS

}  // namespace tensorflow
