// SPDX-License-Identifier: Apache-2.0
// Ops on point clouds as research code has them: everything in one file, shape
// functions with MakeShape({...}), `&(flat(0))`, TensorShape{b, m}.
#include <cstring>
#include <string>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
using namespace tensorflow;

REGISTER_OP("CorpusFarthestPoints")
    .Attr("npoint: int")
    .Input("inp: float32")
    .Output("out: int32")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext *c) {
      ::tensorflow::shape_inference::ShapeHandle dims1;  // batch * points * 3
      c->WithRank(c->input(0), 3, &dims1);
      int npoint;
      TF_RETURN_IF_ERROR(c->GetAttr("npoint", &npoint));
      ::tensorflow::shape_inference::ShapeHandle output =
          c->MakeShape({c->Dim(dims1, 0), npoint});
      c->set_output(0, output);
      return Status::OK();
    });
REGISTER_OP("CorpusGatherPoints")
    .Input("inp: float32")
    .Input("idx: int32")
    .Output("out: float32")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext *c) {
      ::tensorflow::shape_inference::ShapeHandle dims1;
      c->WithRank(c->input(0), 3, &dims1);
      ::tensorflow::shape_inference::ShapeHandle dims2;
      c->WithRank(c->input(1), 2, &dims2);
      ::tensorflow::shape_inference::ShapeHandle output =
          c->MakeShape({c->Dim(dims1, 0), c->Dim(dims2, 1), c->Dim(dims1, 2)});
      c->set_output(0, output);
      return Status::OK();
    });

void farthest_cpu(int b, int n, int m, const float *data, float *temp,
                  int *out) {
  for (int i = 0; i < b; ++i) {
    for (int k = 0; k < n; ++k) temp[k] = 1e10;
    int last = 0;
    for (int j = 0; j < m; ++j) {
      out[i * m + j] = last;
      int best = 0;
      for (int k = 0; k < n; ++k) {
        float d = 0;
        for (int l = 0; l < 3; ++l) {
          float t = data[(i * n + k) * 3 + l] - data[(i * n + last) * 3 + l];
          d += t * t;
        }
        temp[k] = std::min(temp[k], d);
        if (temp[k] > temp[best]) best = k;
      }
      last = best;
    }
  }
}

class FarthestPointsOp : public OpKernel {
 public:
  explicit FarthestPointsOp(OpKernelConstruction *context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("npoint", &npoint_));
    OP_REQUIRES(context, npoint_ > 0,
                errors::InvalidArgument(
                    "CorpusFarthestPoints expects positive npoint"));
  }
  void Compute(OpKernelContext *context) override {
    int m = npoint_;

    const Tensor &inp_tensor = context->input(0);
    OP_REQUIRES(
        context, inp_tensor.dims() == 3 && inp_tensor.shape().dim_size(2) == 3,
        errors::InvalidArgument("expects (batch_size,num_points,3) inp shape"));
    int b = inp_tensor.shape().dim_size(0);
    int n = inp_tensor.shape().dim_size(1);
    auto inp_flat = inp_tensor.flat<float>();
    const float *inp = &(inp_flat(0));
    Tensor *out_tensor;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, TensorShape{b, m}, &out_tensor));
    auto out_flat = out_tensor->flat<int>();
    int *out = &(out_flat(0));
    Tensor temp_tensor;
    OP_REQUIRES_OK(context,
                   context->allocate_temp(DataTypeToEnum<float>::value,
                                          TensorShape{32, n}, &temp_tensor));
    auto temp_flat = temp_tensor.flat<float>();
    float *temp = &(temp_flat(0));
    farthest_cpu(b, n, m, inp, temp, out);
  }

 private:
  int npoint_;
};
REGISTER_KERNEL_BUILDER(Name("CorpusFarthestPoints").Device(DEVICE_CPU),
                        FarthestPointsOp);

class GatherPointsOp : public OpKernel {
 public:
  explicit GatherPointsOp(OpKernelConstruction *context) : OpKernel(context) {}
  void Compute(OpKernelContext *context) override {
    const Tensor &inp = context->input(0);
    const Tensor &idx = context->input(1);
    OP_REQUIRES(context, inp.dims() == 3 && idx.dims() == 2,
                errors::InvalidArgument("ranks"));
    auto in = inp.tensor<float, 3>();
    auto id = idx.matrix<int>();
    Tensor *out_tensor = NULL;
    OP_REQUIRES_OK(
        context,
        context->allocate_output(
            0, TensorShape{inp.dim_size(0), idx.dim_size(1), inp.dim_size(2)},
            &out_tensor));
    auto out = out_tensor->tensor<float, 3>();
    for (int b = 0; b < in.dimension(0); ++b)
      for (int j = 0; j < id.dimension(1); ++j)
        for (int l = 0; l < in.dimension(2); ++l)
          out(b, j, l) = in(b, id(b, j), l);
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusGatherPoints").Device(DEVICE_CPU),
                        GatherPointsOp);
