// SPDX-License-Identifier: Apache-2.0
// Eigen on tensors: slice, chip, broadcast, reduce, contract, shuffle, pad,
// reverse, generate, cast, maps onto matrices, with and without a device.
#define EIGEN_USE_THREADS

#include <cmath>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "third_party/eigen3/Eigen/Core"
#include "third_party/eigen3/Eigen/Dense"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

using namespace tensorflow;

typedef Eigen::ThreadPoolDevice CPUDevice;
using Matrix =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMatrixMap = Eigen::Map<const Matrix>;
using MatrixMap = Eigen::Map<Matrix>;

REGISTER_OP("CorpusSoftmaxXent")
    .Input("logits: float")
    .Input("weights: float")
    .Output("softmax: float")
    .Output("projected: float")
    .Output("moments: double")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle logits, weights;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &logits));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &weights));
      c->set_output(0, logits);
      c->set_output(1, c->Matrix(c->Dim(logits, 0), c->Dim(weights, 1)));
      c->set_output(2, c->Vector(4));
      return Status::OK();
    });

template <typename Device>
class SoftmaxXentOp : public OpKernel {
 public:
  explicit SoftmaxXentOp(OpKernelConstruction* c) : OpKernel(c) {}

  void Compute(OpKernelContext* ctx) override {
    const Device& d = ctx->template eigen_device<Device>();
    const Tensor& logits_in = ctx->input(0);
    const Tensor& weights_in = ctx->input(1);
    auto logits = logits_in.matrix<float>();
    auto weights = weights_in.matrix<float>();
    OP_REQUIRES(ctx, logits.dimension(1) == weights.dimension(0),
                errors::InvalidArgument("inner dimensions differ"));
    Tensor *softmax_out, *projected_out, *moments_out;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, logits_in.shape(), &softmax_out));
    OP_REQUIRES_OK(
        ctx,
        ctx->allocate_output(
            1, TensorShape({logits_in.dim_size(0), weights_in.dim_size(1)}),
            &projected_out));
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(2, TensorShape({4}), &moments_out));

    const int kBatchDim = 0;
    const int kClassDim = 1;
    const int batch_size = logits.dimension(kBatchDim);
    const int num_classes = logits.dimension(kClassDim);
    Eigen::DSizes<int, 1> along_class(kClassDim);
    Eigen::DSizes<int, 2> batch_by_one(batch_size, 1);
    Eigen::DSizes<int, 2> one_by_class(1, num_classes);

    auto softmax = softmax_out->matrix<float>();
    softmax.device(d) = (logits - logits.maximum(along_class)
                                      .eval()
                                      .reshape(batch_by_one)
                                      .broadcast(one_by_class))
                            .exp();
    softmax.device(d) = softmax * softmax.sum(along_class)
                                      .inverse()
                                      .eval()
                                      .reshape(batch_by_one)
                                      .broadcast(one_by_class);

    Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1> dims;
    dims[0].first = 1;
    dims[0].second = 0;
    projected_out->matrix<float>().device(d) = logits.contract(weights, dims);
    // The same by Eigen's dense matrices.
    Matrix dense =
        ConstMatrixMap(logits.data(), batch_size, num_classes) *
        ConstMatrixMap(weights.data(), num_classes, weights.dimension(1));
    MatrixMap projected(projected_out->flat<float>().data(), batch_size,
                        weights.dimension(1));
    OP_REQUIRES(ctx, (projected - dense).norm() < 1e-3,
                errors::Internal("two products differ"));

    auto moments = moments_out->vec<double>();
    Eigen::Tensor<float, 0, Eigen::RowMajor> mean = logits.mean();
    moments(0) = mean();
    Eigen::Tensor<double, 0, Eigen::RowMajor> square =
        logits.cast<double>().square().sum();
    moments(1) = square();
    Eigen::array<int, 2> offsets = {0, 0};
    Eigen::array<int, 2> extents = {1, num_classes};
    Eigen::Tensor<float, 2, Eigen::RowMajor> first =
        logits.slice(offsets, extents);
    Eigen::Tensor<float, 1, Eigen::RowMajor> row = logits.template chip<0>(0);
    Eigen::Tensor<float, 0, Eigen::RowMajor> same =
        (first.reshape(Eigen::array<int, 1>{num_classes}) - row)
            .abs()
            .maximum();
    moments(2) = same();
    Eigen::array<int, 2> shuffle({1, 0});
    Eigen::array<std::pair<int, int>, 2> paddings;
    paddings[0] = std::make_pair(1, 0);
    paddings[1] = std::make_pair(0, 2);
    Eigen::array<bool, 2> reversed({true, false});
    Eigen::Tensor<float, 2, Eigen::RowMajor> moved =
        logits.shuffle(shuffle).pad(paddings).reverse(reversed);
    moments(3) = moved.dimension(0) * 100 + moved.dimension(1);
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusSoftmaxXent").Device(DEVICE_CPU),
                        SoftmaxXentOp<CPUDevice>);
