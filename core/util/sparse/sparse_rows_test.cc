// SPDX-License-Identifier: Apache-2.0
#include "core/util/sparse/sparse_rows.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace tensorwright {
namespace sparse {
namespace {

Rows RowsOfVector(const std::vector<int64_t>& data, int64_t rank) {
  return {data.data(), static_cast<int64_t>(data.size()) / rank, rank};
}

TEST(SparseRowsTest, RowsOutsideAreNamed) {
  const std::vector<int64_t> data = {0, 1, 1, 2};
  EXPECT_TRUE(CheckInside(RowsOfVector(data, 2), {2, 3}).ok());
  const Status status = CheckInside(RowsOfVector(data, 2), {2, 2});
  EXPECT_NE(status.ToString().find("indices[1] = [1,2] is out of bounds"),
            std::string::npos)
      << status.ToString();
  EXPECT_FALSE(CheckInside(RowsOfVector(data, 2), {2, -3}).ok());
}

TEST(SparseRowsTest, OrderIsByTheCoordinatesGiven) {
  const std::vector<int64_t> data = {0, 1, 1, 0};
  const Rows rows = RowsOfVector(data, 2);
  EXPECT_TRUE(CheckOrdered(rows, {2, 2}, {0, 1}).ok());
  EXPECT_FALSE(CheckOrdered(rows, {2, 2}, {1, 0}).ok());
  const std::vector<int64_t> twice = {0, 1, 0, 1};
  EXPECT_FALSE(CheckOrdered(RowsOfVector(twice, 2), {2, 2}, {0, 1}).ok());
  EXPECT_TRUE(IsSorted(RowsOfVector(twice, 2)));
}

TEST(SparseRowsTest, PlacesNeedRowsInsideAndAProductThatFits) {
  const std::vector<int64_t> data = {1, 2, 0, 1};
  std::vector<int64_t> places;
  EXPECT_TRUE(PlacesOf(RowsOfVector(data, 2), {2, 3}, {0, 1}, &places));
  EXPECT_EQ(places, (std::vector<int64_t>{5, 1}));
  EXPECT_TRUE(PlacesOf(RowsOfVector(data, 2), {2, 3}, {1}, &places));
  EXPECT_EQ(places, (std::vector<int64_t>{2, 1}));
  const int64_t large = int64_t{1} << 40;
  EXPECT_FALSE(
      PlacesOf(RowsOfVector(data, 2), {large, large}, {0, 1}, &places));
  EXPECT_FALSE(PlacesOf(RowsOfVector(data, 2), {2, 2}, {0, 1}, &places));
}

// Few keys are compared, many are counted by digits: both are stable.
TEST(SparseRowsTest, KeysAreSortedStably) {
  std::mt19937_64 rng(5);
  for (const int64_t n : {0, 1, 7, 300, 5000}) {
    for (const int64_t most : {1, 50, 1 << 20}) {
      std::vector<int64_t> keys(n), want(n), order;
      for (int64_t& key : keys) key = static_cast<int64_t>(rng() % most) << 13;
      std::iota(want.begin(), want.end(), 0);
      std::stable_sort(want.begin(), want.end(),
                       [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
      std::vector<int64_t> sorted = keys;
      SortKeys(&sorted, &order);
      EXPECT_EQ(order, want);
      EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    }
  }
}

TEST(SparseRowsTest, RowsThatHaveNoPlaceAreSortedToo) {
  const std::vector<int64_t> data = {9, 1, -1, 0, 0, 5, 0, 5};
  EXPECT_EQ(SortedOrder(RowsOfVector(data, 2), {2, 2}, {0, 1}),
            (std::vector<int64_t>{1, 2, 3, 0}));
}

}  // namespace
}  // namespace sparse
}  // namespace tensorwright
