// SPDX-License-Identifier: Apache-2.0
// TF_CALL_* over all types, half, bfloat16, complex and quantized numbers.
#define EIGEN_USE_THREADS

#include <complex>
#include <limits>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/type_traits.h"
#include "tensorflow/core/framework/types.h"

namespace tensorflow {

REGISTER_OP("CorpusCopy")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("CorpusLowest")
    .Input("x: T")
    .Output("lowest: T")
    .Output("facts: double")
    .Attr("T: {half, bfloat16, float, double, int32, int64}")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->Scalar());
      c->set_output(1, c->Vector(3));
      return Status::OK();
    });

template <typename T>
class CorpusCopyOp : public OpKernel {
 public:
  explicit CorpusCopyOp(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* c) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, c->input(0).shape(), &y));
    auto from = c->input(0).template flat<T>();
    auto to = y->template flat<T>();
    for (int64 i = 0; i < from.size(); ++i) to(i) = from(i);
  }
};

#define REGISTER_COPY(type)                                            \
  REGISTER_KERNEL_BUILDER(                                             \
      Name("CorpusCopy").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
      CorpusCopyOp<type>)
TF_CALL_ALL_TYPES(REGISTER_COPY);
TF_CALL_QUANTIZED_TYPES(REGISTER_COPY);
#undef REGISTER_COPY

template <typename T>
class CorpusLowestOp : public OpKernel {
 public:
  explicit CorpusLowestOp(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* c) override {
    const auto x = c->input(0).flat<T>();
    Tensor *lowest, *facts;
    OP_REQUIRES_OK(c, c->allocate_output(0, TensorShape({}), &lowest));
    OP_REQUIRES_OK(c, c->allocate_output(1, TensorShape({3}), &facts));
    T best = Eigen::NumTraits<T>::highest();
    for (int64 i = 0; i < x.size(); ++i) best = Eigen::numext::mini(best, x(i));
    lowest->scalar<T>()() = best;
    auto f = facts->vec<double>();
    f(0) = static_cast<double>(best);
    f(1) = static_cast<double>(static_cast<float>(T(2)) + 0.5f);
    f(2) = DataTypeIsFloating(DataTypeToEnum<T>::v()) +
           std::numeric_limits<T>::is_integer * 10 +
           is_simple_type<T>::value * 100;
  }
};

#define REGISTER_LOWEST(type)                                            \
  REGISTER_KERNEL_BUILDER(                                               \
      Name("CorpusLowest").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
      CorpusLowestOp<type>)
TF_CALL_half(REGISTER_LOWEST);
TF_CALL_bfloat16(REGISTER_LOWEST);
TF_CALL_GPU_NUMBER_TYPES_NO_HALF(REGISTER_LOWEST);
TF_CALL_int32(REGISTER_LOWEST);
TF_CALL_int64(REGISTER_LOWEST);
#undef REGISTER_LOWEST

static_assert(IsValidDataType<Eigen::half>::value, "half");
static_assert(DataTypeToEnum<complex64>::v() == DT_COMPLEX64, "complex64");
static_assert(std::is_same<EnumToDataType<DT_INT64>::Type, int64>::value,
              "int64");
static_assert(is_quantized<quint8>::value && is_complex<complex128>::value,
              "traits");

}  // namespace tensorflow
