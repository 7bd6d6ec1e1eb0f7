// SPDX-License-Identifier: Apache-2.0
// An op that hands strings, spans, shapes, statuses and attrs to the library
// and takes them back.  BUILD compiles it once for each C++ standard that
// build files of custom ops ask for; the library is C++20, so what crosses
// between them must look the same in all.
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_encode_decode.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/util/work_sharder.h"

// Each standard's library has an op of its own: Standard14Text.
#define JOIN2(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN2(a, b, c)
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#define OP_NAME TEXT(JOIN(Standard, STANDARD, Text))

using namespace tensorflow;  // NOLINT

REGISTER_OP(OP_NAME)
    .Input("words: string")
    .Input("sizes: T")
    .Output("joined: string")
    .Output("shape: int64")
    .Output("box: variant")
    .Output("standard: int32")
    .Attr("T: {int32, int64}")
    .Attr("separator: string = ','")
    .Attr("ones: list(int) = [1, 1]")
    .Attr("part: shape = { dim { size: -1 } dim { size: 2 } }")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle words;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &words));
      std::vector<shape_inference::DimensionHandle> dims = {c->Dim(words, 0),
                                                            c->UnknownDim()};
      c->set_output(0, c->Scalar());
      c->set_output(1, c->UnknownShapeOfRank(1));
      c->set_output(2, c->MakeShape({}));
      c->set_output(3, c->Scalar());
      // More shapes than the first kilobyte of the context's memory holds.
      for (int i = 0; i < 500; ++i) dims[1] = c->MakeDim(i);
      shape_inference::ShapeHandle merged;
      return c->Merge(c->MakeShape(dims), c->Matrix(dims[0], 499), &merged);
    });

namespace {

struct Box {
  std::string text;
  string TypeName() const { return "Box"; }
  string DebugString() const { return "Box of " + text; }
  void Encode(VariantTensorData*) const {}
  bool Decode(const VariantTensorData&) { return true; }
};

template <typename T>
class TextOp : public OpKernel {
 public:
  explicit TextOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("separator", &separator_));
    OP_REQUIRES_OK(context, context->GetAttr("ones", &ones_));
    OP_REQUIRES_OK(context, context->GetAttr("part", &part_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& words = context->input(0);
    const Tensor& sizes = context->input(1);
    std::string joined;
    for (int64_t i = 0; i < words.NumElements(); ++i) {
      if (i > 0) joined += separator_;
      joined += std::string(words.flat<tstring>()(i));
    }
    // A span, and a StatusOr by way of a Status with a payload.
    TensorShape shape;
    std::vector<T> dims(sizes.flat<T>().data(),
                        sizes.flat<T>().data() + sizes.NumElements());
    OP_REQUIRES_OK(context, TensorShapeUtils::MakeShape(dims, &shape));
    OP_REQUIRES(context, part_.IsCompatibleWith(shape),
                errors::InvalidArgument(StringPiece("sizes must fit "),
                                        part_.DebugString(), ", got ",
                                        shape.DebugString()));
    OP_REQUIRES_VALUE(const int64_t elements, context, Elements(shape));
    shape.AddDim(elements);

    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &out));
    out->scalar<tstring>()() = joined;
    OP_REQUIRES_OK(context, context->allocate_output(
                                "shape", TensorShape({shape.dims()}), &out));
    auto flat = out->vec<int64_t>();
    for (int d = 0; d < shape.dims(); ++d)
      flat(d) = shape.dim_size(d) * ones_[0];
    OP_REQUIRES_OK(context, context->allocate_output(2, {}, &out));
    out->scalar<Variant>()() = Box{joined};
    OP_REQUIRES_OK(context, context->allocate_output(3, {}, &out));
    out->scalar<int32>()() = __cplusplus / 100 % 100;
  }

 private:
  static StatusOr<int64_t> Elements(const TensorShape& shape) {
    if (shape.dims() == 0) return errors::OutOfRange("no dimensions");
    return shape.num_elements();
  }

  std::string separator_;
  std::vector<int64_t> ones_;
  PartialTensorShape part_;
};

REGISTER_KERNEL_BUILDER(
    Name(OP_NAME).Device(DEVICE_CPU).TypeConstraint<int32>("T"), TextOp<int32>);
REGISTER_KERNEL_BUILDER(
    Name(OP_NAME).Device(DEVICE_CPU).TypeConstraint<int64_t>("T"),
    TextOp<int64_t>);

}  // namespace
