// SPDX-License-Identifier: Apache-2.0
// _FusedElementwise: tests a kernel for every op that the pass may put into a
// cluster, and the division of shapes into phases.

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "core/framework/kernel_registry.h"
#include "core/kernels/fused/cwise_ops_fused_schedule.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/cwise_row.h"
#include "core/kernels/lib/ops_testutil.h"
#include "core/util/fused_program.h"

namespace tensorwright {
namespace {

NodeDef Original(const std::string& op, const std::string& name,
                 const std::vector<TestAttr>& attrs) {
  NodeDef def;
  def.set_op(op);
  def.set_name(name);
  for (const TestAttr& attr : attrs) {
    (*def.mutable_attr())[attr.name] = attr.value;
  }
  return def;
}

// A fused node of `program` with these types.
NodeDef FusedNode(const FusedProgramBuilder& program,
                  const std::vector<DataType>& inputs,
                  const std::vector<DataType>& outputs) {
  NodeDef def;
  def.set_op("_FusedElementwise");
  def.set_name("fused");
  for (DataType type : inputs) {
    def.add_input("x");
    (*def.mutable_attr())["Tin"].mutable_list()->add_type(type);
  }
  for (DataType type : outputs) {
    (*def.mutable_attr())["Tout"].mutable_list()->add_type(type);
  }
  program.WriteAttrs(&def);
  return def;
}

const DataType kTypes[] = {DT_FLOAT, DT_DOUBLE, DT_HALF, DT_BFLOAT16,
                           DT_INT32, DT_INT64,  DT_BOOL};

TEST(FusedElementwiseOp, HasALoopForEveryKernelOfItsOps) {
  int checked = 0;
  for (const KernelRegistration* kernel : RegisteredKernels()) {
    const std::string& op = kernel->def.op();
    const ElementwiseKind kind = ElementwiseKindOf(op);
    // Equality needs one more attr.
    if (op == "Equal" || op == "NotEqual") continue;
    if (kernel->def.device_type() != DEVICE_CPU ||
        (kind != ElementwiseKind::kUnary && kind != ElementwiseKind::kBinary)) {
      continue;
    }
    const bool logical = op.rfind("Logical", 0) == 0;
    for (DataType type : kTypes) {
      std::vector<TestAttr> attrs;
      if (!logical) attrs.emplace_back("T", type);
      const NodeDef original = Original(op, "original", attrs);
      if (!FindKernelDef(DeviceType(DEVICE_CPU), original, nullptr, nullptr)
               .ok() ||
          (logical && type != DT_BOOL)) {
        continue;
      }
      const size_t arity = kind == ElementwiseKind::kUnary ? 1 : 2;
      FusedProgramBuilder program(static_cast<int>(arity));
      program.AddResult(program.AddStep(
          original, arity == 1 ? std::vector<int>{0} : std::vector<int>{0, 1}));
      const bool is_test = logical || op.rfind("Is", 0) == 0 ||
                           op.find("Equal") != std::string::npos ||
                           op.rfind("Less", 0) == 0 || op == "Greater";
      KernelRunner runner;
      const Status status =
          runner.InitNode(FusedNode(program, std::vector<DataType>(arity, type),
                                    {is_test ? DT_BOOL : type}));
      EXPECT_TRUE(status.ok()) << op << DataTypeString(type) << status;
      ++checked;
    }
  }
  EXPECT_GT(checked, 200);
}

// The result of a functor for one or two numbers; links have no others.
template <template <typename> class F, unsigned kFlags>
double Apply([[maybe_unused]] double a, [[maybe_unused]] double b) {
  if constexpr (!IsLink(kFlags, sizeof(float))) {
    return 0;
  } else if constexpr (std::is_invocable_v<F<double>, double>) {
    return F<double>()(a);
  } else {
    return F<double>()(a, b);
  }
}

struct LinkCase {
  const char* op;
  unsigned flags;
  double (*apply)(double, double);
};

constexpr LinkCase kLinkCases[] = {
#define TW_ROW(arity, op, f, cost, types, gpu, flags) \
  {#op, flags, &Apply<functor::f, (flags)>},
#include "core/kernels/lib/cwise_table.h"
};

template <typename T>
int CheckLinks() {
  int links = 0;
  for (const LinkCase& c : kLinkCases) {
    SCOPED_TRACE(c.op);
    const ChainOp op = ChainOpOf(c.op, 0, sizeof(T));
    EXPECT_EQ(op != ChainOp::kNone, IsLink(c.flags, sizeof(T)));
    if (op == ChainOp::kNone) continue;
    ++links;
    for (int n : {1, 7, 8, 100}) {
      std::vector<T> x(n), b(n), y(n);
      for (int i = 0; i < n; ++i) {
        x[i] = static_cast<T>(0.1 * i + 0.3);
        b[i] = static_cast<T>(7 - 0.2 * i + 0.01);
      }
      const FusedLink link{op, {b.data(), nullptr}, {1, 0}};
      RunFusedChain(sizeof(T), x.data(), {&link, 1}, y.data(), n);
      for (int i = 0; i < n; ++i) {
        const double exact = c.apply(x[i], b[i]);
        EXPECT_NEAR(y[i], exact, 1e-5 * (1 + std::abs(exact))) << i;
      }
    }
  }
  return links;
}

TEST(FusedChain, ALinkDoesWhatItsRowSays) {
  EXPECT_EQ(CheckLinks<float>(), 15);
  EXPECT_EQ(CheckLinks<double>(), 12);
}

TEST(FusedChain, OperandsOfALinkMayChangePlaces) {
  const float x[] = {2, 3}, b[] = {8, 27};
  float y[2];
  const FusedLink sub{ChainOpOf("Sub", 1, 4), {b, nullptr}, {1, 0}};
  RunFusedChain(4, x, {&sub, 1}, y, 2);
  EXPECT_EQ(y[0], 6);
  EXPECT_EQ(y[1], 24);
  const FusedLink div{ChainOpOf("RealDiv", 1, 4), {b, nullptr}, {1, 0}};
  RunFusedChain(4, x, {&div, 1}, y, 2);
  EXPECT_EQ(y[0], 4);
  EXPECT_EQ(y[1], 9);
}

class FusedElementwiseOpTest : public OpsTestBase {};

TEST_F(FusedElementwiseOpTest, RunsAProgramOverSeveralShapes) {
  // y = (a * a) * x + b: a scalar, a row and a matrix; a * a is a result, too.
  const std::vector<TestAttr> type = {{"T", DT_FLOAT}};
  const NodeDef mul = Original("Mul", "mul", type);
  const NodeDef add = Original("Add", "add", type);
  FusedProgramBuilder program(3);
  const int square = program.AddStep(mul, {0, 0});
  const int scaled = program.AddStep(mul, {square, 1});
  const int sum = program.AddStep(add, {scaled, 2});
  program.AddResult(sum);
  program.AddResult(square);
  TF_ASSERT_OK(InitNode(FusedNode(program, {DT_FLOAT, DT_FLOAT, DT_FLOAT},
                                  {DT_FLOAT, DT_FLOAT})));
  AddInput<float>({}, {3});
  AddInput<float>({2, 2}, {1, 2, 3, 4});
  AddInput<float>({2}, {10, 20});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<float>(0, {2, 2}, {19, 38, 37, 56});
  ExpectOutput<float>(1, {}, {9});
}

TEST_F(FusedElementwiseOpTest, TakesAnInputsPlaceOnlyAfterItsLastUse) {
  // r = -x, y = r - x: r must not be written over x.
  const std::vector<TestAttr> type = {{"T", DT_FLOAT}};
  FusedProgramBuilder program(1);
  const NodeDef neg = Original("Neg", "neg", type);
  const NodeDef sub = Original("Sub", "sub", type);
  const int r = program.AddStep(neg, {0});
  const int y = program.AddStep(sub, {r, 0});
  program.AddResult(r);
  program.AddResult(y);
  TF_ASSERT_OK(InitNode(FusedNode(program, {DT_FLOAT}, {DT_FLOAT, DT_FLOAT})));
  runner_.AllowForwarding();
  AddInput<float>({3}, {1, 2, 3});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<float>(0, {3}, {-1, -2, -3});
  ExpectOutput<float>(1, {3}, {-2, -4, -6});
}

TEST_F(FusedElementwiseOpTest, RefusesWhatIsNoProgram) {
  const std::vector<TestAttr> type = {{"T", DT_FLOAT}};
  FusedProgramBuilder program(1);
  const NodeDef matmul = Original("MatMul", "m", type);
  program.AddResult(program.AddStep(matmul, {0, 0}));
  EXPECT_FALSE(InitNode(FusedNode(program, {DT_FLOAT}, {DT_FLOAT})).ok());
  FusedProgramBuilder binary(1);
  const NodeDef add = Original("Add", "a", type);
  binary.AddResult(binary.AddStep(add, {0}));
  EXPECT_EQ(InitNode(FusedNode(binary, {DT_FLOAT}, {DT_FLOAT})).code(),
            error::INVALID_ARGUMENT);
  FusedProgramBuilder types(1);
  const NodeDef neg = Original("Neg", "n", type);
  types.AddResult(types.AddStep(neg, {0}));
  EXPECT_EQ(InitNode(FusedNode(types, {DT_FLOAT}, {DT_DOUBLE})).code(),
            error::INVALID_ARGUMENT);
}

TEST(SelectLoop, ChoosesElementByElement) {
  for (int n : {0, 1, 15, 16, 17, 100}) {
    std::vector<float> t(n), e(n), y(n);
    std::vector<uint8_t> condition(n);
    for (int i = 0; i < n; ++i) {
      t[i] = static_cast<float>(i);
      e[i] = static_cast<float>(-i);
      condition[i] = i % 3 == 0;
    }
    SelectLoopFor(4)(condition.data(), t.data(), e.data(), y.data(), n, 1);
    for (int i = 0; i < n; ++i) EXPECT_EQ(y[i], i % 3 == 0 ? i : -i);
  }
  EXPECT_EQ(SelectLoopFor(3), nullptr);
}

}  // namespace
}  // namespace tensorwright
