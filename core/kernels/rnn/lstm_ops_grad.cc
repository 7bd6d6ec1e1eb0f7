// SPDX-License-Identifier: Apache-2.0
// LSTMBlockCellGrad, BlockLSTMGrad and BlockLSTMGradV2.  From the gates'
// gradients of all steps one product computes the gradient of x, and another
// that of the weights; a step multiplies only for the h before it.

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

constexpr int64_t kElementCost = 4;

// The columns that one thread sums; rows of them are whole cache lines.
constexpr int64_t kSumBlock = 64;

void SumRows(OpKernelContext* ctx, const float* a, int64_t a_stride,
             const float* b, int64_t b_stride, int64_t rows, int64_t cols,
             float* sum) {
  const int64_t blocks = (cols + kSumBlock - 1) / kSumBlock;
  ParallelFor(ctx, blocks, rows * kSumBlock / 4 + 1,
              [&](int64_t begin, int64_t end) {
                SumOverRows(a, a_stride, b, b_stride, rows, begin * kSumBlock,
                            std::min(cols, end * kSumBlock), sum);
              });
}

// to [cols, rows] = from [rows, cols] transposed.
void Transpose(const float* from, int64_t rows, int64_t cols, float* to) {
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    for (int64_t c0 = 0; c0 < cols; c0 += kBlock) {
      const int64_t r1 = std::min(rows, r0 + kBlock);
      const int64_t c1 = std::min(cols, c0 + kBlock);
      for (int64_t c = c0; c < c1; ++c) {
        for (int64_t r = r0; r < r1; ++r) to[c * rows + r] = from[r * cols + c];
      }
    }
  }
}

// Reads the peepholes' weights wci, wcf, wco: the inputs from `first` on.
template <typename T>
Status ReadPeepholes(LstmViews<T>* views, int first, LstmPeepholes* peepholes) {
  TF_RETURN_IF_ERROR(views->Input(first, &peepholes->wci));
  TF_RETURN_IF_ERROR(views->Input(first + 1, &peepholes->wcf));
  return views->Input(first + 2, &peepholes->wco);
}

// Reads inputs i, cs, f, o, ci, co from `first` on.
template <typename T>
Status ReadStep(LstmViews<T>* views, int first, const float** cs,
                LstmGradStep* step) {
  TF_RETURN_IF_ERROR(views->Input(first, &step->i));
  TF_RETURN_IF_ERROR(views->Input(first + 1, cs));
  TF_RETURN_IF_ERROR(views->Input(first + 2, &step->f));
  TF_RETURN_IF_ERROR(views->Input(first + 3, &step->o));
  TF_RETURN_IF_ERROR(views->Input(first + 4, &step->ci));
  return views->Input(first + 5, &step->co);
}

// The gradients of the peepholes' weights, zero without peepholes.  They are
// the outputs from `first` on, each in the shape of its weights.
struct PeepholeGrads {
  float *wci = nullptr, *wcf = nullptr, *wco = nullptr;
};

template <typename T>
Status MakePeepholeGrads(OpKernelContext* ctx, LstmViews<T>* views,
                         int first_input, int first, PeepholeGrads* grads) {
  float** const outputs[] = {&grads->wci, &grads->wcf, &grads->wco};
  for (int k = 0; k < 3; ++k) {
    const TensorShape& shape = ctx->input(first_input + k).shape();
    TF_RETURN_IF_ERROR(views->Output(first + k, shape, outputs[k]));
    std::fill_n(*outputs[k], shape.num_elements(), 0.0f);
  }
  return OkStatus();
}

// Sums the gates' gradients times cs_prev or cs over `rows` rows.
void SumPeepholes(OpKernelContext* ctx, const float* gates_grad,
                  const LstmGateOrder& order, const float* cs_prev,
                  const float* cs, int64_t rows, int64_t cell,
                  const PeepholeGrads& grads) {
  const int64_t gates = 4 * cell;
  SumRows(ctx, gates_grad + order.i * cell, gates, cs_prev, cell, rows, cell,
          grads.wci);
  SumRows(ctx, gates_grad + order.f * cell, gates, cs_prev, cell, rows, cell,
          grads.wcf);
  SumRows(ctx, gates_grad + order.o * cell, gates, cs, cell, rows, cell,
          grads.wco);
}

}  // namespace

template <typename T>
class LSTMBlockCellGradOp final : public OpKernel {
 public:
  explicit LSTMBlockCellGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_peephole", &peepholes_));
  }

  void Compute(OpKernelContext* ctx) override {
    LstmViews<T> views(ctx);
    OP_REQUIRES_OK(ctx, Step(ctx, &views));
    views.Finish();
  }

 private:
  Status Step(OpKernelContext* ctx, LstmViews<T>* views) const {
    const TensorShape& state = ctx->input(1).shape();
    const int64_t batch = state.dim_size(0), cell = state.dim_size(1);
    LstmGradStep step;
    const float* cs;
    step.cell = cell;
    TF_RETURN_IF_ERROR(views->Input(1, &step.cs_prev));
    if (peepholes_) {
      TF_RETURN_IF_ERROR(ReadPeepholes(views, 4, &step.peepholes));
    }
    TF_RETURN_IF_ERROR(ReadStep(views, 8, &cs, &step));
    TF_RETURN_IF_ERROR(views->Input(14, &step.cs_grad));
    TF_RETURN_IF_ERROR(views->Input(15, &step.h_grad));
    TF_RETURN_IF_ERROR(views->Output(0, state, &step.cs_prev_grad));
    TF_RETURN_IF_ERROR(
        views->Output(1, TensorShape({batch, 4 * cell}), &step.gates_grad));
    PeepholeGrads grads;
    TF_RETURN_IF_ERROR(MakePeepholeGrads(ctx, views, 4, 2, &grads));
    ParallelFor(
        ctx, batch, cell * kElementCost,
        [&](int64_t begin, int64_t end) { RunLstmGradStep(step, begin, end); });
    if (peepholes_) {
      SumPeepholes(ctx, step.gates_grad, step.order, step.cs_prev, cs, batch,
                   cell, grads);
    }
    return OkStatus();
  }

  bool peepholes_ = false;
};

REGISTER_KERNEL_FOR_TYPES(Name("LSTMBlockCellGrad").Device(DEVICE_CPU), "T",
                          LSTMBlockCellGradOp, Eigen::half, float);

template <typename T>
class BlockLSTMGradOp final : public OpKernel {
 public:
  explicit BlockLSTMGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_peephole", &peepholes_));
    if (type_string() == "BlockLSTMGradV2") {
      order_ = {.i = 0, .ci = 2, .f = 1, .o = 3};
    }
  }

  void Compute(OpKernelContext* ctx) override {
    LstmViews<T> views(ctx);
    OP_REQUIRES_OK(ctx, Sequence(ctx, &views));
    views.Finish();
  }

 private:
  struct Sizes {
    int64_t steps, batch, inputs, cell;
    int64_t state() const { return batch * cell; }
    int64_t rows() const { return steps * batch; }
  };

  // The inputs x, cs_prev, h_prev, w, cs, h and the outputs x_grad,
  // cs_prev_grad, h_prev_grad, w_grad, b_grad.
  struct Buffers {
    const float *x, *cs_prev, *h_prev, *w, *cs, *h;
    float *x_grad, *cs_prev_grad, *h_prev_grad, *w_grad, *b_grad;
    float* gates_grad;  // [steps, batch, 4 cell]
    PeepholeGrads peephole_grads;
  };

  Status Sequence(OpKernelContext* ctx, LstmViews<T>* views) const {
    const Tensor& x = ctx->input(1);
    const int64_t time = x.dim_size(0);
    Sizes sizes{0, x.dim_size(1), x.dim_size(2), ctx->input(2).dim_size(1)};
    TF_RETURN_IF_ERROR(LstmSteps(ctx, type_string(), time, &sizes.steps));
    LstmGradStep step;
    Buffers b;
    step.cell = sizes.cell;
    step.order = order_;
    TF_RETURN_IF_ERROR(Read(ctx, views, &b, &step));
    const int64_t step_inputs = sizes.batch * sizes.inputs;
    std::fill_n(b.x_grad + sizes.steps * step_inputs,
                (time - sizes.steps) * step_inputs, 0.0f);
    if (sizes.steps == 0 || sizes.state() == 0) {
      std::fill_n(b.x_grad, sizes.steps * step_inputs, 0.0f);
      std::fill_n(b.cs_prev_grad, sizes.state(), 0.0f);
      std::fill_n(b.h_prev_grad, sizes.state(), 0.0f);
      std::fill_n(b.w_grad, ctx->input(4).NumElements(), 0.0f);
      std::fill_n(b.b_grad, 4 * sizes.cell, 0.0f);
      return OkStatus();
    }
    TF_RETURN_IF_ERROR(
        views->Temporary(sizes.rows() * 4 * sizes.cell, &b.gates_grad));
    TF_RETURN_IF_ERROR(Steps(ctx, views, sizes, b, step));
    return Sums(ctx, views, sizes, b);
  }

  Status Read(OpKernelContext* ctx, LstmViews<T>* views, Buffers* b,
              LstmGradStep* step) const {
    TF_RETURN_IF_ERROR(views->Input(1, &b->x));
    TF_RETURN_IF_ERROR(views->Input(2, &b->cs_prev));
    TF_RETURN_IF_ERROR(views->Input(3, &b->h_prev));
    TF_RETURN_IF_ERROR(views->Input(4, &b->w));
    if (peepholes_) {
      TF_RETURN_IF_ERROR(ReadPeepholes(views, 5, &step->peepholes));
    }
    TF_RETURN_IF_ERROR(ReadStep(views, 9, &b->cs, step));
    TF_RETURN_IF_ERROR(views->Input(15, &b->h));
    TF_RETURN_IF_ERROR(views->Input(16, &step->cs_grad));
    TF_RETURN_IF_ERROR(views->Input(17, &step->h_grad));
    const int inputs[] = {1, 2, 3, 4};
    float** const outputs[] = {&b->x_grad, &b->cs_prev_grad, &b->h_prev_grad,
                               &b->w_grad};
    for (int k = 0; k < 4; ++k) {
      TF_RETURN_IF_ERROR(
          views->Output(k, ctx->input(inputs[k]).shape(), outputs[k]));
    }
    TF_RETURN_IF_ERROR(MakePeepholeGrads(ctx, views, 5, 4, &b->peephole_grads));
    return views->Output(7, ctx->input(8).shape(), &b->b_grad);
  }

  // Goes from the last step to the first; computes gates_grad and the gradients
  // of h_prev and cs_prev.
  static Status Steps(OpKernelContext* ctx, LstmViews<T>* views,
                      const Sizes& sizes, const Buffers& b, LstmGradStep step) {
    const int64_t cell = sizes.cell, state = sizes.state();
    const float* w_h = b.w + sizes.inputs * 4 * cell;
    MatMulArgs args{.m = sizes.batch, .n = cell, .k = 4 * cell};
    if (sizes.steps > 1) {
      // It is transposed once, not by each product.
      float* transposed;
      TF_RETURN_IF_ERROR(views->Temporary(4 * cell * cell, &transposed));
      Transpose(w_h, cell, 4 * cell, transposed);
      w_h = transposed;
    } else {
      args.transpose_b = true;
    }
    // A gradient of cs is read from one while the next is written to the other.
    float* spare;
    TF_RETURN_IF_ERROR(views->Temporary(state, &spare));
    const LstmGradStep first = step;
    const float* cs_grad_later = nullptr;
    for (int64_t t = sizes.steps - 1; t >= 0; --t) {
      const int64_t at = t * state;
      step.i = first.i + at;
      step.f = first.f + at;
      step.o = first.o + at;
      step.ci = first.ci + at;
      step.co = first.co + at;
      step.cs_prev = t == 0 ? b.cs_prev : b.cs + at - state;
      step.cs_grad = first.cs_grad + at;
      step.h_grad = first.h_grad + at;
      step.cs_grad_later = cs_grad_later;
      step.gates_grad = b.gates_grad + 4 * at;
      step.cs_prev_grad = t % 2 == 0 ? b.cs_prev_grad : spare;
      ParallelFor(ctx, sizes.batch, cell * kElementCost,
                  [&](int64_t begin, int64_t end) {
                    RunLstmGradStep(step, begin, end);
                  });
      TF_RETURN_IF_ERROR(
          LstmProduct(ctx, args, step.gates_grad, w_h, b.h_prev_grad));
      cs_grad_later = step.cs_prev_grad;
      step.h_grad_later = b.h_prev_grad;
    }
    return OkStatus();
  }

  // Computes the sums over all steps.
  Status Sums(OpKernelContext* ctx, LstmViews<T>* views, const Sizes& sizes,
              const Buffers& b) const {
    const int64_t cell = sizes.cell, state = sizes.state();
    const int64_t rows = sizes.rows(), gates = 4 * cell;
    TF_RETURN_IF_ERROR(LstmProduct(
        ctx, {.m = rows, .n = sizes.inputs, .k = gates, .transpose_b = true},
        b.gates_grad, b.w, b.x_grad));
    TF_RETURN_IF_ERROR(LstmProduct(
        ctx, {.m = sizes.inputs, .n = gates, .k = rows, .transpose_a = true},
        b.x, b.gates_grad, b.w_grad));
    // The h, and then the cs, from which each step started.
    float* before;
    TF_RETURN_IF_ERROR(views->Temporary(rows * cell, &before));
    std::copy_n(b.h_prev, state, before);
    std::copy_n(b.h, rows * cell - state, before + state);
    TF_RETURN_IF_ERROR(LstmProduct(
        ctx, {.m = cell, .n = gates, .k = rows, .transpose_a = true}, before,
        b.gates_grad, b.w_grad + sizes.inputs * gates));
    SumRows(ctx, b.gates_grad, gates, nullptr, 0, rows, gates, b.b_grad);
    if (peepholes_) {
      std::copy_n(b.cs_prev, state, before);
      std::copy_n(b.cs, rows * cell - state, before + state);
      SumPeepholes(ctx, b.gates_grad, order_, before, b.cs, rows, cell,
                   b.peephole_grads);
    }
    return OkStatus();
  }

  bool peepholes_ = false;
  LstmGateOrder order_;
};

REGISTER_KERNEL_FOR_TYPES(Name("BlockLSTMGrad").Device(DEVICE_CPU), "T",
                          BlockLSTMGradOp, Eigen::half, float);
REGISTER_KERNEL_FOR_TYPES(Name("BlockLSTMGradV2").Device(DEVICE_CPU), "T",
                          BlockLSTMGradOp, Eigen::half, float);

}  // namespace tensorwright
