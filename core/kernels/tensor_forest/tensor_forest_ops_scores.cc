// SPDX-License-Identifier: Apache-2.0
// Impurities, Hoeffding's bound and the bootstrap.

#include "core/kernels/tensor_forest/tensor_forest_ops_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tensorwright {
namespace forest {
namespace {

// Variances below this part of the mean square are rounding.
constexpr double kRounding = 1e-12;
// A bootstrap draws no more examples.
constexpr double kMaxDraws = 1000;
constexpr double kMinSamples = 20;
constexpr double kMaxSamples = 1000;

// Cumulated weights of all classes on the left, then of all on the right.
std::vector<double> Cells(const Sums& left, const Sums& all) {
  std::vector<double> cells;
  double sum = 0;
  for (size_t i = 1; i < left.size(); ++i) cells.push_back(sum += left[i]);
  for (size_t i = 1; i < left.size(); ++i) {
    cells.push_back(sum += std::max(0.0, all[i] - left[i]));
  }
  return cells;
}

// The score of one sample of `draws` examples.
double SampleScore(const ForestParams& params, const std::vector<double>& cells,
                   int64_t draws, random::SimplePhilox* random) {
  const size_t classes = cells.size() / 2;
  Sums left = NoSums(params), right = left;
  for (int64_t i = 0; i < draws; ++i) {
    const double at = random->RandDouble() * cells.back();
    const size_t cell = std::min<size_t>(
        std::upper_bound(cells.begin(), cells.end(), at) - cells.begin(),
        cells.size() - 1);
    Sums& side = cell < classes ? left : right;
    side[0] += 1;
    side[1 + cell % classes] += 1;
  }
  return Impurity(params, left) + Impurity(params, right);
}

}  // namespace

Sums NoSums(const ForestParams& params) {
  return Sums(1 + params.num_outputs() * (params.is_regression() ? 2 : 1));
}

void AddExample(const ForestParams& params, absl::Span<const float> labels,
                double weight, Sums* sums) {
  (*sums)[0] += weight;
  if (!params.is_regression()) {
    (*sums)[1 + static_cast<size_t>(labels[0])] += weight;
    return;
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    (*sums)[1 + 2 * i] += weight * labels[i];
    (*sums)[2 + 2 * i] += weight * labels[i] * labels[i];
  }
}

Sums Rest(const Sums& all, const Sums& part) {
  Sums rest(all.size());
  for (size_t i = 0; i < all.size(); ++i) rest[i] = all[i] - part[i];
  return rest;
}

LeafModel ToModel(const ForestParams& params, const Sums& sums) {
  LeafModel model;
  model.weight = sums[0];
  for (int i = 0; i < params.num_outputs(); ++i) {
    const double value = !params.is_regression() ? std::max(0.0, sums[1 + i])
                         : sums[0] > 0           ? sums[1 + 2 * i] / sums[0]
                                                 : 0;
    model.values.push_back(static_cast<float>(value));
  }
  return model;
}

double Impurity(const ForestParams& params, const Sums& sums) {
  if (!(sums[0] > 0)) return 0;
  double impurity = params.is_regression() ? 0 : sums[0];
  if (params.is_regression()) {
    for (size_t i = 1; i < sums.size(); i += 2) {
      impurity += std::max(0.0, sums[i + 1] - sums[i] * sums[i] / sums[0]);
    }
  } else {
    double squares = 0;
    for (size_t i = 1; i < sums.size(); ++i) squares += sums[i] * sums[i];
    impurity -= squares / sums[0];
  }
  return std::max(0.0, impurity);
}

bool IsImpure(const ForestParams& params, const Sums& sums) {
  if (!params.is_regression()) {
    return std::count_if(sums.begin() + 1, sums.end(),
                         [](double weight) { return weight > 0; }) > 1;
  }
  double squares = 0;
  for (size_t i = 2; i < sums.size(); i += 2) squares += sums[i];
  return Impurity(params, sums) > kRounding * squares;
}

double Score(const ForestParams& params, const Sums& left, const Sums& all) {
  if (!(left[0] > 0) || !(all[0] - left[0] > 0)) {
    return std::numeric_limits<double>::infinity();
  }
  return (Impurity(params, left) + Impurity(params, Rest(all, left))) / all[0];
}

double HoeffdingBound(const ForestParams& params, double fraction,
                      double weight) {
  const double range = 1 - 1.0 / params.num_outputs();
  return range * std::sqrt(-std::log(1 - fraction) / (2 * weight));
}

bool WinsBootstrap(const ForestParams& params, const Sums& best,
                   const Sums& other, const Sums& all, double fraction,
                   random::SimplePhilox* random) {
  const auto draws = static_cast<int64_t>(
      std::min(std::max(1.0, std::round(all[0])), kMaxDraws));
  const auto samples = static_cast<int64_t>(std::min(
      std::max(kMinSamples, std::ceil(2 / (1 - fraction))), kMaxSamples));
  const std::vector<double> best_cells = Cells(best, all);
  const std::vector<double> other_cells = Cells(other, all);
  // A tie is half a loss.
  double losses = 0;
  const double allowed = (1 - fraction) * static_cast<double>(samples);
  for (int64_t i = 0; i < samples; ++i) {
    const double ours = SampleScore(params, best_cells, draws, random);
    const double theirs = SampleScore(params, other_cells, draws, random);
    losses += ours < theirs ? 0 : ours > theirs ? 1 : 0.5;
    if (losses > allowed) return false;
  }
  return true;
}

}  // namespace forest
}  // namespace tensorwright
