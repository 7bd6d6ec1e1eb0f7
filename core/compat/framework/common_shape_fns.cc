// SPDX-License-Identifier: Apache-2.0
#include "core/compat/framework/common_shape_fns.h"

#include <vector>

#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace shape_inference {
namespace {

// Runs the shape function that one of our ops is registered with.
Status AsOp(const char* op, InferenceContext* c) {
  const OpRegistrationData* data;
  TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUp(op, &data));
  return data->shape_inference_fn(c);
}

}  // namespace

Status BatchMatMulShape(InferenceContext* c) { return AsOp("BatchMatMul", c); }
Status BatchMatMulV2Shape(InferenceContext* c) {
  return AsOp("BatchMatMulV2", c);
}
Status GatherNdShape(InferenceContext* c) { return AsOp("GatherNd", c); }
Status ScatterNdUpdateShape(InferenceContext* c) {
  return AsOp("ScatterNdUpdate", c);
}
Status RandomShape(InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return Status();
}
Status ReductionShapeForReduceJoin(InferenceContext* c) {
  return ReductionShape(c);
}

Status SparseReduceShapeFn(InferenceContext* c) {
  bool keep_dims = false;
  TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  const Tensor* shape = c->input_tensor(2);
  const Tensor* axes = c->input_tensor(3);
  if (shape == nullptr || axes == nullptr) return UnknownShape(c);
  const auto sizes = shape->flat<int64_t>();
  std::vector<bool> goes(static_cast<size_t>(sizes.size()));
  for (int64_t i = 0; i < axes->NumElements(); ++i) {
    int64_t axis = axes->flat<int32_t>()(i);
    if (axis < -sizes.size() || axis >= sizes.size()) {
      return errors::InvalidArgument("reduction axis must be in [-",
                                     sizes.size(), ",", sizes.size(), "), got ",
                                     axis);
    }
    goes[static_cast<size_t>(axis < 0 ? axis + sizes.size() : axis)] = true;
  }
  std::vector<DimensionHandle> dims;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    if (!goes[static_cast<size_t>(d)]) {
      dims.push_back(c->MakeDim(sizes(d)));
    } else if (keep_dims) {
      dims.push_back(c->MakeDim(1));
    }
  }
  c->set_output(0, c->MakeShape(dims));
  return Status();
}

Status ValidateSparseTensor(InferenceContext* c, ShapeHandle indices_shape,
                            ShapeHandle values_shape, ShapeHandle shape_shape) {
  ShapeHandle unused;
  DimensionHandle unused_dim;
  TF_RETURN_IF_ERROR(c->WithRank(indices_shape, 2, &indices_shape));
  TF_RETURN_IF_ERROR(c->WithRank(values_shape, 1, &values_shape));
  TF_RETURN_IF_ERROR(c->WithRank(shape_shape, 1, &shape_shape));
  TF_RETURN_IF_ERROR(
      c->Merge(c->Dim(indices_shape, 0), c->Dim(values_shape, 0), &unused_dim));
  return c->Merge(c->Dim(indices_shape, 1), c->Dim(shape_shape, 0),
                  &unused_dim);
}

Status ValidateVariableResourceHandle(
    InferenceContext* c, std::vector<ShapeAndType>* shape_and_type) {
  const std::vector<ShapeAndType>* known = c->input_handle_shapes_and_types(0);
  if (known == nullptr || known->empty()) {
    shape_and_type->assign(1, ShapeAndType(c->UnknownShape(), DT_INVALID));
    return Status();
  }
  *shape_and_type = *known;
  DataType dtype;
  TF_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  if (known->front().dtype != dtype) {
    return errors::InvalidArgument("the variable is of ",
                                   DataTypeString(known->front().dtype),
                                   ", the op of ", DataTypeString(dtype));
  }
  return Status();
}

Status CheckFormatConstraintsOnShape(TensorFormat tensor_format,
                                     ShapeHandle shape_handle,
                                     const std::string& tensor_name,
                                     InferenceContext* c) {
  if (tensor_format != FORMAT_NCHW_VECT_C) return Status();
  const int rank = c->Rank(shape_handle);
  const DimensionHandle inner = c->Dim(shape_handle, -1);
  DimensionHandle unused;
  if (rank != InferenceContext::kUnknownRank &&
      !c->WithValue(inner, 4, &unused).ok() &&
      !c->WithValue(inner, 32, &unused).ok()) {
    return errors::InvalidArgument(
        tensor_name,
        ": the last dimension of NCHW_VECT_C must be 4 or 32, got ",
        c->DebugString(shape_handle));
  }
  return Status();
}

Status MakeShapeFromFormat(TensorFormat format, DimensionOrConstant n,
                           const std::vector<DimensionOrConstant>& spatial,
                           DimensionOrConstant c, ShapeHandle* out,
                           InferenceContext* context) {
  const int rank =
      GetTensorDimsFromSpatialDims(static_cast<int>(spatial.size()), format);
  std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
  const auto set = [&](int at, const DimensionOrConstant& d) {
    dims[static_cast<size_t>(at)] = context->MakeDim(d);
  };
  set(GetTensorBatchDimIndex(rank, format), n);
  for (size_t i = 0; i < spatial.size(); ++i) {
    set(GetTensorSpatialDimIndex(rank, format, static_cast<int>(i)),
        spatial[i]);
  }
  if (format == FORMAT_NCHW_VECT_C) {
    set(rank - 1, 4);
    DimensionHandle outer;
    TF_RETURN_IF_ERROR(context->Divide(context->MakeDim(c), 4, true, &outer));
    set(GetTensorFeatureDimIndex(rank, format), outer);
  } else {
    set(GetTensorFeatureDimIndex(rank, format), c);
  }
  *out = context->MakeShape(dims);
  return Status();
}

Status ShapeFromDimensions(DimensionHandle batch_dim,
                           absl::Span<const DimensionHandle> spatial_dims,
                           DimensionHandle filter_dim, TensorFormat format,
                           InferenceContext* context, ShapeHandle* shape) {
  std::vector<DimensionOrConstant> spatial(spatial_dims.begin(),
                                           spatial_dims.end());
  return MakeShapeFromFormat(format, batch_dim, spatial, filter_dim, shape,
                             context);
}

Status DimensionsFromShape(ShapeHandle shape, TensorFormat format,
                           DimensionHandle* batch_dim,
                           absl::Span<DimensionHandle> spatial_dims,
                           DimensionHandle* filter_dim,
                           InferenceContext* context) {
  const int rank = GetTensorDimsFromSpatialDims(
      static_cast<int>(spatial_dims.size()), format);
  TF_RETURN_IF_ERROR(context->WithRank(shape, rank, &shape));
  *batch_dim = context->Dim(shape, GetTensorBatchDimIndex(rank, format));
  for (size_t i = 0; i < spatial_dims.size(); ++i) {
    spatial_dims[i] = context->Dim(
        shape, GetTensorSpatialDimIndex(rank, format, static_cast<int>(i)));
  }
  *filter_dim = context->Dim(shape, GetTensorFeatureDimIndex(rank, format));
  if (format == FORMAT_NCHW_VECT_C) {
    TF_RETURN_IF_ERROR(context->Multiply(
        *filter_dim, context->Dim(shape, rank - 1), filter_dim));
  }
  return Status();
}

}  // namespace shape_inference
}  // namespace tensorwright
