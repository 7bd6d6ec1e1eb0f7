// SPDX-License-Identifier: Apache-2.0
// Makes kernels wrong: each class is a kind of fault.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/device_base.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_contract.h"
#include "core/framework/tensor_util.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/mutex.h"
#include "tools/mutate/elements.h"
#include "tools/mutate/mutants.h"

namespace tensorwright::mutate {
namespace {

// The most elements of an output that is invented for a refused call.
constexpr int64_t kMaxInventedElements = int64_t{1} << 22;

bool HasThreads(OpKernelContext* ctx) {
  const auto* workers = ctx->device()->tensorflow_cpu_worker_threads();
  return workers != nullptr && workers->num_threads > 1;
}

// Can one of the node's outputs be spoilt?
bool HasPlainOutput(const OpKernel& kernel) {
  return std::any_of(kernel.output_types().begin(), kernel.output_types().end(),
                     [](DataType t) { return IsPlain(BaseType(t)); });
}

// An output of this call that has elements, and the way to give it another
// value.
struct Output {
  int index;
  const Tensor* value;
  mutex* ref_mutex;  // The mutex of the variable that a reference refers to.
};

absl::InlinedVector<Output, 4> OutputsOf(OpKernelContext* ctx) {
  absl::InlinedVector<Output, 4> outputs;
  for (int i = 0; i < ctx->num_outputs(); ++i) {
    const OutputSlot& slot = ctx->params()->outputs[i];
    const Tensor* value = slot.tensor;
    // A branch that is not taken has no output.
    if (value == nullptr || !IsPlain(value->dtype())) continue;
    if (!value->IsInitialized() || value->NumElements() == 0) continue;
    outputs.push_back({i, value, slot.mutex_if_ref});
  }
  return outputs;
}

// Puts a value whose memory nobody else has in the output's place.
void Replace(const Output& output, Tensor value, OpKernelContext* ctx) {
  if (output.ref_mutex == nullptr) {
    ctx->set_output(output.index, std::move(value));
    return;
  }
  mutex_lock lock(*output.ref_mutex);
  *ctx->params()->outputs[output.index].tensor = std::move(value);
}

// ---- Wrong values: `when` tells which calls are affected, `how` spoils
// outputs.

// Decides how much of an output is wrong.
using Spoiler = void (*)(const Mutant& mutant, Tensor* t);

void SpoilOne(const Mutant& mutant, Tensor* t) {
  SpoilElement(mutant.Pick(t->NumElements()), t);
}

void SpoilAll(const Mutant&, Tensor* t) {
  for (int64_t i = 0; i < t->NumElements(); ++i) SpoilElement(i, t);
}

// Are there two rows, or two elements in each?
bool HasEnd(const Mutant& mutant, const Tensor& t) {
  if (mutant.number % 2 == 0) return t.dims() > 1 && t.dim_size(0) > 1;
  return t.dims() > 0 && t.dim_size(t.dims() - 1) > 1;
}

// Spoils the last row, or the last element of each.
void SpoilEnd(const Mutant& mutant, Tensor* t) {
  const int64_t n = t->NumElements();
  if (!HasEnd(mutant, *t)) return;
  if (mutant.number % 2 == 0) {
    for (int64_t i = n - n / t->dim_size(0); i < n; ++i) SpoilElement(i, t);
    return;
  }
  const int64_t row = t->dim_size(t->dims() - 1);
  for (int64_t i = row - 1; i < n; i += row) SpoilElement(i, t);
}

// Spoils one element of the half that a second thread computes.
void SpoilSecondHalf(const Mutant& mutant, Tensor* t) {
  const int64_t half = t->NumElements() / 2;
  SpoilElement(half + mutant.Pick(t->NumElements() - half), t);
}

// Puts numbers in the place of NaNs: one, or all; if there are none, spoils
// another value.
void SpoilNaN(const Mutant& mutant, Tensor* t) {
  int64_t i = FindNaN(*t);
  if (i < 0) return SpoilOne(mutant, t);
  for (; i >= 0; i = mutant.number % 2 == 0 ? FindNaN(*t, i + 1) : -1) {
    SpoilElement(i, t);
  }
}

struct When {
  std::function<bool(OpKernelContext*)> before;  // Empty: every call.
  bool only_wide = false;  // Only if the work was shared out over threads.
};

class WrongValue final : public Fault {
 public:
  WrongValue(Mutant mutant, When when, Spoiler how)
      : mutant_(std::move(mutant)), when_(std::move(when)), how_(how) {}

  void Compute(OpKernel* kernel, OpKernelContext* ctx) const override {
    // A kernel may write its result over its inputs.
    const bool concerned = when_.before == nullptr || when_.before(ctx);
    if (auto other = concerned ? Instead(*kernel, ctx) : nullptr) {
      kernel->Compute(&*other->context);
      return other->End(ctx);
    }
    const uint32_t wide = thread::ThreadPool::WideCalls();
    kernel->Compute(ctx);
    const bool was_wide = thread::ThreadPool::WideCalls() != wide;
    if (!concerned || !ctx->status().ok()) return;
    if (!when_.only_wide || (was_wide && HasThreads(ctx))) Ended(ctx);
  }

  // An op that only has an effect gets a spoilt input.
  std::unique_ptr<OtherCall> Instead(const OpKernel& kernel,
                                     OpKernelContext* ctx) const override {
    if (when_.only_wide || HasPlainOutput(kernel)) return nullptr;
    if (when_.before != nullptr && !when_.before(ctx)) return nullptr;
    auto call = std::make_unique<OtherCall>();
    call->inputs.assign(ctx->params()->inputs.begin(),
                        ctx->params()->inputs.end());
    std::vector<size_t> choices;
    for (size_t i = 0; i < call->inputs.size(); ++i) {
      const TensorValue& input = call->inputs[i];
      const Tensor* t = input.tensor;
      if (t != nullptr && !input.is_ref() && IsPlain(t->dtype()) &&
          t->IsInitialized() && t->NumElements() > 0) {
        choices.push_back(i);
      }
    }
    if (choices.empty()) return nullptr;
    const size_t chosen = choices[mutant_.Turn(choices.size())];
    call->value = tensor::DeepCopy(*call->inputs[chosen].tensor);
    how_(mutant_, &call->value);
    call->inputs[chosen] = TensorValue(&call->value);
    call->params = *ctx->params();
    call->params.inputs = absl::MakeSpan(call->inputs);
    call->context.emplace(&call->params);
    return call;
  }

  void Ended(OpKernelContext* ctx) const override {
    auto outputs = OutputsOf(ctx);
    if (how_ == SpoilEnd) {
      // Other outputs have no such end.
      const auto last = std::remove_if(
          outputs.begin(), outputs.end(),
          [this](const Output& o) { return !HasEnd(mutant_, *o.value); });
      outputs.erase(last, outputs.end());
    }
    if (outputs.empty()) return;
    const Output& chosen = outputs[mutant_.Turn(outputs.size())];
    Tensor value = tensor::DeepCopy(*chosen.value);
    how_(mutant_, &value);
    Replace(chosen, std::move(value), ctx);
  }

 private:
  const Mutant mutant_;
  const When when_;
  const Spoiler how_;
};

// ---- A missing check: computes inputs that the kernel refuses by one rule.

class MissingCheck final : public Fault {
 public:
  explicit MissingCheck(Mutant mutant) : mutant_(std::move(mutant)) {}

  void Compute(OpKernel* kernel, OpKernelContext* ctx) const override {
    OpKernelContext inner(ctx->params());
    kernel->Compute(&inner);
    *ctx->is_output_dead() = *inner.is_output_dead();
    const Status& status = inner.status();
    const bool refused =
        errors::IsInvalidArgument(status) || errors::IsOutOfRange(status);
    if (refused && RuleOf(status.message()) == mutant_.argument &&
        InventOutputs(*kernel, ctx)) {
      return;
    }
    ctx->SetStatus(status);
  }

  void Ended(OpKernelContext*) const override {}

 private:
  // Invents zeros in the promised shapes, scalars where no rank was promised.
  // False, with nothing set, if that cannot be done.
  static bool InventOutputs(const OpKernel& kernel, OpKernelContext* ctx) {
    std::vector<TensorShape> shapes;
    std::vector<const Tensor*> values;
    for (const TensorValue& input : ctx->params()->inputs) {
      if (input.tensor == nullptr) return false;
      shapes.push_back(input.tensor->shape());
      values.push_back(input.is_ref() ? nullptr : input.tensor);
    }
    const OpRegistrationData* op =
        OpRegistry::Global()->LookUp(kernel.type_string());
    std::vector<PartialTensorShape> promised;
    bool used_values = false;
    if (op == nullptr || !RunShapeFn(*op, AttrSlice(kernel.def()), shapes,
                                     values, &promised, &used_values)
                              .ok()) {
      return false;
    }
    std::vector<Tensor> outputs;
    for (int i = 0; i < kernel.num_outputs(); ++i) {
      const DataType type = kernel.output_type(i);
      if (IsRefType(type)) {
        outputs.emplace_back();
        continue;
      }
      TensorShape shape;
      if (!IsPlain(type)) return false;
      for (int d = 0; d < promised[i].dims(); ++d) {
        shape.AddDim(std::max<int64_t>(0, promised[i].dim_size(d)));
        if (shape.num_elements() > kMaxInventedElements) return false;
      }
      Tensor zeros(type, shape);
      if (type != DT_STRING) {
        std::fill_n(static_cast<char*>(zeros.data()), zeros.TotalBytes(), 0);
      }
      outputs.push_back(std::move(zeros));
    }
    for (int i = 0; i < kernel.num_outputs(); ++i) {
      if (!IsRefType(kernel.output_type(i))) {
        ctx->set_output(i, std::move(outputs[i]));
      } else if (ctx->num_inputs() > 0 && ctx->input_is_ref(0)) {
        ctx->forward_ref_input_to_ref_output(0, i);
      }
    }
    return true;
  }

  const Mutant mutant_;
};

// Is attr "T" of "T=9" that dtype in the node of this call?
Status OnlyOfDtype(const std::string& argument, When* when) {
  const size_t equals = argument.find('=');
  int dtype = 0;
  if (equals == std::string::npos ||
      !absl::SimpleAtoi(argument.substr(equals + 1), &dtype)) {
    return errors::InvalidArgument("dtype needs ATTR=NUMBER, got ", argument);
  }
  const std::string attr = argument.substr(0, equals);
  when->before = [attr, dtype](OpKernelContext* ctx) {
    const AttrValue* value = AttrSlice(ctx->op_kernel().def()).Find(attr);
    return value != nullptr && value->type() == dtype;
  };
  return OkStatus();
}

class NoFault final : public Fault {
 public:
  void Compute(OpKernel* kernel, OpKernelContext* ctx) const override {
    kernel->Compute(ctx);
  }
  void Ended(OpKernelContext*) const override {}
};

}  // namespace

bool AnyInput(OpKernelContext* ctx,
              const std::function<bool(const Tensor&)>& fn) {
  for (const TensorValue& input : ctx->params()->inputs) {
    if (input.tensor == nullptr || input.is_ref()) continue;
    if (IsPlain(input.dtype()) && input.tensor->IsInitialized() &&
        fn(*input.tensor)) {
      return true;
    }
  }
  return false;
}

bool HasNaN(const Tensor& t) { return FindNaN(t) >= 0; }

Status MakeKernelsWrong(const Mutant& mutant) {
  const std::string& kind = mutant.kind;
  const bool odd = mutant.number % 2 == 1;
  When when;
  Spoiler how = SpoilOne;
  if (kind == "none") {
    PutAround(mutant.op, std::make_shared<NoFault>());
    return OkStatus();
  } else if (kind == "check") {
    PutAround(mutant.op, std::make_shared<MissingCheck>(mutant));
    return OkStatus();
  } else if (kind == "element") {
  } else if (kind == "end") {
    how = SpoilEnd;
  } else if (kind == "dtype") {
    TF_RETURN_IF_ERROR(OnlyOfDtype(mutant.argument, &when));
    how = SpoilAll;
  } else if (kind == "ties") {
    when.before = [odd](OpKernelContext* ctx) {
      return AnyInput(ctx, odd ? HasTiedMinimum : HasTiedMaximum);
    };
  } else if (kind == "nan") {
    when.before = [](OpKernelContext* ctx) { return AnyInput(ctx, HasNaN); };
    how = SpoilNaN;
  } else if (kind == "partition") {
    when.only_wide = true;
    how = SpoilSecondHalf;
  } else if (kind == "lax" || kind == "strict" || kind == "dim") {
    return OkStatus();  // A kind of fault of the shape function.
  } else {
    return errors::InvalidArgument("no such kind: ", kind);
  }
  PutAround(mutant.op,
            std::make_shared<WrongValue>(mutant, std::move(when), how));
  return OkStatus();
}

}  // namespace tensorwright::mutate
