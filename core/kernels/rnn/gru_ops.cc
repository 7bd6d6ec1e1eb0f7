// SPDX-License-Identifier: Apache-2.0
// GRUBlockCell and GRUBlockCellGrad: one step of a gated unit.

#include <algorithm>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/matmul.h"
#include "core/kernels/rnn/gru_ops_simd.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Roughly the nanoseconds for an element.
constexpr int64_t kGateCost = 5;
constexpr int64_t kGradCost = 2;

Status Temporary(OpKernelContext* ctx, int64_t rows, int64_t cols,
                 Tensor* buffer) {
  return ctx->allocate_temp(DT_FLOAT, TensorShape({rows, cols}), buffer);
}

template <typename Step>
void ForRows(OpKernelContext* ctx, int64_t rows, int64_t cost, const Step& step,
             void (*run)(const Step&, int64_t, int64_t)) {
  ParallelFor(ctx, rows, cost,
              [&](int64_t begin, int64_t end) { run(step, begin, end); });
}

}  // namespace

class GRUBlockCellOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& h_prev = ctx->input(1);
    Tensor *r, *u, *c, *h;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, h_prev.shape(), &r));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, h_prev.shape(), &u));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, h_prev.shape(), &c));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3, h_prev.shape(), &h));
    if (h_prev.NumElements() == 0) return;
    GruStep step;
    step.r = r->base<float>();
    step.u = u->base<float>();
    step.c = c->base<float>();
    step.h = h->base<float>();
    OP_REQUIRES_OK(ctx, Step(ctx, step));
  }

 private:
  // Computes a step; four inputs are the matrices, two the biases, and `step`
  // has the outputs.
  static Status Step(OpKernelContext* ctx, GruStep step) {
    const Tensor& x = ctx->input(0);
    const Tensor& h_prev = ctx->input(1);
    const int64_t batch = x.dim_size(0), inputs = x.dim_size(1);
    const int64_t cell = h_prev.dim_size(1), depth = inputs + cell;
    Tensor both, gates, c_bar;
    TF_RETURN_IF_ERROR(Temporary(ctx, batch, depth, &both));
    TF_RETURN_IF_ERROR(Temporary(ctx, batch, 2 * cell, &gates));
    TF_RETURN_IF_ERROR(Temporary(ctx, batch, cell, &c_bar));
    step.inputs = inputs;
    step.cell = cell;
    step.gates = gates.base<float>();
    step.c_bar = c_bar.base<float>();
    step.b_ru = ctx->input(4).base<float>();
    step.b_c = ctx->input(5).base<float>();
    step.h_prev = h_prev.base<float>();
    step.both = both.base<float>();
    for (int64_t r = 0; r < batch; ++r) {
      float* const row = step.both + r * depth;
      std::copy_n(x.base<float>() + r * inputs, inputs, row);
      std::copy_n(step.h_prev + r * cell, cell, row + inputs);
    }
    TF_RETURN_IF_ERROR(MatMulFloat(ctx, {.m = batch, .n = 2 * cell, .k = depth},
                                   step.both, ctx->input(2).base<float>(),
                                   gates.base<float>()));
    ForRows(ctx, batch, 2 * cell * kGateCost, step, RunGruGates);
    TF_RETURN_IF_ERROR(MatMulFloat(ctx, {.m = batch, .n = cell, .k = depth},
                                   step.both, ctx->input(3).base<float>(),
                                   c_bar.base<float>()));
    ForRows(ctx, batch, cell * kGateCost, step, RunGruOutput);
    return OkStatus();
  }
};

REGISTER_KERNEL_BUILDER(
    Name("GRUBlockCell").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    GRUBlockCellOp);

class GRUBlockCellGradOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& h_prev = ctx->input(1);
    const int64_t batch = x.dim_size(0), cell = h_prev.dim_size(1);
    Tensor *x_grad, *h_prev_grad, *c_bar_grad, *gates_grad;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &x_grad));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, h_prev.shape(), &h_prev_grad));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, h_prev.shape(), &c_bar_grad));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3, TensorShape({batch, 2 * cell}),
                                             &gates_grad));
    if (h_prev.NumElements() == 0) {
      // In a cell without units nothing depends on x.
      std::fill_n(x_grad->base<float>(), x_grad->NumElements(), 0.0f);
      return;
    }
    GruGradStep step;
    step.x_grad = x_grad->base<float>();
    step.h_prev_grad = h_prev_grad->base<float>();
    step.c_bar_grad = c_bar_grad->base<float>();
    step.gates_grad = gates_grad->base<float>();
    OP_REQUIRES_OK(ctx, Step(ctx, step));
  }

 private:
  static Status Step(OpKernelContext* ctx, GruGradStep step) {
    const int64_t batch = ctx->input(0).dim_size(0);
    const int64_t cell = ctx->input(1).dim_size(1);
    step.inputs = ctx->input(0).dim_size(1);
    step.cell = cell;
    step.h_prev = ctx->input(1).base<float>();
    step.r = ctx->input(6).base<float>();
    step.u = ctx->input(7).base<float>();
    step.c = ctx->input(8).base<float>();
    step.h_grad = ctx->input(9).base<float>();
    const int64_t depth = step.inputs + cell;
    Tensor by_c, by_gates;
    TF_RETURN_IF_ERROR(Temporary(ctx, batch, depth, &by_c));
    TF_RETURN_IF_ERROR(Temporary(ctx, batch, depth, &by_gates));
    step.by_c = by_c.base<float>();
    step.by_gates = by_gates.base<float>();
    ForRows(ctx, batch, cell * kGradCost, step, RunGruGradOfOutput);
    TF_RETURN_IF_ERROR(MatMulFloat(
        ctx, {.m = batch, .n = depth, .k = cell, .transpose_b = true},
        step.c_bar_grad, ctx->input(3).base<float>(), by_c.base<float>()));
    ForRows(ctx, batch, cell * kGradCost, step, RunGruGradOfGates);
    TF_RETURN_IF_ERROR(MatMulFloat(
        ctx, {.m = batch, .n = depth, .k = 2 * cell, .transpose_b = true},
        step.gates_grad, ctx->input(2).base<float>(), by_gates.base<float>()));
    ForRows(ctx, batch, depth * kGradCost, step, RunGruGradOfInputs);
    return OkStatus();
  }
};

REGISTER_KERNEL_BUILDER(
    Name("GRUBlockCellGrad").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    GRUBlockCellGradOp);

}  // namespace tensorwright
