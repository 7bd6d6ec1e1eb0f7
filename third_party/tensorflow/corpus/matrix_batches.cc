// SPDX-License-Identifier: Apache-2.0
// Linear algebra on each matrix of a batch.
#include "tensorflow/core/framework/kernel_def_builder.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/kernels/linalg_ops_common.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/platform/types.h"
#include "third_party/eigen3/Eigen/Cholesky"
#include "third_party/eigen3/Eigen/Core"

namespace tensorflow {

REGISTER_OP("CorpusLogDeterminant")
    .Input("input: T")
    .Output("log_determinant: T")
    .Attr("T: {float, double}")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle batch;
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &batch));
      TF_RETURN_IF_ERROR(c->Subshape(batch, 0, -2, &batch));
      c->set_output(0, batch);
      return Status::OK();
    });

template <class Scalar>
class CorpusLogDeterminantOp : public LinearAlgebraOp<Scalar> {
 public:
  INHERIT_LINALG_TYPEDEFS(Scalar);

  explicit CorpusLogDeterminantOp(OpKernelConstruction* context)
      : Base(context) {}

  TensorShapes GetOutputMatrixShapes(
      const TensorShapes& input_matrix_shapes) const final {
    return TensorShapes({TensorShape({})});
  }

  void ValidateInputMatrixShapes(
      OpKernelContext* context,
      const TensorShapes& input_matrix_shapes) const final {
    Base::ValidateSingleSquareMatrix(context, input_matrix_shapes);
  }

  void ComputeMatrix(OpKernelContext* context, const ConstMatrixMaps& inputs,
                     MatrixMaps* outputs) final {
    const ConstMatrixMap& input = inputs[0];
    Eigen::LLT<Matrix> llt(input);
    OP_REQUIRES(context, llt.info() == Eigen::Success,
                errors::InvalidArgument("the matrix is not positive definite"));
    const Matrix factor = llt.matrixL();
    outputs->at(0)(0, 0) = 2 * factor.diagonal().array().log().sum();
  }
};

REGISTER_LINALG_OP("CorpusLogDeterminant", (CorpusLogDeterminantOp<float>),
                   float);
REGISTER_LINALG_OP("CorpusLogDeterminant", (CorpusLogDeterminantOp<double>),
                   double);

}  // namespace tensorflow
