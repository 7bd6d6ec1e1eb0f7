// SPDX-License-Identifier: Apache-2.0
// One row of each input in turn: a list of inputs, and shapes that are merged.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

REGISTER_OP("BuiltZipRows")
    .Attr("N: int >= 1")
    .Input("inputs: N * float")
    .Output("zipped: float")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle all = c->UnknownShapeOfRank(2);
      for (int i = 0; i < c->num_inputs(); ++i) {
        TF_RETURN_IF_ERROR(c->Merge(all, c->input(i), &all));
      }
      DimensionHandle rows;
      TF_RETURN_IF_ERROR(c->Multiply(c->Dim(all, 0), c->num_inputs(), &rows));
      c->set_output(0, c->Matrix(rows, c->Dim(all, 1)));
      return Status::OK();
    })
    .Doc("The rows of all inputs, one of each in turn.");

struct ZipRowsOp : public OpKernel {
  explicit ZipRowsOp(OpKernelConstruction* construction)
      : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    OpInputList inputs;
    OP_REQUIRES_OK(context, context->input_list("inputs", &inputs));
    const int64 rows = inputs[0].dim_size(0), columns = inputs[0].dim_size(1);
    Tensor* zipped = NULL;
    OP_REQUIRES_OK(
        context, context->allocate_output(
                     0, TensorShape({rows * inputs.size(), columns}), &zipped));
    auto out = zipped->matrix<float>();
    for (int i = 0; i < inputs.size(); ++i) {
      for (int64 r = 0; r < rows; ++r) {
        out.chip(r * inputs.size() + i, 0) =
            inputs[i].matrix<float>().chip(r, 0);
      }
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("BuiltZipRows").Device(DEVICE_CPU), ZipRowsOp);
