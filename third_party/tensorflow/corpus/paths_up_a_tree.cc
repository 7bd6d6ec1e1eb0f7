// SPDX-License-Identifier: Apache-2.0
// From nodes of trees to their roots: a functor of devices that is declared in
// one place and specialised in another, behind its use; errors of threads.
#define EIGEN_USE_THREADS

#include <memory>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/platform/types.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {

class OpKernelContext;
typedef Eigen::ThreadPoolDevice CPUDevice;

namespace functor {
// paths[i, j, k]: the k-th node on the way from leaves[i, j], -1 behind the
// root.
template <typename Device, typename T>
struct CorpusClimb {
  void operator()(OpKernelContext* context, const Device& device,
                  typename TTypes<T>::ConstVec parents,
                  typename TTypes<T, 2>::ConstTensor leaves,
                  typename TTypes<T, 3>::Tensor paths);
};
}  // namespace functor

REGISTER_OP("CorpusClimb")
    .Attr("T: {int32}")
    .Attr("depth: int >= 1")
    .Input("parents: T")
    .Input("leaves: T")
    .Output("paths: T")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle parents, leaves, paths;
      int64 depth;
      TF_RETURN_IF_ERROR(c->GetAttr("depth", &depth));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &parents));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &leaves));
      TF_RETURN_IF_ERROR(c->Concatenate(leaves, c->Vector(depth), &paths));
      c->set_output(0, paths);
      return tensorflow::Status::OK();
    });

template <typename Device, typename T>
class ClimbOp : public OpKernel {
 public:
  explicit ClimbOp(OpKernelConstruction* construction)
      : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("depth", &depth_));
  }

  void Compute(OpKernelContext* context) override {
    typename TTypes<T>::ConstVec parents = context->input(0).vec<T>();
    const Tensor& leaves = context->input(1);
    TensorShape shape = leaves.shape();
    shape.AddDim(depth_);
    Tensor* paths;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &paths));
    typename TTypes<T, 3>::Tensor out = paths->tensor<T, 3>();
    functor::CorpusClimb<Device, T>()(context, context->eigen_device<Device>(),
                                      parents, leaves.tensor<T, 2>(), out);
  }

 private:
  int64 depth_;
};

REGISTER_KERNEL_BUILDER(
    Name("CorpusClimb").Device(DEVICE_CPU).TypeConstraint<int32>("T"),
    ClimbOp<CPUDevice, int32>);

namespace functor {

template <>
struct CorpusClimb<CPUDevice, int32> {
  void operator()(OpKernelContext* context, const CPUDevice& device,
                  TTypes<int32>::ConstVec parents,
                  TTypes<int32, 2>::ConstTensor leaves,
                  TTypes<int32, 3>::Tensor paths) {
    paths.device(device) = paths.constant(-1);
    const int64 columns = leaves.dimension(1), depth = paths.dimension(2);
    auto climb = [=](int64 begin, int64 end) mutable {
      for (int64 leaf = begin; leaf < end; ++leaf) {
        const int64 row = leaf / columns, column = leaf % columns;
        int32 node = internal::SubtleMustCopy(leaves(row, column));
        for (int64 k = 0; k < depth && node != -1; ++k) {
          if (!FastBoundsCheck(node, parents.size())) {
            context->SetStatus(errors::InvalidArgument("there is no node ",
                                                       node, " above leaf (",
                                                       row, ", ", column, ")"));
            return;
          }
          paths(row, column, k) = node;
          node = internal::SubtleMustCopy(parents(node));
        }
      }
    };
    const DeviceBase::CpuWorkerThreads threads =
        *context->device()->tensorflow_cpu_worker_threads();
    Shard(threads.num_threads, threads.workers, leaves.size(),
          Eigen::numext::maxi<int64>(depth, 5), climb);
  }
};

}  // namespace functor

}  // end namespace tensorflow
