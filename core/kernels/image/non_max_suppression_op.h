// SPDX-License-Identifier: Apache-2.0
// The greedy choice of boxes that overlap little, for all versions of the op.
#ifndef TENSORWRIGHT_CORE_KERNELS_IMAGE_NON_MAX_SUPPRESSION_OP_H_
#define TENSORWRIGHT_CORE_KERNELS_IMAGE_NON_MAX_SUPPRESSION_OP_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <vector>

#include "core/framework/numeric_types.h"

namespace tensorwright {

// Thresholds and sizes of one choice.  Boxes whose score is not above
// `min_score` are left out; T is the type of the scores, whose rounding counts.
template <typename T>
struct Suppression {
  int64_t most = 0;
  T max_overlap, min_score;
  // If above 0, a box's score is multiplied by exp(-overlap^2 / (2 * sigma))
  // instead of being left out.
  T sigma = T(0);
};

// Corners in order, and the area.
template <typename T>
struct OrderedBox {
  T top, left, bottom, right, area;

  OrderedBox() = default;
  explicit OrderedBox(const T* box)
      : top(std::min(box[0], box[2])),
        left(std::min(box[1], box[3])),
        bottom(std::max(box[0], box[2])),
        right(std::max(box[1], box[3])),
        area((bottom - top) * (right - left)) {}
};

// The common area of two boxes divided by the area of their union; 0 if one has
// none.
template <typename T>
T Overlap(const OrderedBox<T>& a, const OrderedBox<T>& b) {
  if (a.area <= T(0) || b.area <= T(0)) return T(0);
  const T top = std::max(a.top, b.top), left = std::max(a.left, b.left);
  const T bottom = std::min(a.bottom, b.bottom);
  const T right = std::min(a.right, b.right);
  const T common =
      std::max<T>(bottom - top, T(0)) * std::max<T>(right - left, T(0));
  return common / (a.area + b.area - common);
}

template <typename T>
struct Selected {
  std::vector<int32_t> indices;
  std::vector<T> scores;
};

template <typename T>
struct Candidate {
  int32_t index;
  T score;
  int64_t compared;  // The number of selected boxes that it was compared with.

  // Among equal scores the first index is the best.
  bool operator<(const Candidate& other) const {
    return score < other.score || (score == other.score && index > other.index);
  }
};

template <typename T>
std::vector<Candidate<T>> CandidatesOf(const T* scores, int64_t n,
                                       T min_score) {
  std::vector<Candidate<T>> candidates;
  for (int64_t i = 0; i < n; ++i) {
    // A NaN is never above it.
    if (scores[i] > min_score) {
      candidates.push_back({static_cast<int32_t>(i), scores[i], 0});
    }
  }
  return candidates;
}

// overlap(i, j) is that of candidate i with the selected box j, which is no
// candidate any more.
template <typename T, typename OverlapOf>
void SelectHard(const Suppression<T>& by, std::vector<Candidate<T>> candidates,
                const OverlapOf& overlap, Selected<T>* selected) {
  std::sort(candidates.begin(), candidates.end(),
            [](const auto& a, const auto& b) { return b < a; });
  for (const Candidate<T>& candidate : candidates) {
    if (static_cast<int64_t>(selected->indices.size()) >= by.most) return;
    // The boxes selected last overlap most often: scores of neighbours are
    // alike.
    bool keep = true;
    for (size_t j = selected->indices.size(); keep && j-- > 0;) {
      keep = !(overlap(candidate.index, selected->indices[j]) > by.max_overlap);
    }
    if (!keep) continue;
    selected->indices.push_back(candidate.index);
    selected->scores.push_back(candidate.score);
  }
}

// Bodla et al., "Soft-NMS -- Improving object detection with one line of code",
// 2017.
template <typename T, typename OverlapOf>
void SelectSoft(const Suppression<T>& by, std::vector<Candidate<T>> candidates,
                const OverlapOf& overlap, Selected<T>* selected) {
  const T scale = static_cast<T>(T(-0.5) / by.sigma);
  std::priority_queue<Candidate<T>> queue(std::less<Candidate<T>>(),
                                          std::move(candidates));
  while (static_cast<int64_t>(selected->indices.size()) < by.most &&
         !queue.empty()) {
    Candidate<T> next = queue.top();
    queue.pop();
    const T score = next.score;
    const int64_t n = static_cast<int64_t>(selected->indices.size());
    for (int64_t j = n - 1; j >= next.compared; --j) {
      const T common = overlap(next.index, selected->indices[j]);
      const T weight = static_cast<T>(std::exp(
          static_cast<float>(static_cast<T>(scale * common * common))));
      next.score = static_cast<T>(next.score * weight);
      if (next.score <= by.min_score) break;
    }
    next.compared = n;
    if (next.score == score) {
      selected->indices.push_back(next.index);
      selected->scores.push_back(next.score);
    } else if (next.score > by.min_score) {
      queue.push(next);
    }
  }
}

template <typename T, typename OverlapOf>
Selected<T> Select(const Suppression<T>& by, const T* scores, int64_t n,
                   const OverlapOf& overlap) {
  Selected<T> selected;
  auto candidates = CandidatesOf(scores, n, by.min_score);
  if (by.sigma > T(0)) {
    SelectSoft(by, std::move(candidates), overlap, &selected);
  } else {
    SelectHard(by, std::move(candidates), overlap, &selected);
  }
  return selected;
}

template <typename T>
std::vector<OrderedBox<T>> OrderBoxes(const T* boxes, int64_t n, int64_t step) {
  std::vector<OrderedBox<T>> ordered(n);
  for (int64_t i = 0; i < n; ++i) ordered[i] = OrderedBox<T>(boxes + i * step);
  return ordered;
}

// The same for boxes [n, 4] that are `step` numbers apart.
template <typename T>
Selected<T> SelectBoxes(const Suppression<T>& by, const T* boxes, int64_t step,
                        const T* scores, int64_t n) {
  const std::vector<OrderedBox<T>> ordered = OrderBoxes(boxes, n, step);
  return Select(by, scores, n, [&](int32_t i, int32_t j) {
    return Overlap(ordered[i], ordered[j]);
  });
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_IMAGE_NON_MAX_SUPPRESSION_OP_H_
