// SPDX-License-Identifier: Apache-2.0
// Ops on a type of the author's in variants: decoding, zeros, sums, shapes and
// copies between devices, in both spellings of the macros.
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_encode_decode.h"
#include "tensorflow/core/framework/variant_op_registry.h"
#include "tensorflow/core/framework/variant_tensor_data.h"

namespace tensorflow {
namespace {

// Coefficients of a polynomial, the constant first.
struct CorpusPolynomial {
  std::vector<float> terms;

  string TypeName() const { return "corpus::Polynomial"; }
  void Encode(VariantTensorData* data) const {
    Tensor t(DT_FLOAT, TensorShape({static_cast<int64>(terms.size())}));
    for (size_t i = 0; i < terms.size(); ++i) t.vec<float>()(i) = terms[i];
    *data->add_tensors() = t;
  }
  bool Decode(VariantTensorData data) {
    if (data.tensors_size() != 1 || data.tensors(0).dims() != 1) return false;
    const auto values = data.tensors(0).vec<float>();
    terms.assign(values.data(), values.data() + values.size());
    return true;
  }
  string DebugString() const {
    return strings::StrCat("polynomial of ", terms.size(), " terms");
  }
};

Status ZerosLikePolynomial(OpKernelContext*, const CorpusPolynomial& p,
                           CorpusPolynomial* out) {
  out->terms.assign(p.terms.size(), 0.0f);
  return Status::OK();
}

Status AddPolynomials(OpKernelContext*, const CorpusPolynomial& a,
                      const CorpusPolynomial& b, CorpusPolynomial* out) {
  if (a.terms.size() != b.terms.size()) {
    return errors::InvalidArgument("polynomials of ", a.terms.size(), " and ",
                                   b.terms.size(), " terms");
  }
  for (size_t i = 0; i < a.terms.size(); ++i) {
    out->terms.push_back(a.terms[i] + b.terms[i]);
  }
  return Status::OK();
}

Status ShapeOfPolynomial(const CorpusPolynomial& p, TensorShape* shape) {
  *shape = TensorShape({static_cast<int64>(p.terms.size())});
  return Status::OK();
}

Status CopyPolynomial(
    const CorpusPolynomial& from, CorpusPolynomial* to,
    const UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn& copy) {
  VariantTensorData data;
  from.Encode(&data);
  Tensor copied;
  TF_RETURN_IF_ERROR(copy(data.tensors(0), &copied));
  VariantTensorData back;
  *back.add_tensors() = copied;
  if (!to->Decode(back)) return errors::Internal("CopyPolynomial");
  return Status::OK();
}

REGISTER_UNARY_VARIANT_DECODE_FUNCTION(CorpusPolynomial, "corpus::Polynomial");
REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP,
                                         DEVICE_CPU, CorpusPolynomial,
                                         ZerosLikePolynomial);
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU,
                                          CorpusPolynomial,
                                          "corpus::Polynomial", AddPolynomials);
REGISTER_UNARY_VARIANT_SHAPE_FUNCTION(CorpusPolynomial, ShapeOfPolynomial);
INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(
    CorpusPolynomial, VariantDeviceCopyDirection::HOST_TO_DEVICE,
    CopyPolynomial);
INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(
    CorpusPolynomial, "corpus::Polynomial",
    VariantDeviceCopyDirection::DEVICE_TO_HOST, CopyPolynomial);

REGISTER_OP("CorpusPolynomial")
    .Input("terms: float")
    .Output("polynomial: variant")
    .SetShapeFn(shape_inference::ScalarShape);

class CorpusPolynomialOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const auto terms = ctx->input(0).flat<float>();
    CorpusPolynomial p;
    p.terms.assign(terms.data(), terms.data() + terms.size());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    out->scalar<Variant>()() = std::move(p);
  }
};

// The terms, after a trip through bytes and one through both copies.
REGISTER_OP("CorpusPolynomialTerms")
    .Input("polynomial: variant")
    .Output("terms: float")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0,
                    c->Vector(shape_inference::InferenceContext::kUnknownDim));
      return Status::OK();
    });

class CorpusPolynomialTermsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, GetUnaryVariantShape(in, &shape));
    VariantTensorDataProto proto;
    OP_REQUIRES(ctx, EncodeVariant(in.scalar<Variant>()(), &proto),
                errors::Internal("Encode"));
    OP_REQUIRES(ctx, proto.type_name() == "corpus::Polynomial",
                errors::Internal("type_name ", proto.type_name()));
    Variant decoded = proto;
    OP_REQUIRES(ctx, DecodeUnaryVariant(&decoded), errors::Internal("Decode"));
    int copies = 0;
    const auto copy = [&copies](const Tensor& from, Tensor* to) {
      ++copies;
      *to = from;
      return Status::OK();
    };
    Variant there, back;
    OP_REQUIRES_OK(ctx,
                   VariantDeviceCopy(HOST_TO_DEVICE, decoded, &there, copy));
    OP_REQUIRES_OK(ctx, VariantDeviceCopy(DEVICE_TO_HOST, there, &back, copy));
    OP_REQUIRES(ctx, copies == 2, errors::Internal("copies: ", copies));
    const CorpusPolynomial* p = back.get<CorpusPolynomial>();
    OP_REQUIRES(ctx, p != nullptr, errors::Internal(back.DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    std::copy(p->terms.begin(), p->terms.end(), out->flat<float>().data());
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusPolynomial").Device(DEVICE_CPU),
                        CorpusPolynomialOp);
REGISTER_KERNEL_BUILDER(Name("CorpusPolynomialTerms").Device(DEVICE_CPU),
                        CorpusPolynomialTermsOp);

}  // namespace
}  // namespace tensorflow
