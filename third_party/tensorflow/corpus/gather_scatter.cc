// SPDX-License-Identifier: Apache-2.0
// Functors of TensorFlow's own kernels that others reuse.
#define EIGEN_USE_THREADS

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/kernels/dense_update_functor.h"
#include "tensorflow/core/kernels/fill_functor.h"
#include "tensorflow/core/kernels/gather_functor.h"
#include "tensorflow/core/kernels/scatter_functor.h"
#include "tensorflow/core/kernels/transpose_functor.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

using CPUDevice = Eigen::ThreadPoolDevice;

REGISTER_OP("CorpusGatherScatter")
    .Input("params: T")
    .Input("indices: Tindices")
    .Output("gathered: T")
    .Output("summed: T")
    .Output("turned: T")
    .Output("filled: T")
    .Attr("T: {float, int32}")
    .Attr("Tindices: {int32, int64}");

template <typename Device, typename T, typename Index>
class CorpusGatherScatterOp : public OpKernel {
 public:
  explicit CorpusGatherScatterOp(OpKernelConstruction* c) : OpKernel(c) {}

  void Compute(OpKernelContext* c) override {
    const Tensor& params = c->input(0);
    const Tensor& indices = c->input(1);
    OP_REQUIRES(c, TensorShapeUtils::IsMatrix(params.shape()),
                errors::InvalidArgument("params must be a matrix"));
    const int64 rows = params.dim_size(0), cols = params.dim_size(1);
    const int64 n = indices.NumElements();
    const Device& d = c->eigen_device<Device>();
    Tensor *gathered = nullptr, *summed = nullptr, *turned = nullptr,
           *filled = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, TensorShape({n, cols}), &gathered));
    OP_REQUIRES_OK(c, c->allocate_output(1, params.shape(), &summed));
    OP_REQUIRES_OK(c,
                   c->allocate_output(2, TensorShape({cols, rows}), &turned));
    OP_REQUIRES_OK(c, c->allocate_output(3, TensorShape({2}), &filled));

    functor::GatherFunctor<Device, T, Index> gather;
    const int64 bad_i =
        gather(c, params.shaped<T, 3>({1, rows, cols}), indices.flat<Index>(),
               gathered->shaped<T, 3>({1, n, cols}));
    OP_REQUIRES(c, bad_i < 0,
                errors::InvalidArgument("indices[", bad_i, "] is not in [0, ",
                                        rows, ")"));
    functor::SetZeroFunctor<Device, T> fill;
    fill(d, summed->flat<T>());
    functor::ScatterFunctor<Device, T, Index, scatter_op::UpdateOp::ADD> add;
    const Index bad = add(c, d, summed->matrix<T>(),
                          const_cast<const Tensor*>(gathered)->matrix<T>(),
                          indices.flat<Index>());
    OP_REQUIRES(c, bad < 0, errors::Internal("bad index at ", bad));
    functor::DenseUpdate<Device, T, ADD> update;
    update(d, summed->flat<T>(), params.flat<T>());
    OP_REQUIRES_OK(c, DoTranspose(d, params, {1, 0}, turned));
    functor::SetOneFunctor<Device, T>()(d, filled->flat<T>());
    Tensor seven(T(7));
    functor::FillFunctor<Device, T>()(
        d, filled->flat<T>(), const_cast<const Tensor*>(&seven)->scalar<T>());
  }
};

#define REGISTER(T, I)                                        \
  REGISTER_KERNEL_BUILDER(Name("CorpusGatherScatter")         \
                              .Device(DEVICE_CPU)             \
                              .TypeConstraint<T>("T")         \
                              .TypeConstraint<I>("Tindices"), \
                          CorpusGatherScatterOp<CPUDevice, T, I>)
REGISTER(float, int32);
REGISTER(float, int64);
REGISTER(int32, int32);
REGISTER(int32, int64);
#undef REGISTER

}  // namespace tensorflow
