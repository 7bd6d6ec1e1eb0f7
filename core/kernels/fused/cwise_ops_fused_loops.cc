// SPDX-License-Identifier: Apache-2.0
// FusedLoopFinder.

#include "core/kernels/fused/cwise_ops_fused_loops.h"

#include <limits>
#include <memory>

#include "core/framework/attr_value.pb.h"
#include "core/framework/kernel_registry.h"
#include "core/framework/numeric_types.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/reduction_ops_simd.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

bool HasRightArity(const FusedProgram::Step& step) {
  const size_t n = step.operands.size();
  switch (step.kind) {
    case ElementwiseKind::kNone:
      return false;
    case ElementwiseKind::kUnary:
    case ElementwiseKind::kCast:
    case ElementwiseKind::kPass:
      return n == 1;
    case ElementwiseKind::kBinary:
    case ElementwiseKind::kBias:
      return n == 2;
    case ElementwiseKind::kReduce:
      return n == 2;
    case ElementwiseKind::kSelect:
      return n == 3;
    case ElementwiseKind::kAddN:
      return n >= 1;
  }
  return false;
}

Status NoLoop(const FusedProgram::Step& step) {
  return errors::Internal("Fused node: ", step.op->name(), " of ", step.name,
                          " is no elementwise op of these types");
}

template <SimdReduction kReduction, typename T>
void ReduceLoop(const void* x, int64_t n, void* y) {
  *static_cast<T*>(y) = SimdReduce(kReduction, static_cast<const T*>(x), n);
}

template <SimdReduction kReduction>
ReduceLoopFn ReduceLoopFor(DataType type) {
  return type == DT_FLOAT    ? &ReduceLoop<kReduction, float>
         : type == DT_DOUBLE ? &ReduceLoop<kReduction, double>
                             : nullptr;
}

Status FindReduction(const FusedProgram::Step& step, DataType type,
                     FusedLoop* loop) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::string& op = step.op->name();
  loop->is_mean = op == "Mean";
  if (op == "Max") {
    loop->reduce = ReduceLoopFor<SimdReduction::kMax>(type);
    loop->of_nothing = -kInf;
  } else if (op == "Min") {
    loop->reduce = ReduceLoopFor<SimdReduction::kMin>(type);
    loop->of_nothing = kInf;
  } else {
    loop->reduce = ReduceLoopFor<SimdReduction::kSum>(type);
    if (loop->is_mean) {
      loop->of_nothing = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return loop->reduce == nullptr ? NoLoop(step) : OkStatus();
}

Status FindCast(const FusedProgram::Step& step, DataType from, FusedLoop* loop,
                DataType* to) {
  TF_RETURN_IF_ERROR(GetNodeAttr(step.attrs(), "DstT", to));
  if (from == *to) return OkStatus();
  loop->unary = CastLoopFor(from, *to);
  return loop->unary == nullptr ? NoLoop(step) : OkStatus();
}

}  // namespace

Status FusedLoopFinder::Find(const FusedProgram::Step& step,
                             absl::Span<const DataType> operand_types,
                             FusedLoop* loop, DataType* result_type) {
  if (!HasRightArity(step)) {
    return errors::InvalidArgument("Fused node: ", step.op->name(), " of ",
                                   step.name, " has ", step.operands.size(),
                                   " operands");
  }
  *result_type = operand_types[0];
  switch (step.kind) {
    case ElementwiseKind::kPass:
      break;
    case ElementwiseKind::kCast:
      TF_RETURN_IF_ERROR(FindCast(step, operand_types[0], loop, result_type));
      break;
    case ElementwiseKind::kSelect:
      *result_type = operand_types[1];
      loop->select = SelectLoopFor(DataTypeSize(*result_type));
      if (loop->select == nullptr) return NoLoop(step);
      break;
    case ElementwiseKind::kAddN:
      if (step.operands.size() == 1) break;
      [[fallthrough]];
    case ElementwiseKind::kBias: {
      AttrValue type;
      type.set_type(operand_types[0]);
      NodeDef add;
      add.set_op("Add");
      (*add.mutable_attr())["T"] = type;
      TF_RETURN_IF_ERROR(FromKernel(step, add, loop, result_type));
      break;
    }
    case ElementwiseKind::kUnary:
    case ElementwiseKind::kBinary: {
      NodeDef def;
      def.set_op(step.op->name());
      *def.mutable_attr() = step.op->attr();
      TF_RETURN_IF_ERROR(FromKernel(step, def, loop, result_type));
      break;
    }
    case ElementwiseKind::kReduce:
      TF_RETURN_IF_ERROR(FindReduction(step, operand_types[0], loop));
      break;
    case ElementwiseKind::kNone:
      return NoLoop(step);
  }
  loop->result_size = DataTypeSize(*result_type);
  loop->is_float = *result_type == DT_FLOAT || *result_type == DT_DOUBLE;
  return OkStatus();
}

Status FusedLoopFinder::FromKernel(const FusedProgram::Step& step, NodeDef def,
                                   FusedLoop* loop, DataType* result_type) {
  const auto type = def.attr().find("T");
  const std::pair<std::string, int> key(
      def.op(), type == def.attr().end() ? 0 : type->second.type());
  auto [it, is_new] = known_.try_emplace(key);
  if (is_new) {
    def.set_name(std::string(step.name));
    // Passes leave overridden nodes alone; a step that they made of another op
    // is a built-in one.
    (*def.mutable_attr())[kBuiltInKernelAttr].set_b(true);
    const size_t arity = step.operands.size() == 1 ? 1 : 2;
    // This is a std::string, since GCC 12 warns of a copy of 2^63 bytes from a
    // literal.
    const std::string any = "x";
    for (size_t i = 0; i < arity; ++i) def.add_input(any);
    OpKernel* made = nullptr;
    TF_RETURN_IF_ERROR(CreateOpKernel(
        ctx_->device_type(), ctx_->device(),
        ctx_->device()->GetAllocator(AllocatorAttributes()),
        /*flib=*/nullptr, def, ctx_->graph_def_version(), &made));
    const std::unique_ptr<OpKernel> kernel(made);
    FusedLoop& found = it->second.loop;
    if (const auto* unary = dynamic_cast<UnaryOpBase*>(made)) {
      found.unary = unary->loop();
      found.cost = unary->cost();
    } else if (const auto* binary = dynamic_cast<BinaryOpBase*>(made)) {
      found.binary = binary->loop();
      found.cost = binary->cost();
      found.failure = binary->failure();
    } else {
      return NoLoop(step);
    }
    it->second.result_type = kernel->output_type(0);
  }
  *loop = it->second.loop;
  *result_type = it->second.result_type;
  return OkStatus();
}

}  // namespace tensorwright
