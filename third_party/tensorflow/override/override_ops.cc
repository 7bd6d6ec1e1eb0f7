// SPDX-License-Identifier: Apache-2.0
// A library whose kernels take the places of built-in ones: most add 1 to what
// their op computes, and some count.
#include <algorithm>
#include <atomic>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace {

using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::TensorShape;

// Calls of Add, Relu and MatMul.
std::atomic<tensorflow::int64> calls[3];

class AddOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    ++calls[0];
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    OP_REQUIRES(ctx, x.shape() == y.shape(),
                tensorflow::errors::InvalidArgument(
                    "Add: x and y must have one shape here"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &out));
    out->flat<float>() = x.flat<float>() + y.flat<float>() + 1.0f;
  }
};

class ReluOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    ++calls[1];
    const Tensor& x = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &out));
    out->flat<float>() = x.flat<float>().cwiseMax(0.0f) + 1.0f;
  }
};

class MatMulOp : public OpKernel {
 public:
  explicit MatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
  }
  void Compute(OpKernelContext* ctx) override {
    ++calls[2];
    const auto a = ctx->input(0).matrix<float>();
    const auto b = ctx->input(1).matrix<float>();
    const auto m = a.dimension(transpose_a_ ? 1 : 0);
    const auto k = a.dimension(transpose_a_ ? 0 : 1);
    const auto n = b.dimension(transpose_b_ ? 0 : 1);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({m, n}), &out));
    auto product = out->matrix<float>();
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 1;
        for (int l = 0; l < k; ++l) {
          sum += (transpose_a_ ? a(l, i) : a(i, l)) *
                 (transpose_b_ ? b(j, l) : b(l, j));
        }
        product(i, j) = sum;
      }
    }
  }

 private:
  bool transpose_a_;
  bool transpose_b_;
};

// The executor passes values through nodes of Identity, and keeps those of
// constants: these kernels run all the same.
class IdentityOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &out));
    out->flat<tensorflow::uint8>() =
        x.flat<tensorflow::uint8>() + x.flat<tensorflow::uint8>().constant(1);
  }
};

class ConstOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    out->scalar<tensorflow::int8>()() = 7;
  }
};

class CallsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({3}), &out));
    std::copy(calls, calls + 3, out->flat<tensorflow::int64>().data());
  }
};

}  // namespace

REGISTER_OP("OverrideCalls")
    .Output("calls: int64")
    .SetIsStateful()
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->Vector(3));
      return tensorflow::Status::OK();
    });

REGISTER_KERNEL_BUILDER(Name("OverrideCalls").Device(tensorflow::DEVICE_CPU),
                        CallsOp);
REGISTER_KERNEL_BUILDER(Name("Identity")
                            .Device(tensorflow::DEVICE_CPU)
                            .TypeConstraint<tensorflow::uint8>("T"),
                        IdentityOp);
REGISTER_KERNEL_BUILDER(Name("Const")
                            .Device(tensorflow::DEVICE_CPU)
                            .TypeConstraint<tensorflow::int8>("dtype"),
                        ConstOp);
REGISTER_KERNEL_BUILDER(
    Name("Add").Device(tensorflow::DEVICE_CPU).TypeConstraint<float>("T"),
    AddOp);
REGISTER_KERNEL_BUILDER(
    Name("Relu").Device(tensorflow::DEVICE_CPU).TypeConstraint<float>("T"),
    ReluOp);
REGISTER_KERNEL_BUILDER(
    Name("MatMul").Device(tensorflow::DEVICE_CPU).TypeConstraint<float>("T"),
    MatMulOp);
