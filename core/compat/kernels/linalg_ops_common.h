// SPDX-License-Identifier: Apache-2.0
// LinearAlgebraOp: a kernel on matrices that is called for each matrix of a
// batch.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_LINALG_OPS_COMMON_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_LINALG_OPS_COMMON_H_

#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "absl/container/inlined_vector.h"
#include "core/compat/util/work_sharder.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// Inputs are [..., m, n]; all have the same leading dimensions.  A subclass
// tells the shapes of the output matrices, and computes those of one batch
// entry.
template <class InputScalar, class OutputScalar = InputScalar>
class LinearAlgebraOp : public OpKernel {
 public:
  explicit LinearAlgebraOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    TensorShape batch;
    TensorShapes in_shapes, out_shapes;
    AnalyzeInputs(context, &in_shapes, &batch);
    if (!context->status().ok()) return;
    ValidateInputMatrixShapes(context, in_shapes);
    if (!context->status().ok()) return;
    out_shapes = GetOutputMatrixShapes(in_shapes);
    std::vector<Tensor*> outputs;
    PrepareOutputs(context, batch, out_shapes, &outputs);
    if (!context->status().ok()) return;
    const auto* workers = context->device()->tensorflow_cpu_worker_threads();
    Shard(workers->num_threads, workers->workers, batch.num_elements(),
          GetCostPerUnit(in_shapes), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              ComputeEntry(context, i, in_shapes, out_shapes, outputs);
            }
          });
  }

 protected:
  using TensorShapes = absl::InlinedVector<TensorShape, 4>;
  using InputMatrix = Eigen::Matrix<InputScalar, Eigen::Dynamic, Eigen::Dynamic,
                                    Eigen::RowMajor>;
  using OutputMatrix = Eigen::Matrix<OutputScalar, Eigen::Dynamic,
                                     Eigen::Dynamic, Eigen::RowMajor>;
  using InputConstMatrixMap = Eigen::Map<const InputMatrix>;
  using InputMatrixMap = Eigen::Map<InputMatrix>;
  using OutputConstMatrixMap = Eigen::Map<const OutputMatrix>;
  using OutputMatrixMap = Eigen::Map<OutputMatrix>;
  using InputConstMatrixMaps = absl::InlinedVector<InputConstMatrixMap, 4>;
  using OutputMatrixMaps = absl::InlinedVector<OutputMatrixMap, 4>;
  using InputRealScalar = typename Eigen::NumTraits<InputScalar>::Real;
  using OutputRealScalar = typename Eigen::NumTraits<OutputScalar>::Real;
  // For subclasses whose scalars are of one type.
  using Scalar = InputScalar;
  using Matrix = InputMatrix;
  using ConstMatrixMap = InputConstMatrixMap;
  using MatrixMap = InputMatrixMap;
  using ConstMatrixMaps = InputConstMatrixMaps;
  using MatrixMaps = OutputMatrixMaps;
  using RealScalar = InputRealScalar;

  // The other inputs are scalars after the matrices, such as l2 of a
  // regularised solver.
  virtual int NumMatrixInputs(const OpKernelContext* context) const {
    return const_cast<OpKernelContext*>(context)->num_inputs();
  }
  // Sets the context's status if the matrices do not fit.
  virtual void ValidateInputMatrixShapes(
      OpKernelContext* context, const TensorShapes& input_matrix_shapes) const {
    ValidateSingleMatrix(context, input_matrix_shapes);
  }
  virtual TensorShapes GetOutputMatrixShapes(
      const TensorShapes& input_matrix_shapes) const {
    return TensorShapes({input_matrix_shapes[0]});
  }
  // About the CPU cycles of one matrix.
  virtual int64_t GetCostPerUnit(
      const TensorShapes& input_matrix_shapes) const {
    const double m = static_cast<double>(input_matrix_shapes[0].dim_size(0));
    const double n = static_cast<double>(input_matrix_shapes[0].dim_size(1));
    const double cost = 2 * std::max(m, n) * std::min(m, n) * std::min(m, n);
    return cost >= 1e18 ? int64_t{1000000000000000000}
                        : static_cast<int64_t>(cost);
  }
  // Kept for subclasses that declare that they cannot share buffers; buffers
  // are never shared here.
  virtual bool EnableInputForwarding() const { return false; }
  virtual void ComputeMatrix(OpKernelContext* context,
                             const InputConstMatrixMaps& inputs,
                             OutputMatrixMaps* outputs) = 0;

  static void ValidateSingleMatrix(OpKernelContext* context,
                                   const TensorShapes& shapes) {
    OP_REQUIRES(
        context, shapes.size() == 1,
        errors::InvalidArgument(context->op_kernel().type_string(),
                                ": takes one matrix, got ", shapes.size()));
  }
  static void ValidateSingleSquareMatrix(OpKernelContext* context,
                                         const TensorShapes& shapes) {
    ValidateSingleMatrix(context, shapes);
    if (!context->status().ok()) return;
    OP_REQUIRES(context, TensorShapeUtils::IsSquareMatrix(shapes[0]),
                errors::InvalidArgument(context->op_kernel().type_string(),
                                        ": the matrix must be square, got ",
                                        shapes[0].DebugString()));
  }
  static void ValidateSolver(OpKernelContext* context,
                             const TensorShapes& shapes) {
    OP_REQUIRES(
        context, shapes.size() == 2,
        errors::InvalidArgument(context->op_kernel().type_string(),
                                ": takes two matrices, got ", shapes.size()));
    OP_REQUIRES(context, shapes[0].dim_size(0) == shapes[1].dim_size(0),
                errors::InvalidArgument(
                    context->op_kernel().type_string(),
                    ": both matrices must have the same number of rows, got ",
                    shapes[0].DebugString(), " and ", shapes[1].DebugString()));
  }
  static void ValidateSquareSolver(OpKernelContext* context,
                                   const TensorShapes& shapes) {
    ValidateSolver(context, shapes);
    if (!context->status().ok()) return;
    OP_REQUIRES(
        context, TensorShapeUtils::IsSquareMatrix(shapes[0]),
        errors::InvalidArgument(context->op_kernel().type_string(),
                                ": the first matrix must be square, got ",
                                shapes[0].DebugString()));
  }

 private:
  void AnalyzeInputs(OpKernelContext* context, TensorShapes* in_shapes,
                     TensorShape* batch) {
    for (int i = 0; i < NumMatrixInputs(context); ++i) {
      const Tensor& in = context->input(i);
      const int rank = in.dims();
      OP_REQUIRES(context, rank >= 2,
                  errors::InvalidArgument(type_string(), ": input ", i,
                                          " must have rank >= 2, got shape ",
                                          in.shape().DebugString()));
      TensorShape mine;
      for (int d = 0; d < rank - 2; ++d) mine.AddDim(in.dim_size(d));
      if (i == 0) *batch = mine;
      OP_REQUIRES(context, mine == *batch,
                  errors::InvalidArgument(
                      type_string(), ": inputs must be batches of one shape, ",
                      batch->DebugString(), ", got ", mine.DebugString(),
                      " for input ", i));
      in_shapes->push_back(
          TensorShape({in.dim_size(rank - 2), in.dim_size(rank - 1)}));
    }
  }

  void PrepareOutputs(OpKernelContext* context, const TensorShape& batch,
                      const TensorShapes& out_shapes,
                      std::vector<Tensor*>* outputs) {
    OP_REQUIRES(context,
                static_cast<int>(out_shapes.size()) == context->num_outputs(),
                errors::Internal(type_string(), ": ", out_shapes.size(),
                                 " output shapes for ", context->num_outputs(),
                                 " outputs"));
    for (size_t i = 0; i < out_shapes.size(); ++i) {
      TensorShape shape = batch;
      shape.AppendShape(out_shapes[i]);
      Tensor* out = nullptr;
      OP_REQUIRES_OK(
          context, context->allocate_output(static_cast<int>(i), shape, &out));
      outputs->push_back(out);
    }
  }

  void ComputeEntry(OpKernelContext* context, int64_t entry,
                    const TensorShapes& in_shapes,
                    const TensorShapes& out_shapes,
                    const std::vector<Tensor*>& outputs) {
    InputConstMatrixMaps ins;
    for (size_t i = 0; i < in_shapes.size(); ++i) {
      const TensorShape& s = in_shapes[i];
      const auto flat =
          context->input(static_cast<int>(i)).template flat<InputScalar>();
      ins.emplace_back(flat.data() + entry * s.num_elements(), s.dim_size(0),
                       s.dim_size(1));
    }
    OutputMatrixMaps outs;
    for (size_t i = 0; i < out_shapes.size(); ++i) {
      // An output may be a vector or a scalar; Eigen sees a matrix.
      const TensorShape& s = out_shapes[i];
      const int64_t rows = s.dims() >= 1 ? s.dim_size(0) : 1;
      const int64_t cols = s.dims() == 2 ? s.dim_size(1) : 1;
      OutputScalar* data = outputs[i]->template flat<OutputScalar>().data();
      outs.emplace_back(data + entry * s.num_elements(), rows, cols);
    }
    ComputeMatrix(context, ins, &outs);
  }
};

namespace linalg_internal {
template <typename Function>
struct ParameterOf;
template <typename Parameter>
struct ParameterOf<void(Parameter)> {
  using type = Parameter;
};
}  // namespace linalg_internal

}  // namespace tensorwright

// The names above, in a subclass of the class template.
#define INHERIT_LINALG_TYPEDEFS(Scalar)                       \
  typedef LinearAlgebraOp<Scalar> Base;                       \
  using RealScalar = typename Eigen::NumTraits<Scalar>::Real; \
  using Matrix = typename Base::Matrix;                       \
  using MatrixMap = typename Base::MatrixMap;                 \
  using MatrixMaps = typename Base::MatrixMaps;               \
  using ConstMatrixMap = typename Base::ConstMatrixMap;       \
  using ConstMatrixMaps = typename Base::ConstMatrixMaps;     \
  using TensorShapes = typename Base::TensorShapes

// OpClass may stand in parentheses, which a comma in it needs.
#define REGISTER_LINALG_OP_CPU(OpName, OpClass, Scalar)            \
  REGISTER_KERNEL_BUILDER(                                         \
      Name(OpName).Device(DEVICE_CPU).TypeConstraint<Scalar>("T"), \
      ::tensorwright::linalg_internal::ParameterOf<void(OpClass)>::type)
#define REGISTER_LINALG_OP(OpName, OpClass, Scalar) \
  REGISTER_LINALG_OP_CPU(OpName, OpClass, Scalar)

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_LINALG_OPS_COMMON_H_
