// SPDX-License-Identifier: Apache-2.0
// Permutations, and draws from weights that change.

#include "core/kernels/sdca/sdca_ops_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/lib/random/philox_random.h"
#include "core/lib/random/simple_philox.h"

namespace tensorwright {
namespace {

constexpr double kDecay = 0.1;

// The weights are the leaves of a binary tree whose nodes are sums.
class SumTree {
 public:
  explicit SumTree(const std::vector<double>& weights) {
    while (leaves_ < static_cast<int64_t>(weights.size())) leaves_ *= 2;
    sums_.assign(2 * leaves_, 0.0);
    std::copy(weights.begin(), weights.end(), sums_.begin() + leaves_);
    for (int64_t i = leaves_ - 1; i > 0; --i) Sum(i);
  }

  double total() const { return sums_[1]; }
  // Returns the leaf at `place`, in [0, total()); its weight is not 0.
  int64_t Find(double place) const {
    int64_t i = 1;
    while (i < leaves_) {
      i *= 2;
      // Rounding must not lead to a branch without weight.
      if (place >= sums_[i] && sums_[i + 1] > 0) place -= sums_[i++];
    }
    return i - leaves_;
  }
  void Scale(int64_t leaf, double by) {
    int64_t i = leaf + leaves_;
    sums_[i] *= by;
    for (i /= 2; i > 0; i /= 2) Sum(i);
  }

 private:
  void Sum(int64_t i) { sums_[i] = sums_[2 * i] + sums_[2 * i + 1]; }

  int64_t leaves_ = 1;
  std::vector<double> sums_;  // Node i's children are 2 i and 2 i + 1.
};

}  // namespace

std::vector<int64_t> ShuffledOrder(int64_t n, uint64_t seed) {
  random::PhiloxRandom stream(seed);
  random::SimplePhilox rnd(&stream);
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = n - 1; i > 0; --i) {
    std::swap(order[i], order[rnd.Uniform64(i + 1)]);
  }
  return order;
}

std::vector<int64_t> WeightedOrder(std::vector<double> weights, uint64_t seed) {
  const int64_t n = static_cast<int64_t>(weights.size());
  SumTree tree(weights);
  if (!(tree.total() > 0) || std::isinf(tree.total())) {
    return ShuffledOrder(n, seed);
  }
  random::PhiloxRandom stream(seed);
  random::SimplePhilox rnd(&stream);
  std::vector<int64_t> order(n);
  for (int64_t& drawn : order) {
    drawn = tree.Find(rnd.RandDouble() * tree.total());
    tree.Scale(drawn, kDecay);
  }
  return order;
}

}  // namespace tensorwright
