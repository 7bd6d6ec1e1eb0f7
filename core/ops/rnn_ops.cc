// SPDX-License-Identifier: Apache-2.0
// Cells of recurrent networks in one op each, and whole sequences of them: the
// LSTM of Hochreiter and Schmidhuber (1997) with the peepholes of Gers and
// Schmidhuber (2000), and the gated unit of Cho et al. (2014).

#include <cstdint>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The input must be a matrix; merges its sizes with *rows and *cols.
Status MergeMatrix(InferenceContext* c, int input, DimensionHandle* rows,
                   DimensionHandle* cols) {
  ShapeHandle s;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(input), 2, &s));
  TF_RETURN_IF_ERROR(c->Merge(*rows, c->Dim(s, 0), rows));
  return c->Merge(*cols, c->Dim(s, 1), cols);
}

Status MergeVector(InferenceContext* c, int input, DimensionHandle* size) {
  ShapeHandle s;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(input), 1, &s));
  return c->Merge(*size, c->Dim(s, 0), size);
}

// The sizes that all ops of LSTMs share.
struct LstmSizes {
  DimensionHandle batch, inputs, cell, gates;
  ShapeHandle wci, wcf, wco;
};

// cs_prev, h_prev [batch, cell], w [inputs + cell, 4 cell], wci, wcf, wco
// [cell], which are not read without peepholes, b [4 cell]: the inputs from
// `first` on.
Status MergeLstm(InferenceContext* c, int first, LstmSizes* sizes) {
  sizes->cell = c->UnknownDim();
  DimensionHandle rows = c->UnknownDim(), quarter;
  sizes->gates = c->UnknownDim();
  TF_RETURN_IF_ERROR(MergeMatrix(c, first, &sizes->batch, &sizes->cell));
  TF_RETURN_IF_ERROR(MergeMatrix(c, first + 1, &sizes->batch, &sizes->cell));
  TF_RETURN_IF_ERROR(MergeMatrix(c, first + 2, &rows, &sizes->gates));
  TF_RETURN_IF_ERROR(MergeVector(c, first + 6, &sizes->gates));
  TF_RETURN_IF_ERROR(c->Divide(sizes->gates, 4, true, &quarter));
  TF_RETURN_IF_ERROR(c->Merge(sizes->cell, quarter, &sizes->cell));
  bool peepholes;
  TF_RETURN_IF_ERROR(c->GetAttr("use_peephole", &peepholes));
  ShapeHandle* const diagonals[] = {&sizes->wci, &sizes->wcf, &sizes->wco};
  for (int i = 0; i < 3; ++i) {
    const int input = first + 3 + i;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(input), 1, diagonals[i]));
    if (peepholes) {
      TF_RETURN_IF_ERROR(MergeVector(c, input, &sizes->cell));
      *diagonals[i] = c->Vector(sizes->cell);
    }
  }
  TF_RETURN_IF_ERROR(c->Multiply(sizes->cell, 4, &sizes->gates));
  DimensionHandle sum;
  TF_RETURN_IF_ERROR(c->Add(sizes->inputs, sizes->cell, &sum));
  return c->Merge(rows, sum, &rows);
}

// The inputs are x [batch, inputs] and the rest.
Status MergeLstmCell(InferenceContext* c, LstmSizes* sizes) {
  ShapeHandle x;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
  sizes->batch = c->Dim(x, 0);
  sizes->inputs = c->Dim(x, 1);
  return MergeLstm(c, 1, sizes);
}

// The inputs are seq_len_max, x [time, batch, inputs] and the rest.
Status MergeLstmSequence(InferenceContext* c, DimensionHandle* time,
                         LstmSizes* sizes) {
  ShapeHandle x, unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &x));
  *time = c->Dim(x, 0);
  sizes->batch = c->Dim(x, 1);
  sizes->inputs = c->Dim(x, 2);
  return MergeLstm(c, 2, sizes);
}

// The inputs from `first` on, `count` of them, have this shape.
Status MergeAlike(InferenceContext* c, int first, int count,
                  ShapeHandle shape) {
  for (int i = first; i < first + count; ++i) {
    TF_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
  }
  return OkStatus();
}

Status LstmCellShape(InferenceContext* c) {
  LstmSizes sizes;
  TF_RETURN_IF_ERROR(MergeLstmCell(c, &sizes));
  for (int i = 0; i < 7; ++i) {
    c->set_output(i, c->Matrix(sizes.batch, sizes.cell));
  }
  return OkStatus();
}

Status LstmCellGradShape(InferenceContext* c) {
  LstmSizes sizes;
  TF_RETURN_IF_ERROR(MergeLstmCell(c, &sizes));
  const ShapeHandle state = c->Matrix(sizes.batch, sizes.cell);
  TF_RETURN_IF_ERROR(MergeAlike(c, 8, 8, state));
  c->set_output(0, state);
  c->set_output(1, c->Matrix(sizes.batch, sizes.gates));
  c->set_output(2, sizes.wci);
  c->set_output(3, sizes.wcf);
  c->set_output(4, sizes.wco);
  return OkStatus();
}

Status LstmSequenceShape(InferenceContext* c) {
  DimensionHandle time;
  LstmSizes sizes;
  TF_RETURN_IF_ERROR(MergeLstmSequence(c, &time, &sizes));
  for (int i = 0; i < 7; ++i) {
    c->set_output(i, c->MakeShape({time, sizes.batch, sizes.cell}));
  }
  return OkStatus();
}

Status LstmSequenceGradShape(InferenceContext* c) {
  DimensionHandle time, rows;
  LstmSizes sizes;
  TF_RETURN_IF_ERROR(MergeLstmSequence(c, &time, &sizes));
  TF_RETURN_IF_ERROR(
      MergeAlike(c, 9, 9, c->MakeShape({time, sizes.batch, sizes.cell})));
  TF_RETURN_IF_ERROR(c->Add(sizes.inputs, sizes.cell, &rows));
  const ShapeHandle state = c->Matrix(sizes.batch, sizes.cell);
  c->set_output(0, c->MakeShape({time, sizes.batch, sizes.inputs}));
  c->set_output(1, state);
  c->set_output(2, state);
  c->set_output(3, c->Matrix(rows, sizes.gates));
  c->set_output(4, sizes.wci);
  c->set_output(5, sizes.wcf);
  c->set_output(6, sizes.wco);
  c->set_output(7, c->Vector(sizes.gates));
  return OkStatus();
}

// The inputs are x [batch, inputs], h_prev [batch, cell], w_ru [inputs + cell,
// 2 cell], w_c [inputs + cell, cell], b_ru [2 cell], b_c [cell].
Status MergeGru(InferenceContext* c, DimensionHandle* batch,
                DimensionHandle* inputs, DimensionHandle* cell,
                DimensionHandle* gates) {
  *batch = c->UnknownDim();
  *inputs = c->UnknownDim();
  *cell = c->UnknownDim();
  *gates = c->UnknownDim();
  DimensionHandle rows = c->UnknownDim(), half, sum;
  TF_RETURN_IF_ERROR(MergeMatrix(c, 0, batch, inputs));
  TF_RETURN_IF_ERROR(MergeMatrix(c, 1, batch, cell));
  TF_RETURN_IF_ERROR(MergeMatrix(c, 2, &rows, gates));
  TF_RETURN_IF_ERROR(MergeMatrix(c, 3, &rows, cell));
  TF_RETURN_IF_ERROR(MergeVector(c, 4, gates));
  TF_RETURN_IF_ERROR(MergeVector(c, 5, cell));
  TF_RETURN_IF_ERROR(c->Divide(*gates, 2, true, &half));
  TF_RETURN_IF_ERROR(c->Merge(*cell, half, cell));
  TF_RETURN_IF_ERROR(c->Multiply(*cell, 2, gates));
  TF_RETURN_IF_ERROR(c->Add(*inputs, *cell, &sum));
  return c->Merge(rows, sum, &rows);
}

Status GruCellShape(InferenceContext* c) {
  DimensionHandle batch, inputs, cell, gates;
  TF_RETURN_IF_ERROR(MergeGru(c, &batch, &inputs, &cell, &gates));
  for (int i = 0; i < 4; ++i) c->set_output(i, c->Matrix(batch, cell));
  return OkStatus();
}

Status GruCellGradShape(InferenceContext* c) {
  DimensionHandle batch, inputs, cell, gates;
  TF_RETURN_IF_ERROR(MergeGru(c, &batch, &inputs, &cell, &gates));
  const ShapeHandle state = c->Matrix(batch, cell);
  TF_RETURN_IF_ERROR(MergeAlike(c, 6, 4, state));
  c->set_output(0, c->Matrix(batch, inputs));
  c->set_output(1, state);
  c->set_output(2, state);
  c->set_output(3, c->Matrix(batch, gates));
  return OkStatus();
}

}  // namespace

REGISTER_OP("LSTMBlockCell")
    .Input("x: T")
    .Input("cs_prev: T")
    .Input("h_prev: T")
    .Input("w: T")
    .Input("wci: T")
    .Input("wcf: T")
    .Input("wco: T")
    .Input("b: T")
    .Output("i: T")
    .Output("cs: T")
    .Output("f: T")
    .Output("o: T")
    .Output("ci: T")
    .Output("co: T")
    .Output("h: T")
    .Attr("forget_bias: float = 1.0")
    .Attr("cell_clip: float = 3.0")
    .Attr("use_peephole: bool = false")
    .Attr("T: {half, float}")
    .SetShapeFn(LstmCellShape)
    .Doc(
        "A step of an LSTM: with [i, ci, f, o] = [x, h_prev] w + b, "
        "forget_bias "
        "added to f and, with peepholes, wci cs_prev, wcf cs_prev and wco cs "
        "to "
        "i, f and o, these are sigmoids, ci a tanh, cs = ci i + cs_prev f, "
        "clipped to cell_clip if that is positive, co = tanh(cs), h = co o: x "
        "[batch, inputs], the rest [batch, cell].");

REGISTER_OP("LSTMBlockCellGrad")
    .Input("x: T")
    .Input("cs_prev: T")
    .Input("h_prev: T")
    .Input("w: T")
    .Input("wci: T")
    .Input("wcf: T")
    .Input("wco: T")
    .Input("b: T")
    .Input("i: T")
    .Input("cs: T")
    .Input("f: T")
    .Input("o: T")
    .Input("ci: T")
    .Input("co: T")
    .Input("cs_grad: T")
    .Input("h_grad: T")
    .Output("cs_prev_grad: T")
    .Output("dicfo: T")
    .Output("wci_grad: T")
    .Output("wcf_grad: T")
    .Output("wco_grad: T")
    .Attr("use_peephole: bool")
    .Attr("T: {half, float}")
    .SetShapeFn(LstmCellGradShape)
    .Doc(
        "Gradients of LSTMBlockCell by cs_prev [batch, cell], by the gates i, "
        "ci, f, o before their functions [batch, 4 cell] and by the peepholes' "
        "weights [cell], which are 0 without peepholes; clipping does not "
        "count.");

REGISTER_OP("BlockLSTM")
    .Input("seq_len_max: int64")
    .Input("x: T")
    .Input("cs_prev: T")
    .Input("h_prev: T")
    .Input("w: T")
    .Input("wci: T")
    .Input("wcf: T")
    .Input("wco: T")
    .Input("b: T")
    .Output("i: T")
    .Output("cs: T")
    .Output("f: T")
    .Output("o: T")
    .Output("ci: T")
    .Output("co: T")
    .Output("h: T")
    .Attr("forget_bias: float = 1.0")
    .Attr("cell_clip: float = 3.0")
    .Attr("use_peephole: bool = false")
    .Attr("T: {half, float}")
    .SetShapeFn(LstmSequenceShape)
    .Doc(
        "LSTMBlockCell along x [time, batch, inputs], each step from the cs "
        "and h of the one before; what follows seq_len_max steps is 0: "
        "[time, batch, cell].");

REGISTER_OP("BlockLSTMV2")
    .Input("seq_len_max: int64")
    .Input("x: T")
    .Input("cs_prev: T")
    .Input("h_prev: T")
    .Input("w: T")
    .Input("wci: T")
    .Input("wcf: T")
    .Input("wco: T")
    .Input("b: T")
    .Output("i: T")
    .Output("cs: T")
    .Output("f: T")
    .Output("o: T")
    .Output("ci: T")
    .Output("co: T")
    .Output("h: T")
    .Attr("cell_clip: float = 0.0")
    .Attr("use_peephole: bool = false")
    .Attr("T: {half, float}")
    .SetShapeFn(LstmSequenceShape)
    .Doc(
        "BlockLSTM without a bias of its own for f, and with w and b in the "
        "order i, f, ci, o: [time, batch, inputs] -> [time, batch, cell].");

REGISTER_OP("BlockLSTMGrad")
    .Input("seq_len_max: int64")
    .Input("x: T")
    .Input("cs_prev: T")
    .Input("h_prev: T")
    .Input("w: T")
    .Input("wci: T")
    .Input("wcf: T")
    .Input("wco: T")
    .Input("b: T")
    .Input("i: T")
    .Input("cs: T")
    .Input("f: T")
    .Input("o: T")
    .Input("ci: T")
    .Input("co: T")
    .Input("h: T")
    .Input("cs_grad: T")
    .Input("h_grad: T")
    .Output("x_grad: T")
    .Output("cs_prev_grad: T")
    .Output("h_prev_grad: T")
    .Output("w_grad: T")
    .Output("wci_grad: T")
    .Output("wcf_grad: T")
    .Output("wco_grad: T")
    .Output("b_grad: T")
    .Attr("use_peephole: bool")
    .Attr("T: {half, float}")
    .SetShapeFn(LstmSequenceGradShape)
    .Doc(
        "Gradients of BlockLSTM by its inputs, for those of cs and h [time, "
        "batch, cell]; clipping does not count, and without peepholes those of "
        "their weights are 0.");

REGISTER_OP("BlockLSTMGradV2")
    .Input("seq_len_max: int64")
    .Input("x: T")
    .Input("cs_prev: T")
    .Input("h_prev: T")
    .Input("w: T")
    .Input("wci: T")
    .Input("wcf: T")
    .Input("wco: T")
    .Input("b: T")
    .Input("i: T")
    .Input("cs: T")
    .Input("f: T")
    .Input("o: T")
    .Input("ci: T")
    .Input("co: T")
    .Input("h: T")
    .Input("cs_grad: T")
    .Input("h_grad: T")
    .Output("x_grad: T")
    .Output("cs_prev_grad: T")
    .Output("h_prev_grad: T")
    .Output("w_grad: T")
    .Output("wci_grad: T")
    .Output("wcf_grad: T")
    .Output("wco_grad: T")
    .Output("b_grad: T")
    .Attr("use_peephole: bool")
    .Attr("T: {half, float}")
    .SetShapeFn(LstmSequenceGradShape)
    .Doc(
        "Gradients of BlockLSTMV2 by its inputs, for those of cs and h [time, "
        "batch, cell].");

REGISTER_OP("GRUBlockCell")
    .Input("x: T")
    .Input("h_prev: T")
    .Input("w_ru: T")
    .Input("w_c: T")
    .Input("b_ru: T")
    .Input("b_c: T")
    .Output("r: T")
    .Output("u: T")
    .Output("c: T")
    .Output("h: T")
    .Attr("T: {float}")
    .SetShapeFn(GruCellShape)
    .Doc(
        "A step of a gated unit: [r, u] = sigmoid([x, h_prev] w_ru + b_ru), c "
        "= "
        "tanh([x, h_prev r] w_c + b_c), h = (1 - u) c + u h_prev: x [batch, "
        "inputs], the rest [batch, cell].");

REGISTER_OP("GRUBlockCellGrad")
    .Input("x: T")
    .Input("h_prev: T")
    .Input("w_ru: T")
    .Input("w_c: T")
    .Input("b_ru: T")
    .Input("b_c: T")
    .Input("r: T")
    .Input("u: T")
    .Input("c: T")
    .Input("d_h: T")
    .Output("d_x: T")
    .Output("d_h_prev: T")
    .Output("d_c_bar: T")
    .Output("d_r_bar_u_bar: T")
    .Attr("T: {float}")
    .SetShapeFn(GruCellGradShape)
    .Doc(
        "Gradients of GRUBlockCell's h by x [batch, inputs] and h_prev [batch, "
        "cell], and by c, r and u before their functions: [batch, cell], "
        "[batch, 2 cell].");

}  // namespace tensorwright
