// SPDX-License-Identifier: Apache-2.0
// Things that custom ops and their tests take for granted in the headers:
// builders of nodes, functors, containers, and std::max of two types.
#include <algorithm>
#include <string>
#include <vector>

#include "core/compat/framework/fake_input.h"
#include "core/compat/framework/node_def_builder.h"
#include "core/compat/framework/node_def_util.h"
#include "core/compat/framework/op.h"
#include "core/compat/framework/versions.h"
#include "core/compat/kernels/eigen_activations.h"
#include "core/compat/lib/gtl/array_slice.h"
#include "core/compat/lib/gtl/top_n.h"
#include "core/compat/namespace.h"
#include "core/framework/versions.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

REGISTER_OP("HelpersJoin")
    .Input("parts: N * T")
    .Input("index: int32")
    .Output("joined: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("axis: int = 0");

TEST(NodeDefBuilder, InfersAttrsFromInputs) {
  NodeDef node;
  ASSERT_EQ(NodeDefBuilder("join", "HelpersJoin")
                .Input({{"a", 0, DT_FLOAT}, {"b", 1, DT_FLOAT}})
                .Input("i", 0, DT_INT32)
                .ControlInput("c")
                .Attr("axis", 2)
                .Device("/cpu:0")
                .Finalize(&node),
            OkStatus());
  EXPECT_EQ(node.name(), "join");
  EXPECT_EQ(node.device(), "/cpu:0");
  const std::vector<std::string> inputs(node.input().begin(),
                                        node.input().end());
  EXPECT_EQ(inputs, (std::vector<std::string>{"a", "b:1", "i", "^c"}));
  EXPECT_EQ(node.attr().at("N").i(), 2);
  EXPECT_EQ(node.attr().at("T").type(), DT_FLOAT);
  EXPECT_EQ(node.attr().at("axis").i(), 2);
}

TEST(NodeDefBuilder, FakeInputsFitTheOp) {
  NodeDef node;
  ASSERT_EQ(NodeDefBuilder("join", "HelpersJoin")
                .Input(FakeInput(3, DT_INT64))
                .Input(FakeInput())
                .Finalize(&node),
            OkStatus());
  EXPECT_EQ(node.input_size(), 4);
  EXPECT_EQ(node.attr().at("N").i(), 3);
  EXPECT_EQ(node.attr().at("T").type(), DT_INT64);
}

TEST(NodeDefBuilder, MistakesAreTold) {
  NodeDef node;
  const Status wrong = NodeDefBuilder("join", "HelpersJoin")
                           .Input({{"a", 0, DT_FLOAT}, {"b", 0, DT_INT32}})
                           .Input("i", 0, DT_INT32)
                           .Finalize(&node);
  EXPECT_TRUE(errors::IsInvalidArgument(wrong)) << wrong;
  EXPECT_FALSE(NodeDefBuilder("x", "HelpersNoSuchOp").Finalize(&node).ok());
}

TEST(AddNodeAttr, KeepsAnAttrThatIsThere) {
  NodeDef node;
  AddNodeAttr("sizes", {1, 2}, &node);
  AddNodeAttr("sizes", {3}, &node);
  AddNodeAttr("name", "x", &node);
  EXPECT_EQ(node.attr().at("sizes").list().i_size(), 2);
  EXPECT_EQ(node.attr().at("name").s(), "x");
}

TEST(Versions, OldReadersRefuseNewData) {
  VersionDef versions;
  versions.set_producer(20);
  versions.set_min_consumer(10);
  EXPECT_EQ(CheckVersions(versions, 10, 5, "GraphDef", "graph"), OkStatus());
  EXPECT_FALSE(CheckVersions(versions, 9, 5, "GraphDef", "graph").ok());
  EXPECT_FALSE(CheckVersions(versions, 10, 21, "GraphDef", "graph").ok());
}

TEST(EigenActivations, DerivativesAndClipping) {
  Eigen::Tensor<float, 1> y(9), made(9);
  for (int i = 0; i < 9; ++i) y(i) = 0.25f * static_cast<float>(i) - 1;
  made = y.unaryExpr(Eigen::scalar_sigmoid_fast_derivative_op<float>());
  for (int i = 0; i < 9; ++i) EXPECT_FLOAT_EQ(made(i), y(i) * (1 - y(i)));
  made = y.unaryExpr(Eigen::scalar_tanh_fast_derivative_op<float>());
  for (int i = 0; i < 9; ++i) EXPECT_FLOAT_EQ(made(i), 1 - y(i) * y(i));
  made = y.binaryExpr(y.constant(0.5f), Eigen::scalar_clip_op<float>());
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(made(i), std::clamp(y(i), -0.5f, 0.5f));
  }
}

TEST(TopN, KeepsTheLargestAndStartsAgain) {
  gtl::TopN<int> top(3);
  for (const int value : {5, 1, 4, 9, 2}) top.push(value);
  std::vector<int> kept;
  top.ExtractUnsortedNondestructive(&kept);
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(kept, (std::vector<int>{4, 5, 9}));
  EXPECT_EQ(std::count(top.unsorted_begin(), top.unsorted_end(), 9), 1);
  top.Reset();
  top.push(3);
  top.ExtractUnsortedNondestructive(&kept);
  EXPECT_EQ(kept, std::vector<int>{3});
}

TEST(ArraySlice, LosesItsEnds) {
  const std::vector<int> values = {1, 2, 3, 4};
  gtl::ArraySlice<int> slice(values);
  slice.pop_front();
  slice.pop_back();
  EXPECT_EQ(std::vector<int>(slice.begin(), slice.end()),
            (std::vector<int>{2, 3}));
}

TEST(Max, TakesWhatOldSourcesMix) {
  const float f = 0.5f;
  const int64_t n = 3;
  EXPECT_EQ(std::max(1e-6, f), 0.5);
  EXPECT_EQ(std::min(f, 0.25), 0.25);
  EXPECT_EQ(std::max(n, 0LL), 3);
  EXPECT_EQ(std::min(2LL, n), 2);
}

}  // namespace
}  // namespace tensorwright
