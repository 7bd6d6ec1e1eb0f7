// SPDX-License-Identifier: Apache-2.0
// The order in which one call of SdcaOptimizer takes its examples.
//
// The order is random, so that the ascent does not depend on how the data is
// sorted, but depends on the call alone: `seed` seeds the numbers, and the
// caller makes it from values that change from call to call.
#ifndef TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_ORDER_H_
#define TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_ORDER_H_

#include <cstdint>
#include <vector>

namespace tensorwright {

// Returns each of [0, n) once.
std::vector<int64_t> ShuffledOrder(int64_t n, uint64_t seed);

// Returns weights.size() numbers of [0, weights.size()), drawn in proportion to
// the weights, which are >= 0.  Each draw divides the drawn one's weight by ten
// (AdaSDCA+; Csiba, Qu and Richtarik, 2015).  If all weights are 0 or one is
// not finite, returns each once.
std::vector<int64_t> WeightedOrder(std::vector<double> weights, uint64_t seed);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_ORDER_H_
