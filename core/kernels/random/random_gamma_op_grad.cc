// SPDX-License-Identifier: Apache-2.0
// RandomGammaGrad.
//
// A sample x of shape alpha is a fixed quantile P(alpha, x) as alpha changes,
// so dx/dalpha = -(dP/dalpha) / (dP/dx) (Figurnov, Mohamed, Mnih, "Implicit
// Reparameterization Gradients", 2018).  Eigen differentiates the series and
// the continued fraction of P term by term.

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "unsupported/Eigen/SpecialFunctions"

namespace tensorwright {
namespace functor {
namespace {

template <typename T>
struct GammaSampleDerivative {
  T operator()(T alpha, T sample) const {
    return Eigen::numext::gamma_sample_der_alpha(alpha, sample);
  }
};

}  // namespace
}  // namespace functor

REGISTER_KERNEL_FOR_TYPES(Name("RandomGammaGrad").Device(DEVICE_CPU), "T",
                          Binary<functor::GammaSampleDerivative, 300>::Op,
                          float, double);

}  // namespace tensorwright
