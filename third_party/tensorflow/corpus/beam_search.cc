// SPDX-License-Identifier: Apache-2.0
// Tracing beams, with device functors declared in one place and specialised in
// another, CHECKs of ranges, lookups on all types of a list.
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

namespace functor {
template <typename Device, typename T>
struct CorpusGatherTree {
  void operator()(OpKernelContext* ctx, const Device& d,
                  typename TTypes<T, 3>::ConstTensor step_ids,
                  typename TTypes<T, 3>::ConstTensor parent_ids,
                  TTypes<int32>::ConstVec max_sequence_lengths,
                  const T end_token, typename TTypes<T, 3>::Tensor beams);
};
}  // namespace functor

REGISTER_OP("CorpusGatherTree")
    .Input("step_ids: T")
    .Input("parent_ids: T")
    .Input("max_sequence_lengths: int32")
    .Input("end_token: T")
    .Output("beams: T")
    .Attr("T: {int32}")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle step_ids, parent_ids, max_sequence_lengths,
          end_token;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &step_ids));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &parent_ids));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &max_sequence_lengths));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(3), 0, &end_token));
      TF_RETURN_IF_ERROR(c->Merge(step_ids, parent_ids, &step_ids));
      shape_inference::DimensionHandle batch_size = c->Dim(step_ids, 1);
      TF_RETURN_IF_ERROR(
          c->Merge(batch_size, c->Dim(max_sequence_lengths, 0), &batch_size));
      c->set_output(0, step_ids);
      return tensorflow::Status::OK();
    });

typedef Eigen::ThreadPoolDevice CPUDevice;

template <typename Device, typename T>
class CorpusGatherTreeOp : public OpKernel {
 public:
  explicit CorpusGatherTreeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}

  void Compute(OpKernelContext* ctx) override {
    const Device& device = ctx->eigen_device<Device>();
    const Tensor& step_ids = ctx->input(0);
    const Tensor& parent_ids = ctx->input(1);
    const Tensor& max_sequence_lengths = ctx->input(2);
    const Tensor& end_token = ctx->input(3);
    const TensorShape& step_ids_shape = step_ids.shape();
    OP_REQUIRES(
        ctx, step_ids_shape.dims() == 3,
        errors::InvalidArgument("step_ids must be a 3-tensor, saw shape: ",
                                step_ids_shape.DebugString()));
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(end_token.shape()),
                errors::InvalidArgument("end_token must be a scalar, saw: ",
                                        end_token.shape().DebugString()));
    Tensor* beams;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, step_ids_shape, &beams));
    typename TTypes<T, 3>::ConstTensor step_ids_t = step_ids.tensor<T, 3>();
    typename TTypes<T, 3>::ConstTensor parent_ids_t = parent_ids.tensor<T, 3>();
    auto max_seq_lens = max_sequence_lengths.vec<int32>();
    typename TTypes<T>::ConstScalar end_token_t = end_token.scalar<T>();
    typename TTypes<T, 3>::Tensor beams_t = beams->tensor<T, 3>();
    functor::CorpusGatherTree<Device, T>()(ctx, device, step_ids_t,
                                           parent_ids_t, max_seq_lens,
                                           end_token_t(), beams_t);
  }
};

#define REGISTER_KERNEL(T)                                                \
  REGISTER_KERNEL_BUILDER(                                                \
      Name("CorpusGatherTree").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      CorpusGatherTreeOp<CPUDevice, T>);
REGISTER_KERNEL(int32);
#undef REGISTER_KERNEL

namespace functor {

template <>
struct CorpusGatherTree<CPUDevice, int32> {
  void operator()(OpKernelContext* ctx, const CPUDevice& d,
                  TTypes<int32, 3>::ConstTensor step_ids,
                  TTypes<int32, 3>::ConstTensor parent_ids,
                  TTypes<int32>::ConstVec max_sequence_lengths,
                  const int32 end_token, TTypes<int32, 3>::Tensor beams) {
    const int32 max_time = parent_ids.dimension(0);
    const int32 batch_size = parent_ids.dimension(1);
    const int32 beam_width = parent_ids.dimension(2);
    beams.setConstant(end_token);
    auto DoWork = [&, ctx, end_token](int start_batch_beam,
                                      int limit_batch_beam) {
      for (int32 i = start_batch_beam; i < limit_batch_beam; ++i) {
        const int32 batch = i / beam_width;
        const int32 beam = i % beam_width;
        const int32 max_seq_len = Eigen::numext::mini(
            max_time, internal::SubtleMustCopy(max_sequence_lengths(batch)));
        if (max_seq_len <= 0) continue;
        beams(max_seq_len - 1, batch, beam) =
            step_ids(max_seq_len - 1, batch, beam);
        int32 parent =
            internal::SubtleMustCopy(parent_ids(max_seq_len - 1, batch, beam));
        for (int32 level = max_seq_len - 2; level >= 0; --level) {
          if (parent < 0 || parent >= beam_width) {
            ctx->SetStatus(
                errors::InvalidArgument("Saw invalid parent id ", parent,
                                        " at (batch, time, beam) == (", batch,
                                        ", ", level, ", ", beam, ")"));
            return;
          }
          beams(level, batch, beam) = step_ids(level, batch, parent);
          parent = internal::SubtleMustCopy(parent_ids(level, batch, parent));
        }
      }
    };
    auto worker_threads = *(ctx->device()->tensorflow_cpu_worker_threads());
    Shard(worker_threads.num_threads, worker_threads.workers,
          batch_size * beam_width, max_time * 5, DoWork);
  }
};

}  // namespace functor

}  // end namespace tensorflow
