// SPDX-License-Identifier: Apache-2.0
#include "tools/op_gen/python_printer.h"

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "gtest/gtest.h"
#include "tools/op_gen/json_printer.h"
#include "tools/op_gen/printer.h"
#include "tools/op_gen/pyi_printer.h"
#include "tools/op_gen/python_doc.h"
#include "tools/op_gen/python_signature.h"

namespace tensorwright {
namespace op_gen {
namespace {

// One op made from a builder, and the printers' output for it.
class PrinterTest : public testing::Test {
 protected:
  void Define(OpDefBuilder builder, bool hidden = false) {
    TF_CHECK_OK(builder.Finalize(&data_));
    data_.location = SourceLocation{"core/ops/test_ops.cc", 12};
    op_ = MakeOpModel(data_, hidden);
  }
  std::string Python() const { return PythonPrinter().PrintOp(op_); }
  std::string Pyi() const {
    return PyiPrinter().Print(FamilyModel{"test", {op_}});
  }
  void ExpectPython(absl::string_view part) const {
    EXPECT_TRUE(absl::StrContains(Python(), part)) << "no\n"
                                                   << part << "\nin\n"
                                                   << Python();
  }

  OpRegistrationData data_;
  OpModel op_;
};

TEST(SnakeCaseTest, IsTensorFlows) {
  for (const auto& [camel, snake] :
       std::vector<std::pair<std::string, std::string>>{
           {"Conv2DBackpropInput", "conv2d_backprop_input"},
           {"BiasAddV1", "bias_add_v1"},
           {"LRN", "lrn"},
           {"LRNGrad", "lrn_grad"},
           {"MatMul", "mat_mul"},
           {"L2Loss", "l2_loss"},
           {"AddN", "add_n"},
           {"TopKV2", "top_kv2"},
           {"NoOp", "no_op"},
           {"FIFOQueueV2", "fifo_queue_v2"},
           {"CTCLoss", "ctc_loss"},
           {"RGBToHSV", "rgb_to_hsv"},
           {"IFFT2D", "ifft2d"},
           {"QuantizedReluX", "quantized_relu_x"},
           {"AccumulateNV2", "accumulate_nv2"},
           {"Addons>ImageShift", "addons_image_shift"},
           {"x", "x"},
           {"", ""}}) {
    EXPECT_EQ(SnakeCase(camel), snake);
  }
}

TEST_F(PrinterTest, OneOutput) {
  Define(OpDefBuilder("TwoTimes")
             .Input("x: T")
             .Output("y: T")
             .Attr("T: {float, int32}")
             .Doc("Doubles x."));
  EXPECT_EQ(
      Python(),
      R"(def two_times(x: _TensorLike, name: str | None = None) -> _ops.Tensor:
    """Doubles x.

    Args:
        x: A `Tensor` of `float32` or `int32`.
        name: A name for the operation.

    Returns:
        A `Tensor` with the dtype of `x`.

    Registered at core/ops/test_ops.cc:12.
    """
    _op = _apply_op("TwoTimes", name, (x,), {})
    return _op.outputs[0]
)");
  EXPECT_TRUE(absl::StrContains(
      Pyi(),
      "def two_times(x: _TensorLike, name: str | None = None) -> _ops.Tensor: "
      "...\n"));
  EXPECT_TRUE(absl::StrContains(
      Pyi(),
      "from tensorwright.python.framework.type_aliases import (\n"
      "    TensorLike as _TensorLike,\n)\n"));
}

TEST_F(PrinterTest, HiddenOpsHaveBothNames) {
  Define(OpDefBuilder("ReluGrad").Output("y: float"), /*hidden=*/true);
  ExpectPython("def _relu_grad(");
  ExpectPython("\n\n\nrelu_grad = _relu_grad\n");
  EXPECT_TRUE(absl::StrContains(Pyi(), "\nrelu_grad = _relu_grad\n"));
}

TEST_F(PrinterTest, NamesThatPythonUses) {
  Define(OpDefBuilder("Lambda")
             .Input("lambda: float")
             .Input("print: float")
             .Input("input: float")
             .Attr("name: string")
             .Attr("None: int = 3"));
  EXPECT_EQ(NamesOf(op_).defined, "_lambda");
  EXPECT_EQ(NamesOf(op_).alias, "");
  ExpectPython("lambda_: _TensorLike,");
  ExpectPython("print_: _TensorLike,");
  ExpectPython("input: _TensorLike,");
  ExpectPython("name_: str,");
  ExpectPython("\"name\": name_");
  ExpectPython("\"None\": None_");
  Define(OpDefBuilder("Sum"));
  EXPECT_EQ(NamesOf(op_).defined, "_sum");
  EXPECT_EQ(NamesOf(op_).alias, "sum");
  Define(OpDefBuilder("Int"));  // Annotations need the type.
  EXPECT_EQ(NamesOf(op_).alias, "");
}

TEST_F(PrinterTest, DefaultsOfEveryType) {
  Define(OpDefBuilder("D")
             .Attr("s: string = 'a\"\\\\n'")
             .Attr("i: int = -3")
             .Attr("f: float = 1e-05")
             .Attr("g: float = 2")
             .Attr("b: bool = false")
             .Attr("t: type = DT_HALF")
             .Attr("sh: shape = { dim { size: 2 } dim { size: -1 } }")
             .Attr("un: shape = { unknown_rank: true }")
             .Attr("ls: list(string) = ['x', 'y']")
             .Attr("li: list(int) = [1]")
             .Attr("lf: list(float) = []")
             .Attr("lt: list(type) = [DT_INT32, DT_BOOL]")
             .Attr("fn: func = { name: 'Foo' }"));
  ExpectPython("    i: int = -3,\n");
  ExpectPython("    f: float = 1e-05,\n");
  ExpectPython("    g: float = 2.0,\n");
  ExpectPython("    b: bool = False,\n");
  ExpectPython("    t: _DTypeLike = _dtypes.float16,\n");
  ExpectPython("    sh: _ShapeLike = (2, None),\n");
  ExpectPython("    un: _ShapeLike = None,\n");
  ExpectPython("    ls: _Sequence[str] = (\"x\", \"y\"),\n");
  ExpectPython("    li: _Sequence[int] = (1,),\n");
  ExpectPython("    lf: _Sequence[float] = (),\n");
  ExpectPython(
      "    lt: _Sequence[_DTypeLike] = (_dtypes.int32, _dtypes.bool),");
  ExpectPython("    fn: _typing.Any = \"Foo\",\n");
  EXPECT_EQ(PythonString("a\"\\\n\x01"), "\"a\\\"\\\\\\n\\x01\"");
}

TEST_F(PrinterTest, NoOutput) {
  Define(OpDefBuilder("Nothing").Input("r: Ref(T)").Attr("T: type"));
  ExpectPython("-> _ops.Operation:");
  ExpectPython("r: A mutable `Tensor`.");
  ExpectPython("    return _op\n");
}

TEST_F(PrinterTest, OneListOutput) {
  Define(OpDefBuilder("Unstack")
             .Input("x: T")
             .Output("o: num * T")
             .Attr("num: int >= 0")
             .Attr("T: type"));
  ExpectPython("num: int,");
  ExpectPython("num: An `int` >= 0.");
  ExpectPython("    return list(_op.outputs) or _op\n");
}

TEST_F(PrinterTest, SeveralOutputsAreANamedTuple) {
  Define(OpDefBuilder("Pair").Output("a: float").Output("lambda: int32"));
  ExpectPython(
      "_PairOutput = _collections.namedtuple(\"Pair\", [\"a\", "
      "\"lambda_\"])\n");
  ExpectPython("    return _PairOutput(*_op.outputs)\n");
  EXPECT_TRUE(absl::StrContains(Pyi(),
                                "class _PairOutput(_typing.NamedTuple):\n"
                                "    a: _ops.Tensor\n"
                                "    lambda_: _ops.Tensor\n"));
}

TEST_F(PrinterTest, ListsAmongSeveralOutputsAreCutOut) {
  Define(OpDefBuilder("Mixed")
             .Input("x: float")
             .Output("a: float")
             .Output("b: N * float")
             .Output("c: Ts")
             .Output("d: float")
             .Attr("N: int")
             .Attr("Ts: list(type)"));
  ExpectPython("    _rest = iter(_op.outputs)\n");
  ExpectPython(
      "        next(_rest),\n"
      "        [next(_rest) for _ in range(_op.get_attr(\"N\"))],\n"
      "        [next(_rest) for _ in range(len(_op.get_attr(\"Ts\")))],\n"
      "        next(_rest),\n");
}

TEST_F(PrinterTest, DocsCannotBreakOut) {
  Define(OpDefBuilder("Evil")
             .Input("x: float")
             .Doc("\"Quoted\" summary with \\d and \"\"\" in it.\n\nMore.\n\n"
                  "x: ends in \\"));
  ExpectPython("    \"\"\" \"Quoted\" summary with \\\\d and \\\"\\\"\\\" in");
  ExpectPython("ends in \\\\\n");
}

TEST_F(PrinterTest, LinesAreWrapped) {
  Define(OpDefBuilder("Long")
             .Input("x: T")
             .Attr("T: numbertype")
             .Doc(std::string("word ") + std::string(300, 'x') + " " +
                  "and many more words than would ever fit into a single line "
                  "of eighty-eight columns."));
  for (absl::string_view line : absl::StrSplit(Python(), '\n')) {
    EXPECT_TRUE(line.size() <= 88 || absl::StrContains(line, "xxxx")) << line;
    EXPECT_FALSE(absl::EndsWith(line, " ")) << line;
  }
  EXPECT_EQ(Wrapped("a: ", "b c d", 2, 6), "a: b c\n  d");
}

TEST_F(PrinterTest, DeprecationIsSaid) {
  Define(OpDefBuilder("Old").Deprecated(3, "use New"));
  ExpectPython("Deprecated since GraphDef version 3: use New\n");
}

TEST_F(PrinterTest, JsonHasTheSchemaOfTheList) {
  Define(OpDefBuilder("J")
             .Input("r: Ref(T)")
             .Input("n: N * float")
             .Output("o: Ts")
             .Attr("T: {float, int32} = DT_FLOAT")
             .Attr("N: int >= 1")
             .Attr("Ts: list(type)")
             .Attr("s: string = 'a\\\"b'")
             .Attr("f: float = -inf"));
  const std::string json = JsonPrinter().Print(FamilyModel{"test", {op_}});
  for (
      const char* part :
      {R"json("inputs": [{"name": "r", "type": "Ref(T)"}, {"name": "n", "type": "N*float"}])json",
       R"json("outputs": [{"name": "o", "type": "Ts"}])json",
       R"json({"name": "T", "type": "type", "default": "float", "allowed": ["float", "int32"]})json",
       R"json({"name": "N", "type": "int", "minimum": 1})json",
       R"json("default": "a\"b")json",
       R"json({"name": "f", "type": "float", "default": "-inf"})json",
       R"json("registered_at": "core/ops/test_ops.cc:12")json"}) {
    EXPECT_TRUE(absl::StrContains(json, part)) << part << "\n" << json;
  }
}

TEST(MakePrinterTest, KnowsItsLanguages) {
  for (absl::string_view language : absl::StrSplit(Languages(), ", ")) {
    EXPECT_NE(MakePrinter(language), nullptr) << language;
  }
  EXPECT_EQ(MakePrinter("cobol"), nullptr);
}

}  // namespace
}  // namespace op_gen
}  // namespace tensorwright
