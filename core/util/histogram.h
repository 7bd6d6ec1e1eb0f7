// SPDX-License-Identifier: Apache-2.0
// Histogram: counts how often values of each size were seen, as
// HistogramSummary reports it.
#ifndef TENSORWRIGHT_CORE_UTIL_HISTOGRAM_H_
#define TENSORWRIGHT_CORE_UTIL_HISTOGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace tensorwright {

class HistogramProto;

namespace histogram {

// Bucket i counts values in [limits[i - 1], limits[i]).  The default limits are
// TensorFlow's: powers of 1.1 from 1e-12 to 1e20, the same below zero, zero and
// the largest double.  Used by one thread at a time.
class Histogram {
 public:
  Histogram();
  // `limits` ascend; the last one is above every value.
  explicit Histogram(absl::Span<const double> limits);
  Histogram(const Histogram&) = delete;

  // NaN and values at or above the last limit are counted in the last bucket.
  void Add(double value);
  void Add(absl::Span<const double> values);
  // Adds the values that `other`, which has the same limits, has seen.
  void Merge(const Histogram& other);
  void Clear();

  // Runs of empty buckets become one, unless `preserve_zero_buckets`.
  void EncodeToProto(HistogramProto* proto, bool preserve_zero_buckets) const;
  // False if the proto's buckets are not those of a histogram; then this is
  // unchanged.
  bool DecodeFromProto(const HistogramProto& proto);

  // 0 for an empty histogram.
  double Average() const;
  double StandardDeviation() const;
  // The value below which p percent of the values lie, interpolated in its
  // bucket.
  double Percentile(double p) const;
  double Median() const { return Percentile(50.0); }
  std::string ToString() const;

 private:
  size_t BucketOf(double value) const;

  double min_, max_, num_, sum_, sum_squares_;
  bool has_default_limits_;
  std::vector<double> custom_limits_;
  absl::Span<const double> limits_;
  std::vector<double> buckets_;
};

}  // namespace histogram
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_HISTOGRAM_H_
