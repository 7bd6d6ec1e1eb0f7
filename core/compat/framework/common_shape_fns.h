// SPDX-License-Identifier: Apache-2.0
// Shape functions that TensorFlow's common_shape_fns.h has and our own code
// does not share.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_COMMON_SHAPE_FNS_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_COMMON_SHAPE_FNS_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "core/compat/framework/shape_inference.h"
#include "core/compat/util/tensor_format.h"

namespace tensorwright {
namespace shape_inference {

// Those of the ops that they are named after.
Status BatchMatMulShape(InferenceContext* c);
Status BatchMatMulV2Shape(InferenceContext* c);
Status GatherNdShape(InferenceContext* c);
Status ScatterNdUpdateShape(InferenceContext* c);
// The value of input 0.
Status RandomShape(InferenceContext* c);
// As ReductionShape: inputs are a tensor and the dimensions that go.
Status ReductionShapeForReduceJoin(InferenceContext* c);
// Inputs are the shape of a sparse tensor, third, and dimensions, fourth.
Status SparseReduceShapeFn(InferenceContext* c);

// indices [n, rank], values [n], shape [rank].
Status ValidateSparseTensor(InferenceContext* c, ShapeHandle indices_shape,
                            ShapeHandle values_shape, ShapeHandle shape_shape);

// What is known of the variable behind the handle that is input 0;
// InvalidArgument if that is of another dtype than the attr "dtype".
Status ValidateVariableResourceHandle(
    InferenceContext* c, std::vector<ShapeAndType>* shape_and_type);

// The rank that a tensor of so many spatial dimensions has.
Status CheckFormatConstraintsOnShape(TensorFormat tensor_format,
                                     ShapeHandle shape_handle,
                                     const std::string& tensor_name,
                                     InferenceContext* c);
// [N, spatial..., C] in the order of `format`.
Status MakeShapeFromFormat(TensorFormat format, DimensionOrConstant n,
                           const std::vector<DimensionOrConstant>& spatial,
                           DimensionOrConstant c, ShapeHandle* out,
                           InferenceContext* context);
Status ShapeFromDimensions(DimensionHandle batch_dim,
                           absl::Span<const DimensionHandle> spatial_dims,
                           DimensionHandle filter_dim, TensorFormat format,
                           InferenceContext* context, ShapeHandle* shape);
// The other way round; spatial_dims has room for all of them.
Status DimensionsFromShape(ShapeHandle shape, TensorFormat format,
                           DimensionHandle* batch_dim,
                           absl::Span<DimensionHandle> spatial_dims,
                           DimensionHandle* filter_dim,
                           InferenceContext* context);

}  // namespace shape_inference
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_COMMON_SHAPE_FNS_H_
