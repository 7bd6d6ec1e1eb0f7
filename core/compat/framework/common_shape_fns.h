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

// The shape functions of the ops that they are named after.
Status BatchMatMulShape(InferenceContext* c);
Status BatchMatMulV2Shape(InferenceContext* c);
Status GatherNdShape(InferenceContext* c);
Status ScatterNdUpdateShape(InferenceContext* c);
// The shape is the value of input 0.
Status RandomShape(InferenceContext* c);
// As ReductionShape: the inputs are a tensor and the dimensions to reduce.
Status ReductionShapeForReduceJoin(InferenceContext* c);
// The third input is the shape of a sparse tensor, the fourth its dimensions to
// reduce.
Status SparseReduceShapeFn(InferenceContext* c);

// indices [n, rank], values [n], shape [rank].
Status ValidateSparseTensor(InferenceContext* c, ShapeHandle indices_shape,
                            ShapeHandle values_shape, ShapeHandle shape_shape);

// Sets *shape_and_type to what is known of the variable behind the handle in
// input 0; InvalidArgument if its dtype is not that of the attr "dtype".
Status ValidateVariableResourceHandle(
    InferenceContext* c, std::vector<ShapeAndType>* shape_and_type);

// Checks that the rank is that of a tensor with so many spatial dimensions.
Status CheckFormatConstraintsOnShape(TensorFormat tensor_format,
                                     ShapeHandle shape_handle,
                                     const std::string& tensor_name,
                                     InferenceContext* c);
// Makes the shape [N, spatial..., C] in the order of `format`.
Status MakeShapeFromFormat(TensorFormat format, DimensionOrConstant n,
                           const std::vector<DimensionOrConstant>& spatial,
                           DimensionOrConstant c, ShapeHandle* out,
                           InferenceContext* context);
Status ShapeFromDimensions(DimensionHandle batch_dim,
                           absl::Span<const DimensionHandle> spatial_dims,
                           DimensionHandle filter_dim, TensorFormat format,
                           InferenceContext* context, ShapeHandle* shape);
// Takes such a shape apart; spatial_dims has room for all of them.
Status DimensionsFromShape(ShapeHandle shape, TensorFormat format,
                           DimensionHandle* batch_dim,
                           absl::Span<DimensionHandle> spatial_dims,
                           DimensionHandle* filter_dim,
                           InferenceContext* context);

}  // namespace shape_inference
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_COMMON_SHAPE_FNS_H_
