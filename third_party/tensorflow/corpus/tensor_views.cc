// SPDX-License-Identifier: Apache-2.0
// Every view of a tensor, slices, shapes built and taken apart.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/types.h"

using namespace tensorflow;

REGISTER_OP("CorpusViews")
    .Input("x: float")
    .Output("facts: int64")
    .Output("copy: float")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0,
                    c->Vector(shape_inference::InferenceContext::kUnknownDim));
      c->set_output(1, c->input(0));
      return tensorflow::Status();
    });

class ViewsOp : public OpKernel {
 public:
  explicit ViewsOp(OpKernelConstruction* c) : OpKernel(c) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    OP_REQUIRES(ctx, x.dims() == 3, errors::InvalidArgument("rank 3 please"));
    std::vector<int64> facts;

    TensorShape shape = x.shape();
    shape.AddDim(1);
    shape.InsertDim(0, 1);
    facts.push_back(shape.dims());
    shape.RemoveDim(0);
    shape.RemoveLastDims(1);
    shape.set_dim(2, 7);
    facts.push_back(shape.num_elements());
    TensorShape appended({2});
    appended.AppendShape(shape);
    facts.push_back(appended.dims());
    int64 product = 1;
    for (auto dim : x.shape()) product *= dim.size;
    for (int64 size : x.shape().dim_sizes()) product -= size;
    facts.push_back(product);
    TensorShape built;
    OP_REQUIRES_OK(ctx, TensorShapeUtils::MakeShape(
                            gtl::ArraySlice<int64>({2, 3}), &built));
    OP_REQUIRES_OK(ctx, TensorShape::BuildTensorShape({2, 3, 4}, &built));
    facts.push_back(built.num_elements());
    OP_REQUIRES(ctx, TensorShapeUtils::StartsWith(built, TensorShape({2, 3})),
                errors::Internal("StartsWith"));
    OP_REQUIRES(ctx, TensorShapeUtils::EndsWith(built, TensorShape({4})),
                errors::Internal("EndsWith"));
    OP_REQUIRES(ctx, built.IsSameSize(TensorShape({2, 3, 4})),
                errors::Internal("IsSameSize"));

    auto cube = x.tensor<float, 3>();
    auto flat = x.flat<float>();
    auto inner = x.flat_inner_dims<float>();
    auto outer = x.flat_outer_dims<float>();
    auto inner3 = x.flat_inner_dims<float, 4>();
    auto middle = x.flat_inner_outer_dims<float, 2>(0);
    auto shaped =
        x.shaped<float, 2>({x.dim_size(0), x.NumElements() / x.dim_size(0)});
    auto bits = x.bit_casted_tensor<int32, 3>();
    auto bits1 = x.bit_casted_shaped<int32, 1>({x.NumElements()});
    auto unaligned = x.unaligned_flat<float>();
    facts.push_back(cube.dimension(2) + flat.size());
    facts.push_back(inner.dimension(0) * 1000 + outer.dimension(1));
    facts.push_back(inner3.dimension(0) * 10 + middle.dimension(0));
    facts.push_back(shaped.dimension(1) + bits.dimension(0) + bits1.size() +
                    unaligned.size());
    Tensor row = x.Slice(0, 1);
    Tensor element = x.SubSlice(0);
    facts.push_back(row.dims() * 10 + element.dims());
    facts.push_back(x.tensor_data().size() + x.TotalBytes());
    facts.push_back(row.SharesBufferWith(x) && !x.SharesBufferWith(Tensor()));

    Tensor reshaped(x.dtype());
    OP_REQUIRES(ctx, reshaped.CopyFrom(x, TensorShape({x.NumElements()})),
                errors::Internal("CopyFrom"));
    CHECK(!reshaped.CopyFrom(x, TensorShape({x.NumElements() + 1})));
    TensorProto proto;
    x.AsProtoField(&proto);
    x.AsProtoTensorContent(&proto);
    Tensor parsed;
    OP_REQUIRES(ctx, parsed.FromProto(proto), errors::Internal("FromProto"));
    Tensor half(DT_HALF, TensorShape({2, 2}));
    half.flat<Eigen::half>().setConstant(Eigen::half(1.5f));
    Tensor scalar(int64{3});
    facts.push_back(scalar.scalar<int64>()() + half.NumElements());
    Tensor deep = tensor::DeepCopy(parsed);
    std::vector<Tensor> parts;
    OP_REQUIRES_OK(ctx, tensor::Split(deep, {1, x.dim_size(0) - 1}, &parts));
    Tensor joined;
    OP_REQUIRES_OK(ctx, tensor::Concat(parts, &joined));

    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(
                 0, TensorShape({static_cast<int64>(facts.size())}), &out));
    std::copy_n(facts.begin(), facts.size(), out->flat<int64>().data());
    ctx->set_output(1, joined);
    LOG_IF(WARNING, x.NumElements() == 0) << x.DebugString();
    VLOG(3) << x.SummarizeValue(3) << DataTypeString(x.dtype());
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusViews").Device(DEVICE_CPU), ViewsOp);
