// SPDX-License-Identifier: Apache-2.0
#include "core/framework/op_def_builder.h"

#include <string>

#include "absl/strings/match.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_inference.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

OpDefBuilder Builder() { return OpDefBuilder("Test", {"file.cc", 7}); }

std::string Summary(OpDefBuilder& builder) {
  OpRegistrationData data;
  Status s = builder.Finalize(&data);
  return s.ok() ? SummarizeOpDef(data.op_def) : s.error_message();
}

void ExpectError(OpDefBuilder& builder, const std::string& words) {
  OpRegistrationData data;
  Status s = builder.Finalize(&data);
  EXPECT_EQ(s.code(), error::INVALID_ARGUMENT);
  EXPECT_TRUE(absl::StrContains(s.error_message(), words))
      << s.ToString() << "\nwanted: " << words;
  EXPECT_TRUE(absl::StrContains(s.error_message(), "file.cc:7"));
}

TEST(OpDefBuilderTest, EveryKindOfAttr) {
  auto b = Builder();
  EXPECT_EQ(Summary(b.Attr("s: string")
                        .Attr("i:int")
                        .Attr("f: float = 2.5")
                        .Attr("b: bool=true")
                        .Attr("T: {float, double} = DT_FLOAT")
                        .Attr("mode: {'SAME', 'VALID'} = 'SAME'")
                        .Attr("n: int >= 2")
                        .Attr("strides: list(int) >= 4")
                        .Attr("types: list({int32,string}) = []")
                        .Attr("shape: shape = { unknown_rank: true }")
                        .Attr("dims: list(int) = [1, -2]")),
            "Op<name=Test; signature= -> ; attr=s:string; attr=i:int; "
            "attr=f:float,default=2.5; attr=b:bool,default=true; "
            "attr=T:type,default=DT_FLOAT,allowed=[DT_FLOAT, DT_DOUBLE]; "
            "attr=mode:string,default=\"SAME\",allowed=[\"SAME\", \"VALID\"]; "
            "attr=n:int,min=2; attr=strides:list(int),min=4; "
            "attr=types:list(type),default=[],allowed=[DT_INT32, DT_STRING]; "
            "attr=shape:shape,default=<unknown>; "
            "attr=dims:list(int),default=[1, -2]>");
}

TEST(OpDefBuilderTest, EveryKindOfArgument) {
  auto b = Builder();
  EXPECT_EQ(Summary(b.Input("a: float")
                        .Input("b: T")
                        .Input("c: Ref(T)")
                        .Input("d: N * T")
                        .Input("e: Ref(N * int32)")
                        .Input("f: Tin")
                        .Output("g: N*string")
                        .Attr("T: type")
                        .Attr("N: int >= 1")
                        .Attr("Tin: list(type)")),
            "Op<name=Test; signature=a:float, b:T, c:Ref(T), d:N*T, "
            "e:N*Ref(int32), f:Tin -> g:N*string; attr=T:type; "
            "attr=N:int,min=1; attr=Tin:list(type)>");
}

TEST(OpDefBuilderTest, NamedSetsOfTypes) {
  auto b = Builder();
  OpRegistrationData data;
  Status s =
      b.Attr("A: numbertype").Attr("B: {numbertype, bool}").Finalize(&data);
  ASSERT_TRUE(s.ok()) << s;
  const int numbers = data.op_def.attr(0).allowed_values().list().type_size();
  EXPECT_GT(numbers, 10);
  EXPECT_EQ(data.op_def.attr(1).allowed_values().list().type_size(),
            numbers + 1);
}

TEST(OpDefBuilderTest, BadSpecsAreNamed) {
  struct Case {
    const char* attr;
    const char* input;
    const char* words;
  };
  const Case cases[] = {
      {"", "x: float", "Attr(\"\"): expected a name"},
      {"T", "x: float", "Attr(\"T\"): expected ':' after the name"},
      {"T: typ", "x: float", "unknown attr type 'typ'"},
      {"T: {float, 'a'}", "x: float", "a set holds types or strings, not both"},
      {"T: {float32x}", "x: float", "unknown type 'float32x' in the set"},
      {"T: list(int", "x: float", "expected ')'"},
      {"T: string >= 2", "x: float", "only int and lists have a minimum"},
      {"T: int >= a", "x: float", "expected an integer after '>=', got 'a'"},
      {"T: int = x", "x: float", "default 'x' is no int"},
      {"T: int = 3 4", "x: float", "default '3 4' is no int"},
      {"T: int foo", "x: float", "unexpected 'foo'"},
      {"T: type", "x: T2", "'T2' is neither a dtype nor an attr of the op"},
      {"T: int", "x: T", "attr 'T' is of type int"},
      {"T: type", "x: Ref(T", "expected ')' after Ref(T"},
      {"T: type", "x: N*T", "refers to attr 'N', which the op does not have"},
      {"T: type", "T: T", "the name 'T' is used twice"},
      {"T: int >= 2 = 1", "x: float", "must be >= 2, got 1"},
      {"T: {float} = DT_INT32", "x: float", "must be one of float, got int32"},
  };
  for (const Case& c : cases) {
    auto b = Builder();
    ExpectError(b.Attr(c.attr).Input(c.input), c.words);
  }
}

TEST(OpDefBuilderTest, AllMistakesAreReportedTogether) {
  auto b = Builder();
  OpRegistrationData data;
  Status s = b.Attr("T: typ").Output("y: nope").Finalize(&data);
  EXPECT_TRUE(absl::StrContains(s.error_message(), "Attr(\"T: typ\")"));
  EXPECT_TRUE(absl::StrContains(s.error_message(), "Output(\"y: nope\")"));
}

TEST(OpDefBuilderTest, OpNamesStartWithACapital) {
  OpRegistrationData data;
  EXPECT_FALSE(OpDefBuilder("lower").Finalize(&data).ok());
  EXPECT_FALSE(OpDefBuilder("With Space").Finalize(&data).ok());
  EXPECT_TRUE(OpDefBuilder("_Internal").Finalize(&data).ok());
}

TEST(OpDefBuilderTest, DeepDefaultsAreRefusedNotRecursedInto) {
  auto b = Builder();
  ExpectError(b.Attr("f: func = " + std::string(100000, '{')), "is no func");
}

TEST(OpDefUtilTest, SameOpDefLooksAtMeaningsOnly) {
  const auto made = [](OpDefBuilder b) {
    OpRegistrationData data;
    EXPECT_TRUE(b.Finalize(&data).ok());
    return data.op_def;
  };
  const OpDef op = made(Builder()
                            .Input("x: T")
                            .Output("y: T")
                            .Attr("T: {float, double}")
                            .Attr("n: int = 3")
                            .Doc("One."));
  EXPECT_TRUE(SameOpDef(op, made(Builder()
                                     .Input("x: T")
                                     .Output("y: T")
                                     .Attr("n: int = 3")
                                     .Attr("T: {double, float}")
                                     .Doc("Other words."))));
  const auto differs = [&](const char* t, const char* n, const char* input) {
    return !SameOpDef(
        op, made(Builder().Input(input).Output("y: T").Attr(t).Attr(n)));
  };
  EXPECT_FALSE(differs("T: {float, double}", "n: int = 3", "x: T"));
  EXPECT_TRUE(differs("T: {float}", "n: int = 3", "x: T"));
  EXPECT_TRUE(differs("T: {float, double}", "n: int = 4", "x: T"));
  EXPECT_TRUE(differs("T: {float, double}", "n: int", "x: T"));
  EXPECT_TRUE(differs("T: {float, double}", "n: int >= 1 = 3", "x: T"));
  EXPECT_TRUE(differs("T: {float, double}", "n: int = 3", "z: T"));
  EXPECT_TRUE(differs("T: {float, double}", "n: int = 3", "x: Ref(T)"));
  EXPECT_FALSE(SameOpDef(op, made(Builder()
                                      .SetIsStateful()
                                      .Input("x: T")
                                      .Output("y: T")
                                      .Attr("T: {float, double}")
                                      .Attr("n: int = 3"))));
}

TEST(OpDefBuilderTest, WhatAnOpTouchesIsNoPartOfItsOpDef) {
  auto touching = Builder();
  OpRegistrationData data;
  Status s = touching.Touches("python")
                 .Touches("files")
                 .Touches("python")
                 .Needs("blocking")
                 .Finalize(&data);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(data.touches, (std::vector<std::string>{
                              "files read", "files written", "python"}));
  EXPECT_EQ(data.needs, (std::vector<std::string>{"blocking"}));
  EXPECT_TRUE(data.claims_capabilities);
  EXPECT_EQ(CapabilitiesOf(data),
            kFilesRead | kFilesWritten | kPython | kBlocking);
  auto plain = Builder();
  OpRegistrationData nothing;
  ASSERT_TRUE(plain.Finalize(&nothing).ok());
  EXPECT_TRUE(nothing.touches.empty());
  EXPECT_FALSE(nothing.claims_capabilities);
  EXPECT_EQ(CapabilitiesOf(nothing), 0u);
  EXPECT_EQ(data.op_def.SerializeAsString(),
            nothing.op_def.SerializeAsString());
}

TEST(OpDefBuilderTest, AnOpOfALibraryThatSaysNothingMayDoAll) {
  auto silent = Builder();
  OpRegistrationData data;
  ASSERT_TRUE(silent.SetLibrary("/ops/row.so", 3).Finalize(&data).ok());
  std::string reason;
  EXPECT_EQ(CapabilitiesOf(data, &reason), kAllCapabilities);
  EXPECT_EQ(reason, "its library /ops/row.so does not say what it touches");

  auto claiming = Builder();
  OpRegistrationData pure;
  ASSERT_TRUE(claiming.SetLibrary("/ops/row.so", 3)
                  .Touches("nothing")
                  .Finalize(&pure)
                  .ok());
  EXPECT_TRUE(pure.touches.empty());
  EXPECT_EQ(CapabilitiesOf(pure, &reason), 0u);
  EXPECT_EQ(reason, "");
}

TEST(OpDefBuilderTest, ChanceIsToldByAPhraseOrBySeeds) {
  const auto chance = [](OpDefBuilder builder) {
    OpRegistrationData data;
    const Status s = builder.Finalize(&data);
    EXPECT_TRUE(s.ok()) << s;
    EXPECT_TRUE(data.touches.empty());
    EXPECT_EQ(CapabilitiesOf(data), 0u);
    return ChanceOf(data);
  };
  EXPECT_EQ(chance(Builder()), "");
  EXPECT_EQ(chance(Builder().Touches("chance")), "chance");
  EXPECT_EQ(chance(Builder().Touches("chance unless noise=zero|none")),
            "chance unless noise=zero|none");
  // A library has said what the op touches.
  EXPECT_EQ(chance(Builder().SetLibrary("/ops/row.so", 3).Touches("chance")),
            "chance");
  const auto seeded = [] {
    return Builder().Attr("seed: int = 0").Attr("seed2: int = 0");
  };
  EXPECT_EQ(chance(seeded().SetIsStateful()), "chance unless seed");
  EXPECT_EQ(chance(seeded()), "");
  EXPECT_EQ(chance(seeded().Touches("chance unless seed")),
            "chance unless seed");
  EXPECT_EQ(chance(Builder().Input("seed: int64").Input("seed2: int64")),
            "chance unless seed");
}

TEST(OpDefBuilderTest, OnlyKnownKindsAreTouchedAndNeeded) {
  auto b = Builder();
  ExpectError(b.Touches("disk"),
              "Touches(\"disk\"): must be one of files read, files written, "
              "network, python, native code, host, files, nothing, chance");
  for (const char* phrase :
       {"chance unless", "chance unless luck", "chance unless =zero",
        "chance unless noise=", "chances"}) {
    auto wrong = Builder();
    ExpectError(wrong.Touches(phrase), "must be one of ");
  }
  auto c = Builder();
  ExpectError(c.Touches("blocking"), "Touches(\"blocking\"): must be one of ");
  auto d = Builder();
  ExpectError(d.Needs("host"),
              "Needs(\"host\"): must be one of blocking, unbounded memory");
  auto e = Builder();
  ExpectError(e.Touches("nothing").Touches("host"),
              "Touches(\"nothing\") and Touches(\"host\") contradict");
}

TEST(OpCapabilitiesTest, NamesAndBitsAreOneList) {
  CapabilitySet all = 0;
  for (const CapabilityKind& kind : CapabilityKinds()) {
    EXPECT_EQ(CapabilityOfName(kind.name), kind.bit);
    all |= kind.bit;
  }
  EXPECT_EQ(all, kAllCapabilities);
  EXPECT_EQ(CapabilityOfName("files"), kFilesRead | kFilesWritten);
  EXPECT_EQ(CapabilityOfName("disk"), 0u);
  EXPECT_EQ(CapabilityNames(kBlocking | kFilesRead),
            (std::vector<std::string>{"files read", "blocking"}));
}

TEST(OpDefBuilderTest, DocGoesToItsParts) {
  auto b = Builder();
  OpRegistrationData data;
  Status s = b.Attr("T: type")
                 .Input("x: T")
                 .Output("y: T")
                 .Doc(
                     "One line.\n\nMore: words.\n\nx: the input,\n  of any "
                     "shape.\ny: the output.\nT: its type.")
                 .Finalize(&data);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(data.op_def.summary(), "One line.");
  EXPECT_EQ(data.op_def.description(), "More: words.");
  EXPECT_EQ(data.op_def.input_arg(0).description(),
            "the input,\n  of any shape.");
  EXPECT_EQ(data.op_def.output_arg(0).description(), "the output.");
  EXPECT_EQ(data.op_def.attr(0).description(), "its type.");
}

Status NamedShapeFn(shape_inference::InferenceContext*) { return OkStatus(); }

TEST(OpDefBuilderTest, ShapeFunctionsAreNamedAndPlaced) {
  OpRegistrationData named, lambda, none;
  auto b = Builder();
  ASSERT_TRUE(b.SetShapeFn(NamedShapeFn).Finalize(&named).ok());
  const int line = __LINE__ - 1;
  EXPECT_EQ(named.shape_fn_name(), "NamedShapeFn");
  EXPECT_EQ(named.shape_fn_location.line, line);
  EXPECT_TRUE(
      absl::EndsWith(named.shape_fn_location.file, "op_def_builder_test.cc"));

  auto c = Builder();
  ASSERT_TRUE(c.SetShapeFn([](shape_inference::InferenceContext*) {
                 return Status::OK();
               })
                  .Finalize(&lambda)
                  .ok());
  EXPECT_EQ(lambda.shape_fn_name(), "lambda");

  auto d = Builder();
  ASSERT_TRUE(d.Finalize(&none).ok());
  EXPECT_EQ(none.shape_fn_name(), "");
}

}  // namespace
}  // namespace tensorwright
