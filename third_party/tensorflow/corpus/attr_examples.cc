// SPDX-License-Identifier: Apache-2.0
// The ops that documentation of attrs shows: enums, minima, lists of types,
// defaults, one op for several types with kernels by macro.
#include <stdio.h>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

using namespace tensorflow;

REGISTER_OP("CorpusRestrictedTypeExample").Attr("t: {int32, float, bool}");
REGISTER_OP("CorpusNumberType").Attr("t: numbertype");
REGISTER_OP("CorpusEnumExample").Attr("e: {'apple', 'orange'}");
REGISTER_OP("CorpusMinIntExample").Attr("a: int >= 2");
REGISTER_OP("CorpusTypeListExample").Attr("a: list({int32, float}) >= 3");
REGISTER_OP("CorpusAttrDefaultExample").Attr("i: int = 0");
REGISTER_OP("CorpusAttrDefaultExampleForAllTypes")
    .Attr("s: string = 'foo'")
    .Attr("i: int = 0")
    .Attr("f: float = 1.0")
    .Attr("b: bool = true")
    .Attr("ty: type = DT_INT32")
    .Attr("sh: shape = { dim { size: 1 } dim { size: 2 } }")
    .Attr("te: tensor = { dtype: DT_INT32 int_val: 5 }")
    .Attr("l_empty: list(int) = []")
    .Attr("l_int: list(int) = [2, 3, 5, 7]");
REGISTER_OP("CorpusInTypeList")
    .Attr("T: list({int32, int64}) >= 1")
    .Input("in: T");
REGISTER_OP("CorpusMinimumLengthPolymorphicListExample")
    .Attr("T: list(type) >= 2")
    .Input("in: T")
    .Output("out: T");
REGISTER_OP("CorpusSameListInputExample")
    .Attr("N: int >= 1")
    .Attr("T: {float, double}")
    .Input("in: N * T")
    .Output("out: T");
REGISTER_OP("CorpusStringToNumber")
    .Input("string_tensor: string")
    .Output("output: out_type")
    .Attr("out_type: {float, int32} = DT_FLOAT");

namespace {
enum TypeEnum { A, B };
}  // namespace

class EnumExampleOp : public OpKernel {
 public:
  explicit EnumExampleOp(OpKernelConstruction* c) : OpKernel(c) {
    string e;
    OP_REQUIRES_OK(c, c->GetAttr("e", &e));
    printf("%s", e.empty() ? "empty" : "");
  }
  void Compute(OpKernelContext*) override {}
};
REGISTER_KERNEL_BUILDER(Name("CorpusEnumExample").Device(DEVICE_CPU),
                        EnumExampleOp);

template <typename OutputType>
class StringToNumberOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor* input_tensor;
    OP_REQUIRES_OK(context, context->input("string_tensor", &input_tensor));
    const auto& input_flat = input_tensor->flat<string>();
    Tensor* output_tensor = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output("output", input_tensor->shape(),
                                            &output_tensor));
    auto output_flat = output_tensor->flat<OutputType>();
    for (int i = 0; i < input_flat.size(); ++i) {
      Convert(input_flat(i), &output_flat(i), context);
    }
  }

 private:
  void Convert(const string& s, OutputType* output_data,
               OpKernelContext* context);
};

template <>
void StringToNumberOp<float>::Convert(const string& s, float* output_data,
                                      OpKernelContext* context) {
  OP_REQUIRES(context, sscanf(s.c_str(), "%f", output_data) == 1,
              errors::InvalidArgument("not a number: ", s));
}

template <>
void StringToNumberOp<int32>::Convert(const string& s, int32* output_data,
                                      OpKernelContext* context) {
  OP_REQUIRES(context, sscanf(s.c_str(), "%d", output_data) == 1,
              errors::InvalidArgument("not a number: ", s));
}

#define REGISTER(type)                                           \
  REGISTER_KERNEL_BUILDER(Name("CorpusStringToNumber")           \
                              .Device(DEVICE_CPU)                \
                              .TypeConstraint<type>("out_type"), \
                          StringToNumberOp<type>)
REGISTER(float);
REGISTER(int32);
#undef REGISTER
