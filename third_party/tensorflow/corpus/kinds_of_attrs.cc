// SPDX-License-Identifier: Apache-2.0
// Attrs of every kind that REGISTER_OP knows, with limits and defaults, most
// without a kernel; and one op whose kernel is chosen by the type that comes
// out.
#include <stdio.h>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

using namespace tensorflow;

REGISTER_OP("CorpusAttrOfTypes").Attr("kind: {int32, float, bool}");
REGISTER_OP("CorpusAttrOfNumbers").Attr("number: numbertype");
REGISTER_OP("CorpusAttrAtLeast").Attr("legs: int >= 2");
REGISTER_OP("CorpusAttrOfManyTypes").Attr("kinds: list({int32, float}) >= 3");
REGISTER_OP("CorpusAttrsWithDefaults")
    .Attr("text: string = 'none'")
    .Attr("whole: int = -7")
    .Attr("real: float = 2.5")
    .Attr("yes: bool = true")
    .Attr("kind: type = DT_BOOL")
    .Attr("size: shape = { dim { size: 4 } dim { size: -1 } }")
    .Attr("value: tensor = { dtype: DT_INT32 int_val: 9 }")
    .Attr("nothing: list(int) = []")
    .Attr("primes: list(int) = [2, 3, 5]");
REGISTER_OP("CorpusListsOfTwoTypes")
    .Attr("T: list({int32, int64}) >= 1")
    .Input("numbers: T");
REGISTER_OP("CorpusListsOfAnyType")
    .Attr("T: list(type) >= 2")
    .Input("all: T")
    .Output("same: T");
REGISTER_OP("CorpusListsOfOneType")
    .Attr("N: int >= 1")
    .Attr("T: {float, double}")
    .Input("terms: N * T")
    .Output("sum: T");

REGISTER_OP("CorpusShout").Attr("how: {'softly', 'loudly'}");
class ShoutOp : public OpKernel {
 public:
  explicit ShoutOp(OpKernelConstruction* construction)
      : OpKernel(construction) {
    string how;
    OP_REQUIRES_OK(construction, construction->GetAttr("how", &how));
    if (how == "loudly") printf("!");
  }
  void Compute(OpKernelContext*) override {}
};
REGISTER_KERNEL_BUILDER(Name("CorpusShout").Device(DEVICE_CPU), ShoutOp);

REGISTER_OP("CorpusWeigh")
    .Attr("unit: {float, int32} = DT_FLOAT")
    .Input("labels: string")
    .Output("weights: unit");

// "12 kg" -> 12.
template <typename T>
class WeighOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor* labels;
    OP_REQUIRES_OK(context, context->input("labels", &labels));
    Tensor* weights;
    OP_REQUIRES_OK(context, context->allocate_output("weights", labels->shape(),
                                                     &weights));
    for (int64 i = 0; i < labels->NumElements(); ++i) {
      const string& label = labels->flat<string>()(i);
      T* weight = &weights->flat<T>()(i);
      OP_REQUIRES(context, Read(label.c_str(), weight),
                  errors::InvalidArgument("no weight: ", label));
    }
  }

 private:
  static bool Read(const char* label, T* weight);
};
template <>
bool WeighOp<float>::Read(const char* label, float* weight) {
  return sscanf(label, "%f kg", weight) == 1;
}
template <>
bool WeighOp<int32>::Read(const char* label, int32* weight) {
  return sscanf(label, "%d kg", weight) == 1;
}

#define WEIGH(T)                                                        \
  REGISTER_KERNEL_BUILDER(                                              \
      Name("CorpusWeigh").Device(DEVICE_CPU).TypeConstraint<T>("unit"), \
      WeighOp<T>)
WEIGH(float);
WEIGH(int32);
#undef WEIGH
