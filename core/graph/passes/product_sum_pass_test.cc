// SPDX-License-Identifier: Apache-2.0
// Sums of products; python/client/product_sum_test.py compares their results
// with whole runs.
#include "absl/strings/str_cat.h"
#include "core/graph/passes/graph_passes_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

constexpr char kLeft[] = "dim { size: 3 } dim { size: 40 }";
constexpr char kRight[] = "dim { size: 3 } dim { size: 50 }";
constexpr char kProduct[] = "dim { size: 40 } dim { size: 50 }";

class ProductSumTest : public ::testing::Test {
 protected:
  OutputRef Feed(const std::string& shape) {
    feeds_.push_back(Placeholder(&g_, shape));
    return feeds_.back();
  }
  // a' b with few rows.
  OutputRef Product() {
    return Add(&g_, "MatMul", {Feed(kLeft), Feed(kRight)},
               {{"transpose_a", Attr("b: true")}});
  }
  OutputRef Sum(const std::vector<OutputRef>& terms) {
    return Add(&g_, "AddN", terms, {}, absl::StrCat("sum_", ++sums_),
               {static_cast<int>(terms.size())});
  }
  Optimized After(const std::vector<OutputRef>& fetches,
                  const std::vector<Node*>& targets = {}) {
    return RunPasses(g_, {"product_sums"}, feeds_, fetches, targets);
  }

  LiveGraph g_;
  std::vector<OutputRef> feeds_;
  int sums_ = 0;
};

TEST_F(ProductSumTest, OneProductStandsForTheSum) {
  const Optimized o = After({Sum({Product(), Product(), Product()})});
  EXPECT_EQ(o.Ops(),
            OpNames({"ConcatV2", "ConcatV2", "Const", "Const", "MatMul"}));
  const Node* product = o.Find("sum_1");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->type_string(), "MatMul");
  EXPECT_TRUE(product->FindAttr("transpose_a")->b());
  // The factors are joined in the order of the terms.
  for (int i = 0; i < 2; ++i) {
    const Node* factor = product->input_node(i);
    ASSERT_EQ(factor->num_inputs(), 4);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(factor->input_node(k)->FindAttr("index")->i(), 2 * k + i);
    }
  }
}

TEST_F(ProductSumTest, OtherTermsAreAdded) {
  const Optimized o = After({Sum({Feed(kProduct), Product(), Product()})});
  EXPECT_EQ(o.Ops(), OpNames({"AddN", "ConcatV2", "ConcatV2", "Const", "Const",
                              "MatMul"}));
  EXPECT_EQ(o.Find("sum_1")->num_inputs(), 2);
  EXPECT_EQ(o.Find("sum_1")->FindAttr("N")->i(), 2);
}

TEST_F(ProductSumTest, TransposedFactorsGoApart) {
  const OutputRef turned = Add(&g_, "MatMul",
                               {Feed("dim { size: 40 } dim { size: 3 }"),
                                Feed("dim { size: 50 } dim { size: 3 }")},
                               {{"transpose_b", Attr("b: true")}});
  const Optimized o = After({Sum({Product(), turned, Product()})});
  EXPECT_EQ(o.Find("sum_1")->type_string(), "AddN");
  EXPECT_EQ(o.Find("sum_1")->num_inputs(), 2);
}

TEST_F(ProductSumTest, SumsOfRowsAreOne) {
  const auto rows = [&] {
    return Add(&g_, "BiasAddGrad", {Feed(kRight)},
               {{"T", Attr("type: DT_FLOAT")}});
  };
  const Optimized o = After({Sum({rows(), rows()})});
  EXPECT_EQ(o.Ops(), OpNames({"BiasAddGrad", "ConcatV2", "Const"}));
}

TEST_F(ProductSumTest, WhatOthersReadStays) {
  const OutputRef a = Product();
  const OutputRef b = Product();
  const OutputRef sum = Sum({a, b});
  const OpNames apart({"AddN", "MatMul", "MatMul"});
  EXPECT_EQ(After({sum, a}).Ops(), apart);
  EXPECT_EQ(After({sum}, {a.node}).Ops(), apart);
  EXPECT_EQ(After({}, {sum.node}).Ops(), apart);
}

TEST_F(ProductSumTest, LongProductsAndUnknownSizesStay) {
  const auto product = [&](const std::string& rows) {
    const std::string dim = "dim { size: " + rows + " } ";
    return Add(&g_, "MatMul",
               {Feed(dim + "dim { size: 40 }"), Feed(dim + "dim { size: 50 }")},
               {{"transpose_a", Attr("b: true")}});
  };
  const OpNames apart({"AddN", "MatMul", "MatMul"});
  EXPECT_EQ(After({Sum({product("30"), product("30")})}).Ops(), apart);
  EXPECT_EQ(After({Sum({product("-1"), product("-1")})}).Ops(), apart);
}

}  // namespace
}  // namespace tensorwright
