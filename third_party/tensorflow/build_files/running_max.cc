// SPDX-License-Identifier: Apache-2.0
// The largest element so far, along the last dimension: a functor by device and
// type.  Begins with a header of the standard library, as many sources do.
#define EIGEN_USE_THREADS

#include <algorithm>
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;

REGISTER_OP("BuiltRunningMax")
    .Attr("T: {float, double, int32}")
    .Input("x: T")
    .Output("largest: T")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle x;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
      c->set_output(0, x);
      return Status::OK();
    });

namespace functor {
template <typename Device, typename T>
struct RunningMax {
  void operator()(const Device& d, typename TTypes<T>::ConstMatrix x,
                  typename TTypes<T>::Matrix largest) {
    if (x.size() == 0) return;
    largest.template chip<1>(0).device(d) = x.template chip<1>(0);
    for (int64 i = 1; i < x.dimension(1); ++i) {
      largest.template chip<1>(i).device(d) =
          x.template chip<1>(i).cwiseMax(largest.template chip<1>(i - 1));
    }
  }
};
}  // namespace functor

template <typename Device, typename T>
class RunningMaxOp : public OpKernel {
 public:
  explicit RunningMaxOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    Tensor* largest = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(
                                0, context->input(0).shape(), &largest));
    functor::RunningMax<Device, T>()(context->eigen_device<Device>(),
                                     context->input(0).matrix<T>(),
                                     largest->matrix<T>());
  }
};

#define REGISTER(T)                                                      \
  REGISTER_KERNEL_BUILDER(                                               \
      Name("BuiltRunningMax").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      RunningMaxOp<CPUDevice, T>);
TF_CALL_float(REGISTER);
TF_CALL_double(REGISTER);
TF_CALL_int32(REGISTER);
#undef REGISTER

}  // namespace tensorflow
