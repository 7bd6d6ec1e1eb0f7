// SPDX-License-Identifier: Apache-2.0
// OP_REQUIRES* with and without a semicolon, behind an `if`, before an `else`,
// in lambdas and in helpers that get the context.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/platform/macros.h"

namespace tensorflow {
namespace {

void CheckVector(OpKernelContext* ctx, const Tensor& t){
    OP_REQUIRES(ctx, t.dims() == 1,
                errors::InvalidArgument("want a vector, got shape ",
                                        t.shape().DebugString()))}

Status Twice(int64 n, int64* out) {
  if (TF_PREDICT_FALSE(n < 0)) return errors::OutOfRange("negative: ", n);
  *out = 2 * n;
  return Status::OK();
}

class MacrosOp : public OpKernel {
 public:
  explicit MacrosOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("mode", &mode_))
    OP_REQUIRES(c, mode_ == "sum" || mode_ == "max",
                errors::InvalidArgument("mode is ", mode_))
    OP_REQUIRES_OK(c, c->MatchSignature({DT_INT64}, {DT_INT64}));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    CheckVector(ctx, x);
    if (!ctx->status().ok()) return;

    if (mode_ == "sum")
      OP_REQUIRES(ctx, x.NumElements() < 1000,
                  errors::ResourceExhausted("too many to sum"))
    else
      OP_REQUIRES(ctx, x.NumElements() > 0,
                  errors::FailedPrecondition("max of nothing"));

    Tensor* y;
    if (x.NumElements() == 0)
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &y))
    else
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &y));

    int64 result = 0;
    auto v = x.vec<int64>();
    for (int64 i = 0; i < v.size(); ++i) {
      result = mode_ == "sum" ? result + v(i) : std::max<int64>(result, v(i));
    }
    int64 twice;
    OP_REQUIRES_OK(ctx, Twice(result, &twice));
    auto write = [&]() {
      OP_REQUIRES(ctx, twice % 2 == 0, errors::Internal("odd"));
      y->scalar<int64>()() = twice;
    };
    write();
  }

 private:
  string mode_;
  TF_DISALLOW_COPY_AND_ASSIGN(MacrosOp);
};

REGISTER_KERNEL_BUILDER(Name("CorpusMacros").Device(DEVICE_CPU), MacrosOp)

}  // namespace

REGISTER_OP("CorpusMacros")
    .Input("x: int64")
    .Output("y: int64")
    .Attr("mode: {'sum', 'max', 'min'} = 'sum'")
    .SetShapeFn(shape_inference::ScalarShape);

}  // namespace tensorflow
