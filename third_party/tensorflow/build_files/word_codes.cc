// SPDX-License-Identifier: Apache-2.0
// Words, split and told by their fingerprints.
#include <iostream>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/platform/fingerprint.h"

namespace tensorflow {

REGISTER_OP("BuiltWordCodes")
    .Input("text: string")
    .Output("words: string")
    .Output("codes: int64")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      for (int i = 0; i < 2; ++i) {
        c->set_output(
            i, c->Vector(shape_inference::InferenceContext::kUnknownDim));
      }
      return Status::OK();
    });

class WordCodesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor* text;
    OP_REQUIRES_OK(ctx, ctx->input("text", &text));
    OP_REQUIRES(ctx, TensorShapeUtils::IsScalar(text->shape()),
                errors::InvalidArgument("text must be a scalar, got ",
                                        text->shape().DebugString()));
    const std::vector<string> found =
        str_util::Split(text->scalar<string>()(), " \n", str_util::SkipEmpty());
    const int64 n = found.size();
    Tensor *words, *codes;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output("words", TensorShape({n}), &words));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output("codes", TensorShape({n}), &codes));
    for (int64 i = 0; i < n; ++i) {
      words->vec<string>()(i) = found[i];
      codes->vec<int64>()(i) = Fingerprint64(found[i]) & kint32max;
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("BuiltWordCodes").Device(DEVICE_CPU), WordCodesOp);

}  // namespace tensorflow
