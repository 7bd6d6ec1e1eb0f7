// SPDX-License-Identifier: Apache-2.0
// Code that throws, wherever an op's author writes code: an error, not the end.
#include <stdexcept>
#include <string>
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;

REGISTER_OP("CorpusThrow")
    .Attr("where: {'shape', 'no input', 'constructor', 'compute', 'nowhere'}")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      string where;
      TF_RETURN_IF_ERROR(c->GetAttr("where", &where));
      if (where == "shape") std::vector<int>(2).at(5);
      c->set_output(0, c->input(where == "no input" ? 7 : 0));
      return OkStatus();
    });

class ThrowOp : public AsyncOpKernel {
 public:
  explicit ThrowOp(OpKernelConstruction* c) : AsyncOpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("where", &where_));
    if (where_ == "constructor") throw std::runtime_error("no memory of it");
  }

  void ComputeAsync(OpKernelContext* c, DoneCallback done) override {
    if (where_ == "compute") throw std::runtime_error("in the middle");
    c->set_output(0, c->input(0));
    done();
  }

 private:
  string where_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusThrow").Device(DEVICE_CPU), ThrowOp);
