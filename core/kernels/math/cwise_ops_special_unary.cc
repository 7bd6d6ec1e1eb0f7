// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels of special functions of one argument.

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/math/special_math.h"

namespace tensorwright {
namespace {

// Makes a functor from a function of doubles.
template <double (*kFunction)(double)>
struct OfDoubles {
  template <typename T>
  struct Functor {
    T operator()(T x) const {
      return static_cast<T>(kFunction(static_cast<double>(x)));
    }
  };
};

}  // namespace

template <double (*kFunction)(double)>
struct Special {
  template <typename T>
  class Op final : public UnaryOpBase {
   public:
    explicit Op(OpKernelConstruction* ctx)
        : UnaryOpBase(ctx,
                      &UnaryLoop<OfDoubles<kFunction>::template Functor, T>,
                      /*cost=*/100) {}
  };
};

REGISTER_KERNEL_FOR_TYPES(Name("BesselI0").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselI0>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselI0e").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselI0e>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselI1").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselI1>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselI1e").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselI1e>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselJ0").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselJ0>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselJ1").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselJ1>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselK0").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselK0>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselK0e").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselK0e>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselK1").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselK1>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselK1e").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselK1e>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselY0").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselY0>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("BesselY1").Device(DEVICE_CPU), "T",
                          Special<special_math::BesselY1>::Op, Eigen::half,
                          float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Erfinv").Device(DEVICE_CPU), "T",
                          Special<special_math::Erfinv>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Ndtri").Device(DEVICE_CPU), "T",
                          Special<special_math::Ndtri>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Expint").Device(DEVICE_CPU), "T",
                          Special<special_math::Expint>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Spence").Device(DEVICE_CPU), "T",
                          Special<special_math::Spence>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("Dawsn").Device(DEVICE_CPU), "T",
                          Special<special_math::Dawsn>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("FresnelCos").Device(DEVICE_CPU), "T",
                          Special<special_math::FresnelCos>::Op, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("FresnelSin").Device(DEVICE_CPU), "T",
                          Special<special_math::FresnelSin>::Op, float, double);

}  // namespace tensorwright
