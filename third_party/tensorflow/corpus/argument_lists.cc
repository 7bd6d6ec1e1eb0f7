// SPDX-License-Identifier: Apache-2.0
// Lists of arguments: N * T, lists of types, by name and by position.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/types.h"

using namespace tensorflow;

REGISTER_OP("CorpusAddAll")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: {float, int32}")
    .SetIsCommutative()
    .SetIsAggregate()
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle cur = c->input(c->num_inputs() - 1);
      for (int i = c->num_inputs() - 2; i >= 0; --i) {
        TF_RETURN_WITH_CONTEXT_IF_ERROR(c->Merge(c->input(i), cur, &cur),
                                        "From merging shape ", i,
                                        " with other shapes.");
      }
      c->set_output(0, cur);
      return Status::OK();
    });

REGISTER_OP("CorpusTypedList")
    .Input("before: int32")
    .Input("values: Tvalues")
    .Input("after: float")
    .Output("types: string")
    .Output("same: Tvalues")
    .Output("copies: num * float")
    .Attr("Tvalues: list(type) >= 0")
    .Attr("num: int >= 1")
    .SetIsStateful()
    .Deprecated(1000, "Nothing comes after.");

template <typename T>
class AddAllOp : public OpKernel {
 public:
  explicit AddAllOp(OpKernelConstruction* c) : OpKernel(c) {}

  void Compute(OpKernelContext* ctx) override {
    if (!ctx->ValidateInputsAreSameShape(this)) return;
    const int num = ctx->num_inputs();
    Tensor* output = nullptr;
    gtl::InlinedVector<int, 8> candidates(num);
    for (int i = 0; i < num; ++i) candidates[i] = i;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            candidates, 0, ctx->input(0).shape(), &output));
    auto to = output->flat<T>();
    OpInputList list;
    OP_REQUIRES_OK(ctx, ctx->input_list("inputs", &list));
    for (int64 k = 0; k < to.size(); ++k) {
      T sum = 0;
      for (const Tensor& t : list) sum += t.flat<T>()(k);
      to(k) = sum;
    }
  }
};

REGISTER_KERNEL_BUILDER(
    Name("CorpusAddAll").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    AddAllOp<float>);
REGISTER_KERNEL_BUILDER(
    Name("CorpusAddAll").Device(DEVICE_CPU).TypeConstraint("T", DT_INT32),
    AddAllOp<int32>);

class TypedListOp : public OpKernel {
 public:
  explicit TypedListOp(OpKernelConstruction* c) : OpKernel(c) {
    int start, stop;
    OP_REQUIRES_OK(c, c->GetAttr("Tvalues", &types_));
    OP_REQUIRES_OK(c, InputRange("values", &start, &stop));
    OP_REQUIRES(c, start == 1 && stop - start == int(types_.size()),
                errors::Internal("InputRange"));
    OP_REQUIRES_OK(c, OutputRange("copies", &start, &stop));
    OP_REQUIRES(c, stop == c->num_outputs() && num_inputs() == c->num_inputs(),
                errors::Internal("OutputRange"));
    OP_REQUIRES(c,
                input_type(0) == DT_INT32 && output_type(0) == DT_STRING &&
                    input_memory_types()[0] == DEVICE_MEMORY,
                errors::Internal("types"));
  }

  void Compute(OpKernelContext* ctx) override {
    OpInputList values(ctx, 1, 1 + types_.size());
    OP_REQUIRES_OK(ctx, ctx->input_list("values", &values));
    OpOutputList same, copies;
    OP_REQUIRES_OK(ctx, ctx->output_list("same", &same));
    OP_REQUIRES_OK(ctx, ctx->output_list("copies", &copies));
    string names;
    for (int i = 0; i < values.size(); ++i) {
      OP_REQUIRES(ctx, values[i].dtype() == ctx->input_dtype(1 + i),
                  errors::Internal("dtype"));
      strings::StrAppend(&names, i > 0 ? "," : "",
                         DataTypeString(values[i].dtype()));
      same.set(i, values[i]);
      DCHECK_EQ(same.expected_output_dtype(i), types_[i]);
    }
    const Tensor* after;
    OP_REQUIRES_OK(ctx, ctx->input("after", &after));
    for (int i = 0; i < copies.size(); ++i) {
      Tensor* copy = nullptr;
      OP_REQUIRES_OK(ctx, copies.allocate(i, after->shape(), &copy));
      copy->flat<float>() = after->flat<float>() + static_cast<float>(i);
      CHECK_EQ(copies[i], copy);
    }
    Tensor* types = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("types", TensorShape({}), &types));
    types->scalar<tstring>()() = names;
  }

 private:
  DataTypeVector types_;
};

REGISTER_KERNEL_BUILDER(
    Name("CorpusTypedList").Device(DEVICE_CPU).HostMemory("before"),
    TypedListOp);
