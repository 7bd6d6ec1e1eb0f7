// SPDX-License-Identifier: Apache-2.0
// numeric_op.h: UnaryOp, BinaryOp, UnaryElementWiseOp, BinaryElementWiseOp.
#define EIGEN_USE_THREADS

#include "tensorflow/core/framework/numeric_op.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/lib/core/errors.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

using CPUDevice = Eigen::ThreadPoolDevice;

REGISTER_OP("CorpusHardSwish")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: realnumbertype")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("CorpusHardSwishGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: realnumbertype")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn);

namespace functor {

template <typename Device, typename T>
struct HardSwish {
  void operator()(const Device& d, typename TTypes<T>::ConstTensor features,
                  typename TTypes<T>::Tensor activations) {
    activations.device(d) = features *
                            (features + features.constant(static_cast<T>(3)))
                                .cwiseMax(static_cast<T>(0))
                                .cwiseMin(static_cast<T>(6)) /
                            features.constant(static_cast<T>(6));
  }
};

template <typename Device, typename T>
struct HardSwishGrad {
  void operator()(const Device& d, typename TTypes<T>::ConstTensor gradients,
                  typename TTypes<T>::ConstTensor features,
                  typename TTypes<T>::Tensor backprops) {
    backprops.device(d) =
        (features > features.constant(static_cast<T>(3)))
            .select(gradients,
                    (features < features.constant(static_cast<T>(-3)))
                        .select(gradients.constant(static_cast<T>(0)),
                                gradients *
                                    (features * static_cast<T>(2) +
                                     features.constant(static_cast<T>(3))) /
                                    static_cast<T>(6)));
  }
};

}  // namespace functor

template <typename Device, typename T>
class HardSwishOp : public UnaryElementWiseOp<T, HardSwishOp<Device, T>> {
 public:
  using UnaryElementWiseOp<T, HardSwishOp<Device, T>>::UnaryElementWiseOp;

  void Operate(OpKernelContext* context, const Tensor& input, Tensor* output) {
    functor::HardSwish<Device, T> functor;
    functor(context->eigen_device<Device>(), input.flat<T>(),
            output->flat<T>());
  }
};

template <typename Device, typename T>
class HardSwishGradOp
    : public BinaryElementWiseOp<T, HardSwishGradOp<Device, T>> {
 public:
  using BinaryElementWiseOp<T, HardSwishGradOp<Device, T>>::BinaryElementWiseOp;

  void OperateNoTemplate(OpKernelContext* context, const Tensor& g,
                         const Tensor& a, Tensor* output) {
    OP_REQUIRES(context, a.IsSameSize(g),
                errors::InvalidArgument("g and a must be the same size"));
    functor::HardSwishGrad<Device, T> functor;
    functor(context->eigen_device<Device>(), g.flat<T>(), a.flat<T>(),
            output->flat<T>());
  }

  // The rank does not matter: it is all flat.
  template <int NDIMS>
  void Operate(OpKernelContext* context, const Tensor& g, const Tensor& a,
               Tensor* output) {
    OperateNoTemplate(context, g, a, output);
  }
};

#define REGISTER_KERNELS(type)                                              \
  REGISTER_KERNEL_BUILDER(                                                  \
      Name("CorpusHardSwish").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
      HardSwishOp<CPUDevice, type>);                                        \
  REGISTER_KERNEL_BUILDER(Name("CorpusHardSwishGrad")                       \
                              .Device(DEVICE_CPU)                           \
                              .TypeConstraint<type>("T"),                   \
                          HardSwishGradOp<CPUDevice, type>)

TF_CALL_GPU_NUMBER_TYPES(REGISTER_KERNELS);
#undef REGISTER_KERNELS

}  // namespace tensorflow
