// SPDX-License-Identifier: Apache-2.0
// The functor for the CPU, instantiated explicitly, and the kernel for both.
#if GOOGLE_CUDA
#define EIGEN_USE_GPU
#endif  // GOOGLE_CUDA

#include "scale_functor.h"

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;
typedef Eigen::GpuDevice GPUDevice;

REGISTER_OP("CorpusScaleTwo")
    .Attr("T: {float, int32}")
    .Input("in: T")
    .Output("out: T")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return Status::OK();
    });

namespace functor {
template <typename T>
struct CorpusScaleFunctor<CPUDevice, T> {
  void operator()(const CPUDevice& d, int size, const T* in, T* out) {
    for (int i = 0; i < size; ++i) {
      out[i] = 2 * in[i];
    }
  }
};
template struct CorpusScaleFunctor<CPUDevice, float>;
}  // namespace functor

template <typename Device, typename T>
class CorpusScaleTwoOp : public OpKernel {
 public:
  explicit CorpusScaleTwoOp(OpKernelConstruction* context)
      : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input_tensor = context->input(0);
    Tensor* output_tensor = NULL;
    OP_REQUIRES_OK(context, context->allocate_output(0, input_tensor.shape(),
                                                     &output_tensor));
    OP_REQUIRES(context, input_tensor.NumElements() <= tensorflow::kint32max,
                errors::InvalidArgument("Too many elements in tensor"));
    functor::CorpusScaleFunctor<Device, T>()(
        context->eigen_device<Device>(),
        static_cast<int>(input_tensor.NumElements()),
        input_tensor.flat<T>().data(), output_tensor->flat<T>().data());
  }
};

#define REGISTER_CPU(T)                                                 \
  REGISTER_KERNEL_BUILDER(                                              \
      Name("CorpusScaleTwo").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      CorpusScaleTwoOp<CPUDevice, T>);
REGISTER_CPU(float);
REGISTER_CPU(int32);

#ifdef GOOGLE_CUDA
#define REGISTER_GPU(T)                                                 \
  extern template struct functor::CorpusScaleFunctor<GPUDevice, T>;     \
  REGISTER_KERNEL_BUILDER(                                              \
      Name("CorpusScaleTwo").Device(DEVICE_GPU).TypeConstraint<T>("T"), \
      CorpusScaleTwoOp<GPUDevice, T>);
REGISTER_GPU(float);
REGISTER_GPU(int32);
#endif  // GOOGLE_CUDA

}  // namespace tensorflow
