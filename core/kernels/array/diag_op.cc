// SPDX-License-Identifier: Apache-2.0
// Diag and DiagPart: the main diagonal of one matrix, whose rows and columns
// are the elements of a tensor.  diag_op_matrix.cc: diagonals of many matrices.

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/diag_op_band.h"

namespace tensorwright {
namespace {

class DiagOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& diagonal = ctx->input(0);
    OP_REQUIRES(ctx, diagonal.dims() >= 1,
                errors::InvalidArgument(
                    "diagonal must be at least 1-dim, received shape: []"));
    TensorShape shape = diagonal.shape();
    OP_REQUIRES_OK(ctx, shape.AppendShapeWithStatus(diagonal.shape()));
    DiagonalBand band;
    band.rows = band.cols = band.len = diagonal.NumElements();
    WriteDiagonals(ctx, diagonal, band, nullptr, nullptr, shape);
  }
};
REGISTER_KERNEL_BUILDER(Name("Diag").Device(DEVICE_CPU), DiagOp);

class DiagPartOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const int half = in.dims() / 2;
    OP_REQUIRES(ctx, in.dims() > 0 && in.dims() % 2 == 0,
                errors::InvalidArgument(
                    "The rank of the tensor should be even and positive, got "
                    "shape ",
                    in.shape().DebugString()));
    TensorShape shape;
    for (int d = 0; d < half; ++d) {
      OP_REQUIRES(ctx, in.dim_size(d) == in.dim_size(d + half),
                  errors::InvalidArgument(
                      "Invalid shape ", in.shape().DebugString(),
                      ": dimensions ", d, " and ", d + half, " do not match."));
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(in.dim_size(d)));
    }
    DiagonalBand band;
    band.rows = band.cols = band.len = shape.num_elements();
    ReadDiagonals(ctx, in, band, nullptr, shape);
  }
};
REGISTER_KERNEL_BUILDER(Name("DiagPart").Device(DEVICE_CPU), DiagPartOp);

}  // namespace
}  // namespace tensorwright
