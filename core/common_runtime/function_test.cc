// SPDX-License-Identifier: Apache-2.0
#include "core/common_runtime/function.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "core/common_runtime/function_calls.h"
#include "core/common_runtime/run_state.h"
#include "core/common_runtime/runtime_testutil.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/function.pb.h"
#include "core/framework/graph.pb.h"
#include "core/graph/graph_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: its tests.

// Calls function `f` with its input, through the context.
REGISTER_OP("TestCall").Input("x: float").Output("y: float").Attr("f: func");
class TestCallOp final : public OpKernel {
 public:
  explicit TestCallOp(OpKernelConstruction* c) : OpKernel(c) {
    const NameAttrList* f = nullptr;
    OP_REQUIRES_OK(c, c->GetAttr("f", &f));
    OP_REQUIRES_OK(c, c->function_library()->Instantiate(
                          f->name(), AttrSlice(&f->attr()), &handle_));
  }
  void Compute(OpKernelContext* c) override {
    FunctionLibraryRuntime::Options options;
    options.cancellation_manager = c->cancellation_manager();
    std::vector<Tensor> rets;
    OP_REQUIRES_OK(c, c->function_library()->RunSync(options, handle_,
                                                     {c->input(0)}, &rets));
    c->set_output(0, rets.at(0));
  }

 private:
  FunctionLibraryRuntime::Handle handle_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("TestCall").Device(DEVICE_CPU), TestCallOp);

FunctionDef Parse(const std::string& text) {
  return testing_graph::ParseGraph(
             absl::StrCat("library { function {", text, "} }"))
      .library()
      .function(0);
}

// twice(x: T) -> y = x + x, with a scalar or vector of any number type.
FunctionDef Twice() {
  return Parse(R"(
      signature { name: "Twice"
        input_arg { name: "x" type_attr: "T" }
        output_arg { name: "y" type_attr: "T" }
        attr { name: "T" type: "type"
          allowed_values { list { type: DT_FLOAT type: DT_INT32 } } } }
      node_def { name: "sum" op: "Add" input: "x" input: "x"
        attr { key: "T" value { placeholder: "T" } } }
      ret { key: "y" value: "sum:z:0" })");
}

// `name`(x) = `op`(x): float -> float.
FunctionDef Unary(const std::string& name, const std::string& op,
                  const std::string& attrs = "", const char* out = "y") {
  return Parse(absl::StrCat(R"(
      signature { name: ")",
                            name, R"("
        input_arg { name: "x" type: DT_FLOAT }
        output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "inner" op: ")",
                            op, R"(" input: "x" )", attrs, R"( }
      ret { key: "y" value: "inner:)",
                            out, R"(:0" })"));
}

AttrSlice TypeAttr(NodeDef* def, DataType type) {
  SetAttrValue(type, &(*def->mutable_attr())["T"]);
  return AttrSlice(*def);
}

class FunctionTest : public ::testing::Test {
 protected:
  FunctionTest() { TF_CHECK_OK(library()->AddFunctionDef(Twice())); }

  FunctionLibraryDefinition* library() { return graph_->functions().get(); }
  FunctionLibraryRuntime* Runtime(const ConfigProto& config = {}) {
    resources_ = *SessionResources::New(config, graph_->functions());
    return resources_->functions.get();
  }
  static Status Call(FunctionLibraryRuntime* runtime, const std::string& name,
                     const Tensor& arg, std::vector<Tensor>* rets) {
    NodeDef attrs;
    FunctionLibraryRuntime::Handle handle;
    TF_RETURN_IF_ERROR(
        runtime->Instantiate(name, TypeAttr(&attrs, arg.dtype()), &handle));
    return runtime->RunSync({}, handle, {arg}, rets);
  }

  const std::shared_ptr<LiveGraph> graph_ = std::make_shared<LiveGraph>();
  std::shared_ptr<SessionResources> resources_;
};

TEST_F(FunctionTest, OneFunctionRunsForSeveralTypesFromSeveralThreads) {
  for (const int inter : {1, 4}) {
    FunctionLibraryRuntime* const runtime = Runtime(Threads(inter));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          std::vector<Tensor> rets;
          if (t % 2 == 0) {
            const Status s =
                Call(runtime, "Twice", Tensor(static_cast<float>(i)), &rets);
            wrong += !s.ok() || *rets.at(0).base<float>() != 2 * i;
          } else {
            const Status s = Call(runtime, "Twice", Tensor(int32_t{i}), &rets);
            wrong += !s.ok() || *rets.at(0).base<int32_t>() != 2 * i;
          }
        }
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(FunctionTest, AnInstanceHasOneHandle) {
  FunctionLibraryRuntime* const runtime = Runtime();
  NodeDef floats, again, ints;
  FunctionLibraryRuntime::Handle a, b, c;
  ASSERT_EQ(runtime->Instantiate("Twice", TypeAttr(&floats, DT_FLOAT), &a),
            OkStatus());
  SetAttrValue("ignored", &(*again.mutable_attr())["_class"]);
  ASSERT_EQ(runtime->Instantiate("Twice", TypeAttr(&again, DT_FLOAT), &b),
            OkStatus());
  ASSERT_EQ(runtime->Instantiate("Twice", TypeAttr(&ints, DT_INT32), &c),
            OkStatus());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  FunctionLibraryRuntime::Signature signature;
  ASSERT_EQ(runtime->GetSignature(c, &signature), OkStatus());
  EXPECT_EQ(signature.args, DataTypeVector({DT_INT32}));
  EXPECT_EQ(signature.rets, DataTypeVector({DT_INT32}));
}

TEST_F(FunctionTest, WhatIsWrongWithACallIsSaid) {
  FunctionLibraryRuntime* const runtime = Runtime();
  FunctionLibraryRuntime::Handle handle;
  Status s = runtime->Instantiate("Nosuch", AttrSlice(), &handle);
  EXPECT_TRUE(errors::IsNotFound(s)) << s;
  s = runtime->Instantiate("Twice", AttrSlice(), &handle);
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "Function Twice: attr 'T'")) << s;
  std::vector<Tensor> rets;
  s = Call(runtime, "Twice", Tensor(true), &rets);
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  NodeDef attrs;
  ASSERT_EQ(runtime->Instantiate("Twice", TypeAttr(&attrs, DT_FLOAT), &handle),
            OkStatus());
  s = runtime->RunSync({}, handle, {}, &rets);
  EXPECT_TRUE(absl::StrContains(s.message(), "needs 1 arguments, got 0")) << s;
  s = runtime->RunSync({}, handle, {Tensor(int32_t{1})}, &rets);
  EXPECT_TRUE(absl::StrContains(s.message(), "must be float, got int32")) << s;
  s = runtime->RunSync({}, handle + 1, {}, &rets);
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
}

TEST_F(FunctionTest, ErrorsNameTheFunctionsNode) {
  TF_CHECK_OK(library()->AddFunctionDef(
      Unary("Fails", "TestFail",
            R"(attr { key: "message" value { s: "out of luck" } })")));
  TF_CHECK_OK(library()->AddFunctionDef(Unary("Unknown", "Nosuch")));
  TF_CHECK_OK(
      library()->AddFunctionDef(Unary("Internal", "_FusedElementwise")));
  TF_CHECK_OK(
      library()->AddFunctionDef(Unary("Dangling", "TestThrow", "", "z")));
  FunctionLibraryRuntime* const runtime = Runtime();
  std::vector<Tensor> rets;
  Status s = Call(runtime, "Fails", Tensor(1.0f), &rets);
  EXPECT_TRUE(errors::IsOutOfRange(s)) << s;
  EXPECT_EQ(errors::FailedNode(s), "");
  EXPECT_TRUE(
      absl::StrContains(s.message(), "Function Fails, node inner: out of luck"))
      << s;
  EXPECT_TRUE(rets.empty());
  s = Call(runtime, "Unknown", Tensor(1.0f), &rets);
  EXPECT_TRUE(errors::IsNotFound(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "Function Unknown: node 'inner'"))
      << s;
  EXPECT_EQ(errors::FailedNode(s), "");
  EXPECT_TRUE(errors::IsInvalidArgument(
      Call(runtime, "Internal", Tensor(1.0f), &rets)));
  s = Call(runtime, "Dangling", Tensor(1.0f), &rets);
  EXPECT_TRUE(absl::StrContains(s.message(), "'inner:z:0' names no output"))
      << s;
}

TEST_F(FunctionTest, FunctionsThatCallThemselvesAreRefused) {
  TF_CHECK_OK(library()->AddFunctionDef(Unary("Ping", "Pong")));
  TF_CHECK_OK(library()->AddFunctionDef(
      Unary("Pong", "TestCall",
            R"(attr { key: "f" value { func { name: "Ping" } } })")));
  for (int i = 0; i < 2 * kMaxCallDepth; ++i) {
    TF_CHECK_OK(library()->AddFunctionDef(
        Unary(absl::StrCat("Chain", i), absl::StrCat("Chain", i + 1))));
  }
  TF_CHECK_OK(library()->AddFunctionDef(
      Unary(absl::StrCat("Chain", 2 * kMaxCallDepth), "TestIncrement")));
  FunctionLibraryRuntime* const runtime = Runtime();
  FunctionLibraryRuntime::Handle handle;
  Status s = runtime->Instantiate("Ping", AttrSlice(), &handle);
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "calls itself")) << s;
  s = runtime->Instantiate("Chain0", AttrSlice(), &handle);
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "deep")) << s;
  std::vector<Tensor> rets;
  s = Call(runtime, absl::StrCat("Chain", kMaxCallDepth + 1), Tensor(1.0f),
           &rets);
  ASSERT_EQ(s, OkStatus());
  EXPECT_EQ(*rets.at(0).base<float>(), 2);
}

TEST_F(FunctionTest, CallsHiddenInGradientsAndInAttrsOfAttrsAreRefused) {
  // The gradient of F is G, which asks for the gradient of F.
  TF_CHECK_OK(library()->AddFunctionDef(Unary("F", "TestIncrement")));
  const auto gradient_of = [](const char* f) {
    return absl::StrCat(R"(input: "x"
        attr { key: "f" value { )",
                        f, R"( } }
        attr { key: "Tin" value { list { type: DT_FLOAT type: DT_FLOAT } } }
        attr { key: "Tout" value { list { type: DT_FLOAT } } })");
  };
  TF_CHECK_OK(library()->AddFunctionDef(
      Unary("G", "SymbolicGradient", gradient_of(R"(func { name: "F" })"),
            "output")));
  GradientDef gradient;
  gradient.set_function_name("F");
  gradient.set_gradient_func("G");
  TF_CHECK_OK(library()->AddGradientDef(gradient));
  // The same as G, for a function that the caller names.
  FunctionDef any = Unary("GradientOfAny", "SymbolicGradient",
                          gradient_of(R"(placeholder: "f")"), "output");
  auto* attr = any.mutable_signature()->add_attr();
  attr->set_name("f");
  attr->set_type("func");
  TF_CHECK_OK(library()->AddFunctionDef(any));
  TF_CHECK_OK(library()->AddFunctionDef(Unary("Base", "TestIncrement")));
  TF_CHECK_OK(library()->AddFunctionDef(
      Unary("ByAny", "GradientOfAny",
            R"(attr { key: "f" value { func { name: "Base" } } })")));
  gradient.set_function_name("Base");
  gradient.set_gradient_func("ByAny");
  TF_CHECK_OK(library()->AddGradientDef(gradient));
  // Deep gives itself to the function that it calls.
  FunctionDef apply = Unary("Apply", "TestCall",
                            R"(attr { key: "f" value { placeholder: "f" } })");
  *apply.mutable_signature()->add_attr() = *attr;
  TF_CHECK_OK(library()->AddFunctionDef(apply));
  TF_CHECK_OK(library()->AddFunctionDef(
      Unary("Deep", "TestCall",
            R"(attr { key: "f" value { func { name: "Apply"
                 attr { key: "f" value { func { name: "Deep" } } } } } })")));
  // A function may also be the default of its own attr.
  FunctionDef by_default =
      Unary("ByDefault", "TestCall",
            R"(attr { key: "f" value { placeholder: "f" } })");
  *by_default.mutable_signature()->add_attr() = *attr;
  by_default.mutable_signature()
      ->mutable_attr(0)
      ->mutable_default_value()
      ->mutable_func()
      ->set_name("ByDefault");
  TF_CHECK_OK(library()->AddFunctionDef(by_default));
  FunctionLibraryRuntime* const runtime = Runtime();
  FunctionLibraryRuntime::Handle handle;
  for (const char* name : {"G", "ByAny", "Deep", "ByDefault"}) {
    const Status s = runtime->Instantiate(name, AttrSlice(), &handle);
    EXPECT_TRUE(errors::IsInvalidArgument(s)) << name << ": " << s;
    EXPECT_TRUE(absl::StrContains(s.message(), "calls itself")) << s;
  }
}

TEST_F(FunctionTest, CallsByAttrsEndBeforeTheStackDoes) {
  // Up0(f) calls f; Up<i>(f) calls Up<i-1> of Up<i-1> of f: 2^i calls in a row,
  // though no function calls itself.
  constexpr int kLevels = 12;
  OpDef::AttrDef f;
  f.set_name("f");
  f.set_type("func");
  for (int i = 0; i <= kLevels; ++i) {
    const std::string below = absl::StrCat("Up", i - 1);
    FunctionDef up = Unary(
        absl::StrCat("Up", i), "TestCall",
        i == 0 ? R"(attr { key: "f" value { placeholder: "f" } })"
               : absl::StrCat(
                     R"(attr { key: "f" value { func { name: ")", below,
                     R"(" attr { key: "f" value { func { name: ")", below, R"("
                 attr { key: "f" value { placeholder: "f" } } } } } } } })"));
    *up.mutable_signature()->add_attr() = f;
    TF_CHECK_OK(library()->AddFunctionDef(up));
  }
  TF_CHECK_OK(library()->AddFunctionDef(Unary("One", "TestIncrement")));
  for (const int levels : {3, kLevels}) {
    const std::string name = absl::StrCat("By", levels);
    TF_CHECK_OK(library()->AddFunctionDef(Unary(
        name, "TestCall",
        absl::StrCat(R"(attr { key: "f" value { func { name: "Up)", levels,
                     R"(" attr { key: "f"
                             value { func { name: "One" } } } } } })"))));
  }
  FunctionLibraryRuntime* const runtime = Runtime();
  std::vector<Tensor> rets;
  ASSERT_EQ(Call(runtime, "By3", Tensor(1.0f), &rets), OkStatus());
  EXPECT_EQ(*rets.at(0).base<float>(), 2);
  const Status s =
      Call(runtime, absl::StrCat("By", kLevels), Tensor(1.0f), &rets);
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
  EXPECT_TRUE(absl::StrContains(s.message(), "deep")) << s;
}

TEST_F(FunctionTest, ACallThatIsNotWaitedForSaysWhenItIsDone) {
  // Two branches that are worth threads.
  TF_CHECK_OK(library()->AddFunctionDef(Parse(R"(
      signature { name: "Sleeps" is_stateful: true
        input_arg { name: "x" type: DT_FLOAT }
        output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "a" op: "TestSleep" input: "x"
        attr { key: "ms" value { i: 5 } } }
      node_def { name: "b" op: "TestSleep" input: "x"
        attr { key: "ms" value { i: 5 } } }
      node_def { name: "sum" op: "TestAdd" input: "a:y:0" input: "b:y:0" }
      ret { key: "y" value: "sum:z:0" })")));
  for (const int inter : {1, 4}) {
    FunctionLibraryRuntime* const runtime = Runtime(Threads(inter));
    FunctionLibraryRuntime::Handle handle;
    ASSERT_EQ(runtime->Instantiate("Sleeps", AttrSlice(), &handle), OkStatus());
    EXPECT_TRUE(runtime->IsStateful("Sleeps"));
    EXPECT_FALSE(runtime->IsStateful("Twice"));
    constexpr int kCalls = 8;
    std::vector<std::vector<Tensor>> rets(kCalls);
    std::vector<absl::Notification> done(kCalls);
    std::vector<Status> statuses(kCalls);
    for (int i = 0; i < kCalls; ++i) {
      runtime->Run({}, handle, {Tensor(static_cast<float>(i))}, &rets[i],
                   [&, i](const Status& s) {
                     statuses[i] = s;
                     done[i].Notify();
                   });
    }
    for (int i = 0; i < kCalls; ++i) {
      done[i].WaitForNotification();
      ASSERT_EQ(statuses[i], OkStatus());
      EXPECT_EQ(*rets[i].at(0).base<float>(), 2 * i);
    }
  }
}

TEST_F(FunctionTest, ACallIsCancelledFromOutside) {
  TF_CHECK_OK(library()->AddFunctionDef(Unary("Waits", "TestWait")));
  FunctionLibraryRuntime* const runtime = Runtime(Threads(2));
  FunctionLibraryRuntime::Handle handle;
  ASSERT_EQ(runtime->Instantiate("Waits", AttrSlice(), &handle), OkStatus());
  CancellationManager manager;
  FunctionLibraryRuntime::Options options;
  options.cancellation_manager = &manager;
  absl::Notification done;
  Status status;
  std::vector<Tensor> rets;
  runtime->Run(options, handle, {Tensor(1.0f)}, &rets, [&](const Status& s) {
    status = s;
    done.Notify();
  });
  EXPECT_FALSE(done.HasBeenNotified());
  manager.StartCancel();
  done.WaitForNotification();
  EXPECT_TRUE(errors::IsCancelled(status)) << status;
  // The cancellation comes too late.
  EXPECT_TRUE(errors::IsCancelled(
      runtime->RunSync(options, handle, {Tensor(1.0f)}, &rets)));
}

TEST_F(FunctionTest, NodesOfAGraphCallFunctionsAndKernelsDoToo) {
  TF_CHECK_OK(library()->AddFunctionDef(Unary("Next", "TestIncrement")));
  GraphDef def = testing_graph::ParseGraph(
      R"(node { name: "x" op: "Placeholder"
           attr { key: "dtype" value { type: DT_FLOAT } } }
         node { name: "twice" op: "Twice" input: "x"
           attr { key: "T" value { type: DT_FLOAT } } }
         node { name: "next" op: "Next" input: "twice" }
         node { name: "called" op: "TestCall" input: "next"
           attr { key: "f" value { func { name: "Twice"
             attr { key: "T" value { type: DT_FLOAT } } } } } })");
  library()->ToProto(def.mutable_library());
  // It knows no function yet.
  const auto graph = std::make_shared<LiveGraph>();
  for (const ConfigProto& config : {Threads(1), Threads(4), Cpus(2)}) {
    auto session = *NewSession("", config, graph);
    if (graph->version() == 0) {
      ASSERT_EQ(session->Create(def), OkStatus());
    }
    std::vector<Tensor> fetched;
    for (int run = 0; run < 3; ++run) {
      ASSERT_EQ(
          session->Run({{"x", Tensor(3.0f)}}, {"called", "next"}, {}, &fetched),
          OkStatus());
      EXPECT_EQ(*fetched.at(0).base<float>(), 14);
      EXPECT_EQ(*fetched.at(1).base<float>(), 7);
    }
  }
  GraphDef written;
  graph->ToGraphDef(&written);
  EXPECT_EQ(written.library().DebugString(), def.library().DebugString());
}

}  // namespace
}  // namespace tensorwright
