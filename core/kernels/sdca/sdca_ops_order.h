// SPDX-License-Identifier: Apache-2.0
// The order in which one call of SdcaOptimizer takes its examples.
//
// Random, so that the ascent does not depend on how the data is sorted, and yet
// a function of the call: the numbers are seeded with `seed`, which the caller
// makes of what changes from call to call.
#ifndef TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_ORDER_H_
#define TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_ORDER_H_

#include <cstdint>
#include <vector>

namespace tensorwright {

// Each of [0, n) once.
std::vector<int64_t> ShuffledOrder(int64_t n, uint64_t seed);

// As many of [0, weights.size()) as there are, drawn in proportion to the
// weights, which are >= 0.  Each time that one is drawn its weight becomes a
// tenth (AdaSDCA+; Csiba, Qu and Richtarik, 2015).  If all weights are 0 or one
// is not finite, each once.
std::vector<int64_t> WeightedOrder(std::vector<double> weights, uint64_t seed);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_ORDER_H_
