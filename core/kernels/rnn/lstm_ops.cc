// SPDX-License-Identifier: Apache-2.0
// LSTMBlockCell, BlockLSTM and BlockLSTMV2: one step of an LSTM, and a sequence
// of steps.  One product multiplies the inputs of all steps, so that a step
// multiplies its h only.

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/matmul.h"
#include "core/kernels/rnn/lstm_ops_simd.h"
#include "core/kernels/rnn/lstm_ops_views.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Roughly the nanoseconds for an element of a step: three sigmoids and two
// tanhs.
constexpr int64_t kElementCost = 12;

// The node's attrs.
struct LstmAttrs {
  float forget_bias = 0;
  float cell_clip = 0;
  bool peepholes = false;
  LstmGateOrder order;

  Status Read(OpKernelConstruction* ctx) {
    TF_RETURN_IF_ERROR(ctx->GetAttr("cell_clip", &cell_clip));
    return ctx->GetAttr("use_peephole", &peepholes);
  }
};

// Reads the inputs from `first` on: cs_prev, h_prev, w, wci, wcf, wco, b.
template <typename T>
Status ReadWeights(LstmViews<T>* views, int first, const LstmAttrs& attrs,
                   const float** h_prev, const float** w, LstmStep* step) {
  TF_RETURN_IF_ERROR(views->Input(first, &step->cs_prev));
  TF_RETURN_IF_ERROR(views->Input(first + 1, h_prev));
  TF_RETURN_IF_ERROR(views->Input(first + 2, w));
  if (attrs.peepholes) {
    TF_RETURN_IF_ERROR(views->Input(first + 3, &step->peepholes.wci));
    TF_RETURN_IF_ERROR(views->Input(first + 4, &step->peepholes.wcf));
    TF_RETURN_IF_ERROR(views->Input(first + 5, &step->peepholes.wco));
  }
  step->order = attrs.order;
  step->forget_bias = attrs.forget_bias;
  step->cell_clip = attrs.cell_clip;
  return views->Input(first + 6, &step->bias);
}

template <typename T>
Status MakeOutputs(LstmViews<T>* views, const TensorShape& shape,
                   LstmStep* step) {
  float** const outputs[] = {&step->i,  &step->cs, &step->f, &step->o,
                             &step->ci, &step->co, &step->h};
  for (int k = 0; k < 7; ++k) {
    TF_RETURN_IF_ERROR(views->Output(k, shape, outputs[k]));
  }
  return OkStatus();
}

}  // namespace

template <typename T>
class LSTMBlockCellOp final : public OpKernel {
 public:
  explicit LSTMBlockCellOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, attrs_.Read(ctx));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("forget_bias", &attrs_.forget_bias));
  }

  void Compute(OpKernelContext* ctx) override {
    LstmViews<T> views(ctx);
    OP_REQUIRES_OK(ctx, Step(ctx, &views));
    views.Finish();
  }

 private:
  Status Step(OpKernelContext* ctx, LstmViews<T>* views) const {
    const int64_t batch = ctx->input(0).dim_size(0);
    const int64_t inputs = ctx->input(0).dim_size(1);
    const int64_t cell = ctx->input(1).dim_size(1);
    LstmStep step;
    const float *x, *h_prev, *w;
    TF_RETURN_IF_ERROR(views->Input(0, &x));
    TF_RETURN_IF_ERROR(ReadWeights(views, 1, attrs_, &h_prev, &w, &step));
    step.cell = cell;
    TF_RETURN_IF_ERROR(MakeOutputs(views, ctx->input(1).shape(), &step));
    if (batch == 0 || cell == 0) return OkStatus();
    // x and h_prev lie side by side, because one product is faster than two.
    const int64_t depth = inputs + cell;
    float *both, *gates;
    TF_RETURN_IF_ERROR(views->Temporary(batch * depth, &both));
    TF_RETURN_IF_ERROR(views->Temporary(batch * 4 * cell, &gates));
    for (int64_t r = 0; r < batch; ++r) {
      std::copy_n(x + r * inputs, inputs, both + r * depth);
      std::copy_n(h_prev + r * cell, cell, both + r * depth + inputs);
    }
    TF_RETURN_IF_ERROR(LstmProduct(ctx, {.m = batch, .n = 4 * cell, .k = depth},
                                   both, w, gates));
    step.from_h = gates;
    ParallelFor(
        ctx, batch, cell * kElementCost,
        [&](int64_t begin, int64_t end) { RunLstmStep(step, begin, end); });
    return OkStatus();
  }

  LstmAttrs attrs_;
};

REGISTER_KERNEL_FOR_TYPES(Name("LSTMBlockCell").Device(DEVICE_CPU), "T",
                          LSTMBlockCellOp, Eigen::half, float);

template <typename T>
class BlockLSTMOp final : public OpKernel {
 public:
  explicit BlockLSTMOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, attrs_.Read(ctx));
    if (type_string() == "BlockLSTMV2") {
      attrs_.order = {.i = 0, .ci = 2, .f = 1, .o = 3};
    } else {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("forget_bias", &attrs_.forget_bias));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    LstmViews<T> views(ctx);
    OP_REQUIRES_OK(ctx, Sequence(ctx, &views));
    views.Finish();
  }

 private:
  Status Sequence(OpKernelContext* ctx, LstmViews<T>* views) const {
    const Tensor& sequence = ctx->input(1);
    const int64_t time = sequence.dim_size(0), batch = sequence.dim_size(1);
    const int64_t inputs = sequence.dim_size(2);
    const int64_t cell = ctx->input(2).dim_size(1);
    int64_t steps;
    TF_RETURN_IF_ERROR(LstmSteps(ctx, type_string(), time, &steps));
    LstmStep step;
    const float *x, *h_prev, *w;
    TF_RETURN_IF_ERROR(views->Input(1, &x));
    TF_RETURN_IF_ERROR(ReadWeights(views, 2, attrs_, &h_prev, &w, &step));
    step.cell = cell;
    TF_RETURN_IF_ERROR(
        MakeOutputs(views, TensorShape({time, batch, cell}), &step));
    const int64_t state = batch * cell;
    for (float* out :
         {step.i, step.cs, step.f, step.o, step.ci, step.co, step.h}) {
      std::fill_n(out + steps * state, (time - steps) * state, 0.0f);
    }
    if (state == 0 || steps == 0) return OkStatus();
    float* from_x = nullptr;
    if (inputs > 0) {
      TF_RETURN_IF_ERROR(views->Temporary(steps * 4 * state, &from_x));
      TF_RETURN_IF_ERROR(LstmProduct(
          ctx, {.m = steps * batch, .n = 4 * cell, .k = inputs}, x, w, from_x));
    }
    float* from_h;
    TF_RETURN_IF_ERROR(views->Temporary(4 * state, &from_h));
    return Steps(ctx, steps, batch, h_prev, w + inputs * 4 * cell, from_x,
                 from_h, step);
  }

  // Runs the steps from `step` on, which has the outputs of the first.
  static Status Steps(OpKernelContext* ctx, int64_t steps, int64_t batch,
                      const float* h, const float* w_h, const float* from_x,
                      float* from_h, LstmStep step) {
    const int64_t cell = step.cell, state = batch * cell;
    const MatMulArgs args{.m = batch, .n = 4 * cell, .k = cell};
    step.from_h = from_h;
    for (int64_t t = 0; t < steps; ++t) {
      TF_RETURN_IF_ERROR(LstmProduct(ctx, args, h, w_h, from_h));
      step.from_x = from_x == nullptr ? nullptr : from_x + t * 4 * state;
      ParallelFor(
          ctx, batch, cell * kElementCost,
          [&](int64_t begin, int64_t end) { RunLstmStep(step, begin, end); });
      h = step.h;
      step.cs_prev = step.cs;
      for (float** out :
           {&step.i, &step.cs, &step.f, &step.o, &step.ci, &step.co, &step.h}) {
        *out += state;
      }
    }
    return OkStatus();
  }

  LstmAttrs attrs_;
};

REGISTER_KERNEL_FOR_TYPES(Name("BlockLSTM").Device(DEVICE_CPU), "T",
                          BlockLSTMOp, Eigen::half, float);
REGISTER_KERNEL_FOR_TYPES(Name("BlockLSTMV2").Device(DEVICE_CPU), "T",
                          BlockLSTMOp, Eigen::half, float);

}  // namespace tensorwright
