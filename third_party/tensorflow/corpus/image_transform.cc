// SPDX-License-Identifier: Apache-2.0
// A generator of images, as add-on libraries write it: a functor over devices,
// output.device(d) = output.generate(...), several dtypes, checks of shapes.
#define EIGEN_USE_THREADS

#if GOOGLE_CUDA
#define EIGEN_USE_GPU
#endif  // GOOGLE_CUDA

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow {
namespace addons {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace generator {

enum Interpolation { NEAREST, BILINEAR };

using Eigen::array;
using Eigen::DenseIndex;

template <typename Device, typename T>
class ShiftGenerator {
 private:
  typename TTypes<T, 4>::ConstTensor input_;
  typename TTypes<float>::ConstMatrix shifts_;
  const Interpolation interpolation_;

 public:
  EIGEN_DEVICE_FUNC EIGEN_ALWAYS_INLINE
  ShiftGenerator(typename TTypes<T, 4>::ConstTensor input,
                 typename TTypes<float>::ConstMatrix shifts,
                 const Interpolation interpolation)
      : input_(input), shifts_(shifts), interpolation_(interpolation) {}

  EIGEN_DEVICE_FUNC EIGEN_ALWAYS_INLINE T
  operator()(const array<DenseIndex, 4>& coords) const {
    const int64 batch = coords[0];
    const float y = coords[1] + shifts_(batch, 0);
    const float x = coords[2] + shifts_(batch, 1);
    const T fill_value = T(0);
    switch (interpolation_) {
      case NEAREST:
        return Read(batch, DenseIndex(std::round(y)), DenseIndex(std::round(x)),
                    coords[3], fill_value);
      case BILINEAR: {
        const float y_floor = std::floor(y), x_floor = std::floor(x);
        const float a = Read(batch, y_floor, x_floor, coords[3], fill_value);
        const float b =
            Read(batch, y_floor, x_floor + 1, coords[3], fill_value);
        return T(a * (x_floor + 1 - x) + b * (x - x_floor));
      }
    }
    return fill_value;
  }

 private:
  EIGEN_DEVICE_FUNC EIGEN_ALWAYS_INLINE T Read(const DenseIndex batch,
                                               const DenseIndex y,
                                               const DenseIndex x,
                                               const DenseIndex channel,
                                               const T fill_value) const {
    return (0 <= y && y < input_.dimension(1) && 0 <= x &&
            x < input_.dimension(2))
               ? input_(array<DenseIndex, 4>{batch, y, x, channel})
               : fill_value;
  }
};

}  // end namespace generator

namespace functor {

using generator::Interpolation;
using generator::ShiftGenerator;

template <typename Device, typename T>
struct FillShiftedImage {
  typedef typename TTypes<T, 4>::Tensor OutputType;
  typedef typename TTypes<T, 4>::ConstTensor InputType;
  const Interpolation interpolation;

  explicit FillShiftedImage(Interpolation interpolation)
      : interpolation(interpolation) {}

  void operator()(const Device& device, OutputType* output,
                  const InputType& images,
                  typename TTypes<float>::ConstMatrix shifts) const {
    output->device(device) = output->generate(
        ShiftGenerator<Device, T>(images, shifts, interpolation));
  }
};

}  // end namespace functor

REGISTER_OP("Corpus>ImageShift")
    .Input("images: dtype")
    .Input("shifts: float32")
    .Attr("dtype: {uint8, int32, float32, float64}")
    .Attr("interpolation: string")
    .Output("shifted_images: dtype")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle images, shifts;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &shifts));
      DimensionHandle two, batch;
      TF_RETURN_IF_ERROR(c->WithValue(c->Dim(shifts, 1), 2, &two));
      TF_RETURN_IF_ERROR(
          c->Merge(c->Dim(images, 0), c->Dim(shifts, 0), &batch));
      c->set_output(0, images);
      return OkStatus();
    })
    .Doc(R"doc(Shifts images.)doc");

using functor::FillShiftedImage;
using generator::Interpolation;

template <typename Device, typename T>
class ImageShiftOp : public OpKernel {
 private:
  Interpolation interpolation_;

 public:
  explicit ImageShiftOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string interpolation_str;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("interpolation", &interpolation_str));
    if (interpolation_str == "NEAREST") {
      interpolation_ = Interpolation::NEAREST;
    } else if (interpolation_str == "BILINEAR") {
      interpolation_ = Interpolation::BILINEAR;
    } else {
      LOG(ERROR) << "Invalid interpolation " << interpolation_str
                 << ". Supported types: NEAREST, BILINEAR";
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images_t = ctx->input(0);
    const Tensor& shifts_t = ctx->input(1);
    OP_REQUIRES(ctx, images_t.shape().dims() == 4,
                errors::InvalidArgument("Input images must have rank 4"));
    OP_REQUIRES(
        ctx,
        (TensorShapeUtils::IsMatrix(shifts_t.shape()) &&
         shifts_t.dim_size(0) == images_t.dim_size(0) &&
         shifts_t.dim_size(1) == 2),
        errors::InvalidArgument("Input shifts should be num_images x 2, got ",
                                shifts_t.shape().DebugString()));
    Tensor* output_t;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, images_t.shape(), &output_t));
    auto output = output_t->tensor<T, 4>();
    auto images = images_t.tensor<T, 4>();
    (FillShiftedImage<Device, T>(interpolation_))(
        ctx->eigen_device<Device>(), &output, images, shifts_t.matrix<float>());
  }
};

using CPUDevice = Eigen::ThreadPoolDevice;

#define REGISTER(TYPE)                                        \
  REGISTER_KERNEL_BUILDER(Name("Corpus>ImageShift")           \
                              .Device(DEVICE_CPU)             \
                              .TypeConstraint<TYPE>("dtype"), \
                          ImageShiftOp<CPUDevice, TYPE>)
TF_CALL_uint8(REGISTER);
TF_CALL_int32(REGISTER);
TF_CALL_float(REGISTER);
TF_CALL_double(REGISTER);
#undef REGISTER

}  // namespace addons
}  // namespace tensorflow
