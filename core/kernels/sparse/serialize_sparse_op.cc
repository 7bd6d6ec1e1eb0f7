// SPDX-License-Identifier: Apache-2.0
// SerializeSparse, SerializeManySparse and their inverses: they convert the
// three parts of a sparse tensor to TensorProtos, or to variants that hold
// tensors, and back.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/variant.h"
#include "core/kernels/sparse/sparse_tensors_batch.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// Writes the tensor as element `i` of `out`, in the form of out's dtype.
void Write(const Tensor& t, int64_t i, Tensor* out) {
  if (out->dtype() == DT_VARIANT) {
    out->base<Variant>()[i] = t;
    return;
  }
  TensorProto proto;
  t.AsProtoTensorContent(&proto);
  out->base<std::string>()[i] = proto.SerializeAsString();
}

class SerializeSparseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    OP_REQUIRES(
        ctx,
        in.indices.dims() == 2 && in.values.dims() == 1 && in.shape.dims() == 1,
        errors::InvalidArgument(
            "Input indices should be a matrix, values and shape "
            "vectors, but received shapes ",
            in.indices.shape().DebugString(), ", ",
            in.values.shape().DebugString(), " and ",
            in.shape.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({kSparseParts}), &out));
    Write(in.indices, 0, out);
    Write(in.values, 1, out);
    Write(in.shape, 2, out);
  }
};
REGISTER_KERNEL_BUILDER(Name("SerializeSparse").Device(DEVICE_CPU),
                        SerializeSparseOp);

// Serializes, for each row of the first dimension, a sparse tensor of the other
// dimensions.
class SerializeManySparseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    std::vector<SparseParts> rows;
    OP_REQUIRES_OK(ctx, CutIntoRows(in, &rows));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx,
        ctx->allocate_output(
            0, TensorShape({static_cast<int64_t>(rows.size()), kSparseParts}),
            &out));
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) * kSparseParts;
      Write(rows[i].indices, at, out);
      Write(rows[i].values, at + 1, out);
      Write(rows[i].shape, at + 2, out);
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("SerializeManySparse").Device(DEVICE_CPU),
                        SerializeManySparseOp);

Status Read(const Tensor& in, int64_t i, DataType dtype, int rank,
            const char* what, Tensor* out) {
  if (in.dtype() == DT_VARIANT) {
    const Tensor* held = in.base<Variant>()[i].get<Tensor>();
    if (held == nullptr) {
      return errors::InvalidArgument(
          "Could not get a tensor from serialized_"
          "sparse, element ",
          i);
    }
    *out = *held;
  } else {
    TensorProto proto;
    if (!proto.ParseFromString(in.base<std::string>()[i]) ||
        !out->FromProto(proto)) {
      return errors::InvalidArgument(
          "Could not parse serialized_sparse, "
          "element ",
          i, ", as a tensor of ", what);
    }
  }
  if (out->dtype() != dtype) {
    return errors::InvalidArgument("serialized_sparse, element ", i, ": ", what,
                                   " must be ", DataTypeString(dtype), ", got ",
                                   DataTypeString(out->dtype()));
  }
  if (out->dims() != rank) {
    return errors::InvalidArgument("serialized_sparse, element ", i, ": ", what,
                                   " must be of rank ", rank, ", got shape ",
                                   out->shape().DebugString());
  }
  return OkStatus();
}

// serialized [..., 3] -> a sparse tensor [..., largest sizes].
class DeserializeSparseOp final : public OpKernel {
 public:
  explicit DeserializeSparseOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    OP_REQUIRES(
        ctx, in.dims() > 0 && in.dim_size(in.dims() - 1) == kSparseParts,
        errors::InvalidArgument("Serialized sparse should have 3 as the last "
                                "dimension but received shape ",
                                in.shape().DebugString()));
    OP_REQUIRES(ctx, type_string() != "DeserializeManySparse" || in.dims() == 2,
                errors::InvalidArgument(
                    "Serialized sparse should be a matrix but received shape ",
                    in.shape().DebugString()));
    OP_REQUIRES(ctx, in.NumElements() > 0,
                errors::InvalidArgument("Must have at least 1 serialized "
                                        "SparseTensor, but input has none"));
    const int64_t n = in.NumElements() / kSparseParts;
    std::vector<SparseParts> parts(n);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = i * kSparseParts;
      OP_REQUIRES_OK(ctx,
                     Read(in, at, DT_INT64, 2, "indices", &parts[i].indices));
      OP_REQUIRES_OK(ctx,
                     Read(in, at + 1, dtype_, 1, "values", &parts[i].values));
      OP_REQUIRES_OK(ctx,
                     Read(in, at + 2, DT_INT64, 1, "shape", &parts[i].shape));
    }
    std::vector<int64_t> outer;
    for (int d = 0; d + 1 < in.dims(); ++d) outer.push_back(in.dim_size(d));
    OP_REQUIRES_OK(ctx, JoinRows(ctx, parts, outer));
  }

 private:
  DataType dtype_ = DT_INVALID;
};
REGISTER_KERNEL_BUILDER(Name("DeserializeSparse").Device(DEVICE_CPU),
                        DeserializeSparseOp);
REGISTER_KERNEL_BUILDER(Name("DeserializeManySparse").Device(DEVICE_CPU),
                        DeserializeSparseOp);

}  // namespace
}  // namespace tensorwright
