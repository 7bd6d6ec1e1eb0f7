// SPDX-License-Identifier: Apache-2.0
#include "core/util/histogram.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/framework/summary.pb.h"

namespace tensorwright {
namespace histogram {
namespace {

// The buckets of all doubles that have the same upper 16 bits (sign, exponent,
// 4 bits of mantissa) are few and adjacent: `first` has the lowest of them.
struct DefaultLimits {
  std::vector<double> limits;
  std::vector<uint16_t> first;

  DefaultLimits() {
    std::vector<double> positive;
    for (double v = 1.0e-12; v < 1.0e20; v *= 1.1) positive.push_back(v);
    positive.push_back(DBL_MAX);
    for (auto it = positive.rbegin(); it != positive.rend(); ++it) {
      limits.push_back(-*it);
    }
    limits.push_back(0.0);
    limits.insert(limits.end(), positive.begin(), positive.end());
    first.resize(1 << 16);
    for (uint64_t head = 0; head < first.size(); ++head) {
      // The smallest of these values; if they are negative, the one of the
      // largest magnitude.
      const bool negative = (head >> 15) != 0;
      const uint64_t bits = (head << 48) | (negative ? 0xffffffffffff : 0);
      const double least = std::bit_cast<double>(bits);
      size_t at = limits.size() - 1;
      if (head == 0xfff0) {
        at = 0;  // Minus infinity, and NaNs with its exponent.
      } else if (!std::isnan(least)) {
        at = std::upper_bound(limits.begin(), limits.end(), least) -
             limits.begin();
      }
      first[head] = static_cast<uint16_t>(std::min(at, limits.size() - 1));
    }
  }
};

const DefaultLimits& Defaults() {
  static const DefaultLimits* const limits = new DefaultLimits;
  return *limits;
}

}  // namespace

Histogram::Histogram() : has_default_limits_(true), limits_(Defaults().limits) {
  Clear();
}

Histogram::Histogram(absl::Span<const double> limits)
    : has_default_limits_(false), custom_limits_(limits.begin(), limits.end()) {
  if (custom_limits_.empty()) custom_limits_.push_back(DBL_MAX);
  limits_ = custom_limits_;
  Clear();
}

void Histogram::Clear() {
  min_ = limits_.back();
  max_ = -DBL_MAX;
  num_ = sum_ = sum_squares_ = 0;
  buckets_.assign(limits_.size(), 0.0);
}

size_t Histogram::BucketOf(double value) const {
  const size_t last = limits_.size() - 1;
  if (!has_default_limits_) {
    return std::min<size_t>(
        std::upper_bound(limits_.begin(), limits_.end(), value) -
            limits_.begin(),
        last);
  }
  size_t at = Defaults().first[std::bit_cast<uint64_t>(value) >> 48];
  while (at < last && value >= limits_[at]) ++at;
  return at;
}

void Histogram::Add(double value) { Add(absl::MakeConstSpan(&value, 1)); }

void Histogram::Add(absl::Span<const double> values) {
  for (const double value : values) {
    buckets_[BucketOf(value)] += 1.0;
    if (min_ > value) min_ = value;
    if (max_ < value) max_ = value;
    sum_ += value;
    sum_squares_ += value * value;
  }
  num_ += static_cast<double>(values.size());
}

void Histogram::Merge(const Histogram& other) {
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  num_ += other.num_;
  sum_ += other.sum_;
  sum_squares_ += other.sum_squares_;
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
}

void Histogram::EncodeToProto(HistogramProto* proto,
                              bool preserve_zero_buckets) const {
  proto->Clear();
  proto->set_min(min_);
  proto->set_max(max_);
  proto->set_num(num_);
  proto->set_sum(sum_);
  proto->set_sum_squares(sum_squares_);
  for (size_t i = 0; i < buckets_.size(); ++i) {
    const bool is_empty = buckets_[i] <= 0.0;
    const bool next_is_empty =
        i + 1 < buckets_.size() && buckets_[i + 1] <= 0.0;
    // The last bucket of a run has the run's limit.
    if (is_empty && next_is_empty && !preserve_zero_buckets) continue;
    proto->add_bucket_limit(limits_[i]);
    proto->add_bucket(buckets_[i]);
  }
  if (proto->bucket_size() == 0) {
    proto->add_bucket_limit(DBL_MAX);
    proto->add_bucket(0.0);
  }
}

bool Histogram::DecodeFromProto(const HistogramProto& proto) {
  if (proto.bucket_size() == 0 ||
      proto.bucket_size() != proto.bucket_limit_size() ||
      !std::is_sorted(proto.bucket_limit().begin(),
                      proto.bucket_limit().end())) {
    return false;
  }
  has_default_limits_ = false;
  custom_limits_.assign(proto.bucket_limit().begin(),
                        proto.bucket_limit().end());
  limits_ = custom_limits_;
  buckets_.assign(proto.bucket().begin(), proto.bucket().end());
  min_ = proto.min();
  max_ = proto.max();
  num_ = proto.num();
  sum_ = proto.sum();
  sum_squares_ = proto.sum_squares();
  return true;
}

double Histogram::Average() const { return num_ == 0 ? 0 : sum_ / num_; }

double Histogram::StandardDeviation() const {
  if (num_ == 0) return 0;
  return std::sqrt(std::max(0.0, sum_squares_ * num_ - sum_ * sum_) /
                   (num_ * num_));
}

double Histogram::Percentile(double p) const {
  if (num_ == 0) return 0;
  const double wanted = num_ * p / 100.0;
  double below = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    const double up_to = below + buckets_[i];
    if (up_to >= wanted && buckets_[i] > 0) {
      const double left = std::max(i == 0 ? min_ : limits_[i - 1], min_);
      const double right = std::min(limits_[i], max_);
      const double share = std::max(0.0, wanted - below) / buckets_[i];
      return std::clamp(left + (right - left) * share, min_, max_);
    }
    below = up_to;
  }
  return max_;
}

std::string Histogram::ToString() const {
  std::string text = absl::StrCat(
      "Count: ", num_, "  Average: ", Average(),
      "  StdDev: ", StandardDeviation(), "\nMin: ", num_ == 0 ? 0 : min_,
      "  Median: ", Median(), "  Max: ", num_ == 0 ? 0 : max_, "\n");
  for (size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] <= 0) continue;
    absl::StrAppend(&text, "[", i == 0 ? -DBL_MAX : limits_[i - 1], ", ",
                    limits_[i], ") ", buckets_[i], "\n");
  }
  return text;
}

}  // namespace histogram
}  // namespace tensorwright
