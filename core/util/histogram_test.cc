// SPDX-License-Identifier: Apache-2.0
// Tests what python/kernel_tests/logging/summary_op_test.py, which tests the
// summaries of histograms, leaves out.
#include "core/util/histogram.h"

#include <limits>

#include "core/framework/summary.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace histogram {
namespace {

HistogramProto Encoded(const Histogram& histo, bool preserve = false) {
  HistogramProto proto;
  histo.EncodeToProto(&proto, preserve);
  return proto;
}

TEST(HistogramTest, LimitsOfOnesOwn) {
  Histogram histo({0.0, 1.0, 10.0});
  for (const double v : {-5.0, 0.0, 0.5, 1.0, 9.0, 10.0, 99.0}) histo.Add(v);
  const HistogramProto proto = Encoded(histo);
  ASSERT_EQ(proto.bucket_size(), 3);
  EXPECT_EQ(proto.bucket(0), 1);
  EXPECT_EQ(proto.bucket(1), 2);
  EXPECT_EQ(proto.bucket(2), 4);
  EXPECT_EQ(proto.min(), -5.0);
  EXPECT_EQ(proto.max(), 99.0);
}

TEST(HistogramTest, WhatIsNotFiniteHasABucketToo) {
  Histogram histo;
  const double inf = std::numeric_limits<double>::infinity();
  for (const double v : {inf, -inf, std::numeric_limits<double>::quiet_NaN()}) {
    histo.Add(v);
  }
  const HistogramProto proto = Encoded(histo, true);
  double all = 0;
  for (const double count : proto.bucket()) all += count;
  EXPECT_EQ(all, 3);
}

TEST(HistogramTest, MergingIsAddingAll) {
  Histogram whole, a, b;
  for (int i = -50; i < 50; ++i) {
    whole.Add(0.37 * i);
    (i % 3 == 0 ? a : b).Add(0.37 * i);
  }
  a.Merge(b);
  EXPECT_EQ(Encoded(a, true).bucket_size(), Encoded(whole, true).bucket_size());
  for (int i = 0; i < Encoded(a).bucket_size(); ++i) {
    EXPECT_EQ(Encoded(a).bucket(i), Encoded(whole).bucket(i));
  }
  EXPECT_NEAR(Encoded(a).sum(), Encoded(whole).sum(), 1e-9);
}

TEST(HistogramTest, AnEmptyOneIsEncoded) {
  const HistogramProto proto = Encoded(Histogram());
  ASSERT_EQ(proto.bucket_size(), 1);
  EXPECT_EQ(proto.bucket(0), 0);
  EXPECT_EQ(Histogram().Median(), 0);
  EXPECT_EQ(Histogram().StandardDeviation(), 0);
}

TEST(HistogramTest, PercentilesLieInTheirBuckets) {
  Histogram histo;
  for (int i = 1; i <= 1000; ++i) histo.Add(i);
  EXPECT_NEAR(histo.Median(), 500, 50);
  EXPECT_NEAR(histo.Percentile(99), 990, 99);
  EXPECT_EQ(histo.Percentile(100), 1000);
  EXPECT_DOUBLE_EQ(histo.Average(), 500.5);
  EXPECT_NEAR(histo.StandardDeviation(), 288.67, 0.01);
}

TEST(HistogramTest, AProtoReadsBack) {
  Histogram histo;
  for (int i = 0; i < 100; ++i) histo.Add(i * 0.5);
  const HistogramProto proto = Encoded(histo);
  Histogram back;
  ASSERT_TRUE(back.DecodeFromProto(proto));
  EXPECT_EQ(Encoded(back).SerializeAsString(), proto.SerializeAsString());
  HistogramProto bad = proto;
  bad.add_bucket(1);
  EXPECT_FALSE(back.DecodeFromProto(bad));
  EXPECT_FALSE(back.DecodeFromProto(HistogramProto()));
}

}  // namespace
}  // namespace histogram
}  // namespace tensorwright
