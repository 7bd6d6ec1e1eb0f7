// SPDX-License-Identifier: Apache-2.0
// References: mutable_input, input_ref_mutex, OpMutableInputList,
// forward_ref_input_to_ref_output, replace_ref_input.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/types.h"
#include "tensorflow/core/util/util.h"

namespace tensorflow {
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

REGISTER_OP("CorpusScatterScale")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("scale: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle var_shape;
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &var_shape));
      c->set_output(0, var_shape);
      return Status::OK();
    });

REGISTER_OP("CorpusSwapRefs").Input("refs: Ref(N * float)").Attr("N: int");
REGISTER_OP("CorpusReplaceRef")
    .Input("ref: Ref(float)")
    .Input("value: float")
    .Output("out: Ref(float)")
    .SetAllowsUninitializedInput();

namespace functor {
// Multiplies rows of `params`, once each time that `indices` names them.
// Returns the place of the first index that is no row; -1 if all are rows.
template <typename T, typename Index>
struct ScatterScale {
  Index operator()(typename TTypes<T>::Matrix params,
                   typename TTypes<Index>::ConstFlat indices, T scale) {
    const auto row_count = static_cast<Index>(params.dimension(0));
    const auto count = static_cast<Index>(indices.size());
    Index at = 0;
    while (at < count) {
      // Another op may write to the indices meanwhile: they are read once.
      const Index row = internal::SubtleMustCopy(indices(at));
      if (!FastBoundsCheck(row, row_count)) return at;
      auto values = params.template chip<0>(row);
      values = values * scale;
      ++at;
    }
    return -1;
  }
};
}  // namespace functor

template <typename T, typename Index>
class ScatterScaleOp : public OpKernel {
 public:
  explicit ScatterScaleOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("use_locking", &locks_));
    OP_REQUIRES_OK(c, c->MatchSignature(
                          {DataTypeToEnum<T>::ref(), DataTypeToEnum<Index>::v(),
                           DataTypeToEnum<T>::v()},
                          {DataTypeToEnum<T>::ref()}));
  }

  void Compute(OpKernelContext* c) override {
    if (!locks_) return Scale(c);
    mutex_lock held(*c->input_ref_mutex(0));
    Scale(c);
  }

 private:
  void Scale(OpKernelContext* c) {
    Tensor variable = c->mutable_input(0, /*lock_held=*/locks_);
    OP_REQUIRES(c, variable.IsInitialized(),
                errors::FailedPrecondition("ref has no value yet"));
    // Forwarded first: no error of the values may lose the reference.
    c->forward_ref_input_to_ref_output(0, 0);
    const Tensor& indices = c->input(1);
    const auto rows = indices.flat<Index>();
    const T scale = c->input(2).scalar<T>()();
    const Index wrong = functor::ScatterScale<T, Index>()(
        variable.flat_outer_dims<T>(), rows, scale);
    OP_REQUIRES(c, wrong < 0,
                errors::InvalidArgument(
                    "indices", SliceDebugString(indices.shape(), wrong), " = ",
                    rows(wrong), " is not in [0, ", variable.dim_size(0), ")"));
  }

  bool locks_ = false;
};

#define REGISTER_SCATTER_INDEX(type, index_type)                       \
  REGISTER_KERNEL_BUILDER(Name("CorpusScatterScale")                   \
                              .Device(DEVICE_CPU)                      \
                              .TypeConstraint<type>("T")               \
                              .TypeConstraint<index_type>("Tindices"), \
                          ScatterScaleOp<type, index_type>)
#define REGISTER_SCATTER(type)         \
  REGISTER_SCATTER_INDEX(type, int32); \
  REGISTER_SCATTER_INDEX(type, int64);
TF_CALL_float(REGISTER_SCATTER);
TF_CALL_double(REGISTER_SCATTER);
#undef REGISTER_SCATTER
#undef REGISTER_SCATTER_INDEX

class SwapRefsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    OpMutableInputList refs;
    OP_REQUIRES_OK(ctx, ctx->mutable_input_list("refs", &refs));
    for (int i = 0; i + 1 < refs.size(); i += 2) {
      mutex_lock first(*refs.ref_mutex(i));
      mutex_lock second(*refs.ref_mutex(i + 1));
      Tensor a = refs.at(i, true), b = refs.at(i + 1, true);
      OP_REQUIRES(ctx, a.IsSameSize(b), errors::InvalidArgument("sizes"));
      for (int64 k = 0; k < a.NumElements(); ++k) {
        std::swap(a.flat<float>()(k), b.flat<float>()(k));
      }
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusSwapRefs").Device(DEVICE_CPU), SwapRefsOp);

class ReplaceRefOp : public OpKernel {
 public:
  explicit ReplaceRefOp(OpKernelConstruction* c) : OpKernel(c) {}
  bool IsExpensive() override { return false; }
  void Compute(OpKernelContext* ctx) override {
    CHECK(ctx->input_is_ref(0));
    mutex_lock l(*ctx->input_ref_mutex(0));
    ctx->replace_ref_input(0, ctx->input(1), /*lock_held=*/true);
    ctx->forward_ref_input_to_ref_output(0, 0);
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusReplaceRef").Device(DEVICE_CPU),
                        ReplaceRefOp);

}  // namespace tensorflow
