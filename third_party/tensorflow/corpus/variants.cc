// SPDX-License-Identifier: Apache-2.0
// DT_VARIANT: a value with Encode and Decode, in and out of a tensor.
#include <string>
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_encode_decode.h"
#include "tensorflow/core/framework/variant_tensor_data.h"

namespace tensorflow {

struct CorpusPair {
  CorpusPair() = default;
  CorpusPair(Tensor a, int64 n) : a(std::move(a)), n(n) {}

  static const char kTypeName[];
  string TypeName() const { return kTypeName; }
  void Encode(VariantTensorData* data) const {
    data->set_type_name(TypeName());
    data->set_metadata(n);
    *data->add_tensors() = a;
  }
  bool Decode(const VariantTensorData& data) {
    if (data.tensors_size() != 1 || !data.get_metadata(&n)) return false;
    a = data.tensors(0);
    return true;
  }
  string DebugString() const { return strings::StrCat("pair of ", n); }

  Tensor a;
  int64 n = 0;
};
const char CorpusPair::kTypeName[] = "tensorflow::CorpusPair";

REGISTER_OP("CorpusPairMake")
    .Input("a: float")
    .Input("n: int64")
    .Output("pair: variant")
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("CorpusPairTake")
    .Input("pair: variant")
    .Output("a: float")
    .Output("n: int64")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->UnknownShape());
      c->set_output(1, c->Scalar());
      return Status::OK();
    });

class CorpusPairMakeOp : public OpKernel {
 public:
  explicit CorpusPairMakeOp(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    AllocatorAttributes attr;
    attr.set_on_host(true);
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out, attr));
    CorpusPair pair{ctx->input(0), ctx->input(1).scalar<int64>()()};
    out->scalar<Variant>()() = std::move(pair);
    Variant empty;
    CHECK(empty.is_empty());
    VariantTensorData data;
    out->scalar<Variant>()().get<CorpusPair>()->Encode(&data);
    CorpusPair back;
    OP_REQUIRES(ctx,
                back.Decode(data) && back.n == data.tensors_size() * back.n,
                errors::Internal("Decode"));
  }
};

class CorpusPairTakeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Variant& v = ctx->input(0).scalar<Variant>()();
    const CorpusPair* pair = v.get<CorpusPair>();
    OP_REQUIRES(ctx, pair != nullptr,
                errors::InvalidArgument("not a pair: ", v.DebugString()));
    ctx->set_output(0, pair->a);
    Tensor* n;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({}), &n));
    n->scalar<int64>()() = pair->n;
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusPairMake").Device(DEVICE_CPU),
                        CorpusPairMakeOp);
REGISTER_KERNEL_BUILDER(Name("CorpusPairTake").Device(DEVICE_CPU),
                        CorpusPairTakeOp);

}  // namespace tensorflow
