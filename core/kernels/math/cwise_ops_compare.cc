// SPDX-License-Identifier: Apache-2.0
// Elementwise comparisons and logic.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"

namespace tensorwright {

REGISTER_KERNEL_FOR_TYPES(Name("Equal").Device(DEVICE_CPU), "T",
                          Binary<functor::Equal>::Op, std::string, bool, qint8,
                          quint8, qint16, quint16, qint32, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("NotEqual").Device(DEVICE_CPU), "T",
                          Binary<functor::NotEqual>::Op, std::string, bool,
                          qint8, quint8, qint16, quint16, qint32, int8, int16,
                          int32, int64_t, uint8, uint16, uint32, uint64,
                          Eigen::half, Eigen::bfloat16, float, double,
                          complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("Less").Device(DEVICE_CPU), "T",
                          Binary<functor::Less>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("LessEqual").Device(DEVICE_CPU), "T",
                          Binary<functor::LessEqual>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Greater").Device(DEVICE_CPU), "T",
                          Binary<functor::Greater>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("GreaterEqual").Device(DEVICE_CPU), "T",
                          Binary<functor::GreaterEqual>::Op, int8, int16, int32,
                          int64_t, uint8, uint16, uint32, uint64, Eigen::half,
                          Eigen::bfloat16, float, double);
REGISTER_KERNEL_BUILDER(Name("LogicalAnd").Device(DEVICE_CPU),
                        Binary<functor::LogicalAnd>::Op<bool>);
REGISTER_KERNEL_BUILDER(Name("LogicalOr").Device(DEVICE_CPU),
                        Binary<functor::LogicalOr>::Op<bool>);

}  // namespace tensorwright
