// SPDX-License-Identifier: Apache-2.0
// GraphDef -> Graph: the defs that are accepted, and the report of each
// mistake.
#include "core/graph/graph_constructor.h"

#include "absl/strings/match.h"
#include "core/graph/graph_testutil.h"
#include "core/graph/validate.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_graph;  // NOLINT: a test.

constexpr char kX[] =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: "
    "DT_FLOAT } } }";
constexpr char kLoop[] = R"(
  node { name: 'x' op: 'Placeholder'
         attr { key: 'dtype' value { type: DT_FLOAT } } }
  node { name: 'p' op: 'Placeholder'
         attr { key: 'dtype' value { type: DT_BOOL } } }
  node { name: 'enter' op: 'Enter' input: 'x'
         attr { key: 'T' value { type: DT_FLOAT } }
         attr { key: 'frame_name' value { s: 'loop' } } }
  node { name: 'enter_p' op: 'Enter' input: 'p'
         attr { key: 'T' value { type: DT_BOOL } }
         attr { key: 'is_constant' value { b: true } }
         attr { key: 'frame_name' value { s: 'loop' } } }
  node { name: 'merge' op: 'Merge' input: 'enter' input: 'next'
         attr { key: 'T' value { type: DT_FLOAT } }
         attr { key: 'N' value { i: 2 } } }
  node { name: 'cond' op: 'LoopCond' input: 'enter_p' }
  node { name: 'switch' op: 'Switch' input: 'merge' input: 'cond'
         attr { key: 'T' value { type: DT_FLOAT } } }
  node { name: 'next' op: 'NextIteration' input: 'switch:1'
         attr { key: 'T' value { type: DT_FLOAT } } }
  node { name: 'exit' op: 'Exit' input: 'switch'
         attr { key: 'T' value { type: DT_FLOAT } } })";

std::string Identity(const std::string& name, const std::string& input,
                     const std::string& type = "DT_FLOAT") {
  return "node { name: '" + name + "' op: 'Identity' input: '" + input +
         "' attr { key: 'T' value { type: " + type + " } } }";
}

Status Convert(const std::string& text, Graph* graph) {
  return ConvertGraphDefToGraph({}, ParseGraph(text), graph, nullptr);
}

// The error of a def, which must leave the graph empty.
Status ErrorOf(const std::string& text) {
  Graph graph(OpRegistry::Global());
  const Status s = Convert(text, &graph);
  EXPECT_EQ(graph.num_op_nodes(), 0);
  EXPECT_EQ(graph.num_edges(), 0);
  return s;
}

#define EXPECT_INVALID(status, words)                          \
  do {                                                         \
    const Status s_ = (status);                                \
    EXPECT_TRUE(errors::IsInvalidArgument(s_)) << s_;          \
    EXPECT_TRUE(absl::StrContains(s_.message(), words)) << s_; \
  } while (false)

TEST(GraphConstructor, ConnectsNodesInAnyOrder) {
  Graph graph(OpRegistry::Global());
  ASSERT_EQ(Convert(Identity("c", "b") + Identity("b", "x") + kX, &graph),
            OkStatus());
  EXPECT_EQ(graph.num_op_nodes(), 3);
  EXPECT_EQ(graph.num_edges(), 2);
  EXPECT_EQ(ValidateGraph(graph), OkStatus());
}

TEST(GraphConstructor, WritesBackWhatItRead) {
  Graph graph(OpRegistry::Global());
  ASSERT_EQ(Convert(std::string(kX) + Identity("b", "x") +
                        "node { name: 'n' op: 'NoOp' input: '^b' }",
                    &graph),
            OkStatus());
  GraphDef def;
  graph.ToGraphDef(&def);
  ASSERT_EQ(def.node_size(), 3);
  EXPECT_EQ(def.node(1).input(0), "x");
  EXPECT_EQ(def.node(2).input(0), "^b");
}

TEST(GraphConstructor, AcceptsLoops) {
  Graph graph(OpRegistry::Global());
  ASSERT_EQ(Convert(kLoop, &graph), OkStatus());
  EXPECT_EQ(ValidateGraph(graph), OkStatus());
}

TEST(GraphConstructor, UnknownOp) {
  const Status s = ErrorOf("node { name: 'a' op: 'NoSuchOp' }");
  EXPECT_TRUE(errors::IsNotFound(s)) << s;
  EXPECT_EQ(errors::FailedNode(s), "a");
  EXPECT_TRUE(absl::StrContains(s.message(), "NoSuchOp")) << s;
}

TEST(GraphConstructor, MissingInput) {
  EXPECT_INVALID(ErrorOf(Identity("a", "nobody")), "nobody");
}

TEST(GraphConstructor, InputThatItsNodeDoesNotHave) {
  EXPECT_INVALID(ErrorOf(kX + Identity("a", "x:1")), "1 outputs");
}

TEST(GraphConstructor, TypeMismatch) {
  EXPECT_INVALID(ErrorOf(kX + Identity("a", "x", "DT_INT32")), "int32");
}

TEST(GraphConstructor, TooFewAndTooManyInputs) {
  EXPECT_TRUE(errors::IsInvalidArgument(
      ErrorOf("node { name: 'a' op: 'Identity' "
              "attr { key: 'T' value { type: DT_FLOAT } } }")));
  EXPECT_TRUE(errors::IsInvalidArgument(
      ErrorOf(std::string(kX) +
              "node { name: 'a' op: 'Identity' input: 'x' input: 'x' "
              "attr { key: 'T' value { type: DT_FLOAT } } }")));
}

TEST(GraphConstructor, MissingAttr) {
  EXPECT_INVALID(
      ErrorOf(std::string(kX) + "node { name: 'a' op: 'Identity' input: 'x' }"),
      "T");
}

TEST(GraphConstructor, Cycle) {
  const Status s = ErrorOf(Identity("a", "c") + Identity("b", "a") +
                           Identity("c", "b") + Identity("d", "c"));
  EXPECT_INVALID(s, "cycle");
  EXPECT_FALSE(absl::StrContains(s.message(), "d ->")) << s;
}

TEST(GraphConstructor, SelfLoop) {
  EXPECT_INVALID(ErrorOf(Identity("a", "a")), "cycle");
}

TEST(GraphConstructor, NameUsedTwice) {
  EXPECT_INVALID(ErrorOf(std::string(kX) + kX), "is not unique");
}

TEST(GraphConstructor, MalformedName) {
  EXPECT_INVALID(ErrorOf("node { name: 'a b' op: 'NoOp' }"), "name");
  EXPECT_INVALID(ErrorOf("node { name: '' op: 'NoOp' }"), "name");
}

TEST(GraphConstructor, InternalOpsAreNotForStrangers) {
  EXPECT_TRUE(errors::IsInvalidArgument(
      ErrorOf("node { name: 'a' op: '_Arg' "
              "attr { key: 'T' value { type: DT_FLOAT } } "
              "attr { key: 'index' value { i: 0 } } }")));
}

TEST(GraphConstructor, DefOfALaterVersion) {
  EXPECT_INVALID(ErrorOf("versions { producer: 9999 min_consumer: 9999 }"),
                 "min consumer version 9999 above current version");
}

TEST(GraphConstructor, DefOfNoVersion) {
  EXPECT_INVALID(ErrorOf("versions { producer: -1 }"),
                 "producer version -1 below min producer 0");
}

TEST(GraphConstructor, OldGraphsMayHoldDeprecatedOps) {
  const std::string inv = std::string(kX) +
                          "node { name: 'a' op: 'Inv' input: 'x' "
                          "attr { key: 'T' value { type: DT_FLOAT } } }";
  Graph graph(OpRegistry::Global());
  EXPECT_TRUE(Convert("versions { producer: 16 }" + inv, &graph).ok());
  EXPECT_TRUE(
      errors::IsUnimplemented(ErrorOf("versions { producer: 17 }" + inv)));
}

TEST(GraphConstructor, DataInputAfterControlInput) {
  EXPECT_INVALID(
      ErrorOf(std::string(kX) +
              "node { name: 'a' op: 'Identity' input: '^x' input: 'x' "
              "attr { key: 'T' value { type: DT_FLOAT } } }"),
      "control inputs");
}

TEST(GraphConstructor, PrefixAndInputMap) {
  LiveGraph live;
  const OutputRef mine = Placeholder(&live, "dim { size: 7 }", "mine");
  ImportOptions options;
  options.prefix = "in";
  options.input_map["x"] = mine;
  const GraphDef def =
      ParseGraph(kX + Identity("a", "x") +
                 "node { name: 'b' op: 'Identity' input: 'a' "
                 "attr { key: '_class' value { list { s: 'loc:@a' } } } "
                 "attr { key: 'T' value { type: DT_FLOAT } } }");
  auto nodes = live.Import(def, options);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ((*nodes)[1]->name(), "in/a");
  EXPECT_EQ((*nodes)[1]->input_node(0), mine.node);
  EXPECT_EQ((*nodes)[2]->FindAttr("_class")->list().s(0), "loc:@in/a");
  EXPECT_EQ(live.OutputShape({(*nodes)[2], 0}).DebugString(), "[7]");
  EXPECT_EQ(live.FindNode("in/b"), (*nodes)[2]);

  options.prefix = "again";
  options.input_map["nowhere"] = mine;
  EXPECT_INVALID(live.Import(def, options).status(), "nowhere");
  EXPECT_EQ(live.FindNode("again/a"), nullptr);
}

TEST(GraphConstructor, TakenNamesAreRefused) {
  LiveGraph live;
  Placeholder(&live, "", "x");
  EXPECT_INVALID(live.Import(ParseGraph(kX), {}).status(), "already used");
}

TEST(GraphConstructor, TakenNamesGetNumbersWhereAsked) {
  LiveGraph live;
  Placeholder(&live, "", "a");
  Placeholder(&live, "", "a_1");
  const GraphDef def = ParseGraph(R"(
      node { name: "a" op: "Placeholder"
             attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "a_2" op: "Identity" input: "a"
             attr { key: "T" value { type: DT_FLOAT } }
             attr { key: "_class" value { list { s: "loc:@a" } } } }
      versions { producer: 22 })");
  ImportOptions options;
  options.number_taken_names = true;
  auto nodes = live.Import(def, options);
  ASSERT_TRUE(nodes.ok()) << nodes.status().ToString();
  // "a_2" is free in the graph, and is the def's own.
  EXPECT_EQ((*nodes)[0]->name(), "a_3");
  EXPECT_EQ((*nodes)[1]->name(), "a_2");
  EXPECT_EQ(live.FindNode("a_3"), (*nodes)[0]);
  EXPECT_EQ((*nodes)[1]->FindAttr("_class")->list().s(0), "loc:@a_3");
  EXPECT_EQ((*(*nodes)[1]->in_edges().begin())->src(), (*nodes)[0]);
}

}  // namespace
}  // namespace tensorwright
