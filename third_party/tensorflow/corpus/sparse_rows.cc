// SPDX-License-Identifier: Apache-2.0
// Sparse tensors: as TensorFlow 1.x makes and checks them, and as 2.x does.
#define EIGEN_USE_THREADS

#include <vector>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/util/sparse/sparse_tensor.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

REGISTER_OP("CorpusSparseRowSums")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Output("rows: int64")
    .Output("sums: T")
    .Output("dense: T")
    .Attr("T: {float, double, int32}")
    .SetShapeFn([](InferenceContext* c) {
      TF_RETURN_IF_ERROR(shape_inference::ValidateSparseTensor(
          c, c->input(0), c->input(1), c->input(2)));
      c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
      c->set_output(1, c->Vector(InferenceContext::kUnknownDim));
      ShapeHandle dense;
      TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &dense));
      c->set_output(2, dense);
      return Status::OK();
    });

template <typename T>
class CorpusSparseRowSumsOp : public OpKernel {
 public:
  explicit CorpusSparseRowSumsOp(OpKernelConstruction* context)
      : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor* shape_in;
    OP_REQUIRES_OK(context, context->input("shape", &shape_in));
    TensorShape shape;
    OP_REQUIRES_OK(
        context, TensorShapeUtils::MakeShape(shape_in->vec<int64>().data(),
                                             shape_in->NumElements(), &shape));
    OP_REQUIRES(context, shape.dims() >= 1,
                errors::InvalidArgument("shape must not be a scalar's"));
    std::vector<int64> order(shape.dims());
    std::iota(order.begin(), order.end(), 0);
    sparse::SparseTensor st;
    OP_REQUIRES_OK(context,
                   sparse::SparseTensor::Create(
                       tensor::DeepCopy(context->input(0)),
                       tensor::DeepCopy(context->input(1)), shape, &st));
    st.Reorder<T>(order);
    OP_REQUIRES_OK(context, st.IndicesValid());

    std::vector<int64> rows;
    std::vector<T> sums;
    for (const auto& g : st.group({0})) {
      rows.push_back(g.group()[0]);
      T sum = 0;
      const auto values = g.template values<T>();
      CHECK_EQ(g.indices().dimension(0), values.size());
      for (int64 i = 0; i < values.size(); ++i) sum += values(i);
      sums.push_back(sum);
    }
    const int64 n = rows.size();
    Tensor *rows_out = nullptr, *sums_out = nullptr, *dense = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, TensorShape({n}), &rows_out));
    OP_REQUIRES_OK(context,
                   context->allocate_output(1, TensorShape({n}), &sums_out));
    OP_REQUIRES_OK(context, context->allocate_output(2, shape, &dense));
    std::copy(rows.begin(), rows.end(), rows_out->vec<int64>().data());
    std::copy(sums.begin(), sums.end(), sums_out->vec<T>().data());
    OP_REQUIRES(context, st.ToDense<T>(dense),
                errors::InvalidArgument("the entries do not fit"));
  }
};

#define REGISTER(T)                                                          \
  REGISTER_KERNEL_BUILDER(                                                   \
      Name("CorpusSparseRowSums").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      CorpusSparseRowSumsOp<T>);
REGISTER(float);
REGISTER(double);
REGISTER(int32);
#undef REGISTER

REGISTER_OP("CorpusSparseParts")
    .Input("indices: int64")
    .Input("values: float")
    .Input("shape: int64")
    .Output("sizes: int64")
    .Output("joined: float");

// The spellings of 1.x: a constructor, and a bool for valid indices.
class CorpusSparsePartsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const TensorShape shape(context->input(2).vec<int64>());
    gtl::InlinedVector<int64, 8> order(shape.dims());
    std::iota(order.begin(), order.end(), 0);
    sparse::SparseTensor st(context->input(0), context->input(1), shape, order);
    OP_REQUIRES(context, st.IndicesValid(),
                errors::InvalidArgument("indices are out of order"));
    std::vector<sparse::SparseTensor> parts;
    OP_REQUIRES_OK(context,
                   sparse::SparseTensor::Split<float>(st, 0, 2, &parts));
    Tensor* sizes = nullptr;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, TensorShape({2}), &sizes));
    sizes->vec<int64>()(0) = parts[0].num_entries();
    sizes->vec<int64>()(1) = parts[1].num_entries();
    sparse::SparseTensor joined = sparse::SparseTensor::Concat<float>(parts);
    context->set_output(1, joined.values());
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusSparseParts").Device(DEVICE_CPU),
                        CorpusSparsePartsOp);

}  // namespace tensorflow
