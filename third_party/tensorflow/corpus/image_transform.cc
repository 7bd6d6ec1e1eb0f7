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

// A pixel of the shifted images, for Eigen's generate(): the pixel `shifts`
// [batch, (rows, columns)] away, with 0 around the image.  BILINEAR is linear
// along columns, and takes the row below.
template <typename Device, typename T>
class ShiftGenerator {
 public:
  using Coordinates = Eigen::array<Eigen::DenseIndex, 4>;

  EIGEN_DEVICE_FUNC ShiftGenerator(typename TTypes<T, 4>::ConstTensor images,
                                   typename TTypes<float>::ConstMatrix shifts,
                                   Interpolation interpolation)
      : images_(images), shifts_(shifts), interpolation_(interpolation) {}

  EIGEN_DEVICE_FUNC EIGEN_ALWAYS_INLINE T
  operator()(const Coordinates& to) const {
    const float row = to[1] + shifts_(to[0], 0);
    const float column = to[2] + shifts_(to[0], 1);
    if (interpolation_ == NEAREST) {
      return Pixel(to, std::round(row), std::round(column));
    }
    const float left = std::floor(column), share = column - left;
    const float above = std::floor(row);
    return T(Pixel(to, above, left) * (1 - share) +
             Pixel(to, above, left + 1) * share);
  }

 private:
  EIGEN_DEVICE_FUNC EIGEN_ALWAYS_INLINE T Pixel(Coordinates at, float row,
                                                float column) const {
    at[1] = Eigen::DenseIndex(row);
    at[2] = Eigen::DenseIndex(column);
    for (int dim = 1; dim <= 2; ++dim) {
      if (at[dim] < 0 || at[dim] >= images_.dimension(dim)) return T(0);
    }
    return images_(at);
  }

  typename TTypes<T, 4>::ConstTensor images_;
  typename TTypes<float>::ConstMatrix shifts_;
  const Interpolation interpolation_;
};

}  // end namespace generator

namespace functor {

// Members hold the attributes, operator() gets what is of the call: so that a
// device may have a specialisation of its own.
template <typename Device, typename T>
struct FillShiftedImage {
  typedef generator::ShiftGenerator<Device, T> Generator;
  const generator::Interpolation interpolation;

  void operator()(const Device& device, typename TTypes<T, 4>::Tensor* shifted,
                  const typename TTypes<T, 4>::ConstTensor& images,
                  typename TTypes<float>::ConstMatrix shifts) const {
    shifted->device(device) =
        shifted->generate(Generator(images, shifts, interpolation));
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

template <typename Device, typename T>
class ImageShiftOp : public OpKernel {
 public:
  explicit ImageShiftOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string name;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("interpolation", &name));
    OP_REQUIRES(ctx, name == "NEAREST" || name == "BILINEAR",
                errors::InvalidArgument(
                    "interpolation must be NEAREST or BILINEAR, got ", name));
    interpolation_ =
        name == "NEAREST" ? generator::NEAREST : generator::BILINEAR;
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);
    const Tensor& shifts = ctx->input(1);
    OP_REQUIRES(ctx, images.dims() == 4,
                errors::InvalidArgument("images must have rank 4, got ",
                                        images.shape().DebugString()));
    const TensorShape pairs({images.dim_size(0), 2});
    OP_REQUIRES(
        ctx, shifts.shape() == pairs,
        errors::InvalidArgument("shifts must be ", pairs.DebugString(),
                                ", got ", shifts.shape().DebugString()));
    Tensor* shifted = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, images.shape(), &shifted));
    auto filled = shifted->tensor<T, 4>();
    const functor::FillShiftedImage<Device, T> fill{interpolation_};
    fill(ctx->eigen_device<Device>(), &filled, images.tensor<T, 4>(),
         shifts.matrix<float>());
  }

 private:
  generator::Interpolation interpolation_ = generator::NEAREST;
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
