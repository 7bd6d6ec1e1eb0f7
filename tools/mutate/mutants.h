// SPDX-License-Identifier: Apache-2.0
// The parts of mutants.so, the library that makes one op of a process wrong.
//
// A mutant is an op, a kind of fault and a number: the same three always make
// the same fault.  kinds.py describes each kind and the ops that have it; this
// is the code.
#ifndef TENSORWRIGHT_TOOLS_MUTATE_MUTANTS_H_
#define TENSORWRIGHT_TOOLS_MUTATE_MUTANTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright::mutate {

struct Mutant {
  std::string op;
  std::string kind;
  uint64_t number = 0;
  // "T=9" for a fault of one dtype; the rule for a missing check.
  std::string argument;

  // One of n > 0 places; two numbers in a row give two places if n > 1.
  uint64_t Pick(uint64_t n) const;
  // The same over few choices, in order: 0, 1, 2, ... from some start.
  uint64_t Turn(uint64_t n) const;
};

// Each makes kernels of the op, or its shape function, wrong from now on, for
// good. InvalidArgument if there is no such kind, NotFound if there is no such
// op.
Status MakeKernelsWrong(const Mutant& mutant);
Status MakeShapeFnWrong(const Mutant& mutant);

// From now on writes the events of kernels and shape functions of all ops to
// `file`, one line each, and each once:
//   ran OP            a kernel ended well
//   rows OP           one gave an output of two rows or more
//   tails OP          one gave an output whose last dimension is two or more
//   wide OP           one shared its work out over threads
//   nan OP            one had an input with a NaN
//   maxima OP         one had an input whose maximum is there twice
//   minima OP         one had an input whose minimum is there twice
//   inferred OP       a shape function accepted its inputs
//   promised OP       and told a rank
//   sized OP          and a size, or that an output is a scalar
//   refused OP RULE   a kernel refused its inputs
void RecordTo(const std::string& file);

// Does `fn` hold for any input?  References are left out, since a kernel writes
// to them.
bool AnyInput(OpKernelContext* ctx,
              const std::function<bool(const Tensor&)>& fn);

// Has it a NaN?
bool HasNaN(const Tensor& t);

// A call of a kernel with other inputs than those of `ctx`, whose outputs are
// not passed on.  It lives until an AsyncOpKernel is done.
struct OtherCall {
  Tensor value;  // The value of the input that is another one.
  absl::InlinedVector<TensorValue, 4> inputs;
  OpKernelContext::Params params;
  std::optional<OpKernelContext> context;

  // Tells `ctx` how the call ended.
  void End(OpKernelContext* ctx);
};

// The additional work of a decorated kernel in one call.  Shared by the kernels
// of an op and by concurrent calls.
class Fault {
 public:
  virtual ~Fault() = default;
  // Calls the kernel, or does its work in its place.
  virtual void Compute(OpKernel* kernel, OpKernelContext* ctx) const = 0;
  // The call that an AsyncOpKernel gets in the place of `ctx`; nullptr: `ctx`.
  virtual std::unique_ptr<OtherCall> Instead(const OpKernel&,
                                             OpKernelContext*) const {
    return nullptr;
  }
  // Runs after an AsyncOpKernel has ended well; the arguments of its call are
  // gone.
  virtual void Ended(OpKernelContext* ctx) const = 0;
};

// Puts the fault around every kernel of `op` (of all, if it is empty) that is
// made for a CPU from now on.
void PutAround(const std::string& op, std::shared_ptr<const Fault> fault);

// The rule in a kernel's refusal: its text up to the value that it got, without
// numbers, names, dtypes and paths of files.  One check of a kernel is one
// rule.
std::string RuleOf(absl::string_view message);

}  // namespace tensorwright::mutate

#endif  // TENSORWRIGHT_TOOLS_MUTATE_MUTANTS_H_
