// SPDX-License-Identifier: Apache-2.0
// Notes what kernels and shape functions do while tests run.
#include <cstdio>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/decorators.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/threadpool.h"
#include "tools/mutate/elements.h"
#include "tools/mutate/mutants.h"

namespace tensorwright::mutate {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

struct Notes {
  absl::Mutex mu;
  std::string file ABSL_GUARDED_BY(mu);
  absl::flat_hash_set<std::string> noted ABSL_GUARDED_BY(mu);

  static Notes* Get() {
    static auto* const notes = new Notes;
    return notes;
  }
};

void Note(absl::string_view what, absl::string_view op,
          absl::string_view more = "") {
  Notes* notes = Notes::Get();
  const std::string line =
      absl::StrCat(what, " ", op, more.empty() ? "" : " ", more, "\n");
  absl::MutexLock lock(&notes->mu);
  if (!notes->noted.insert(line).second) return;
  // Several processes may share the file.
  std::FILE* file = std::fopen(notes->file.c_str(), "a");
  // A call that is not noted counts as no evidence.
  if (file == nullptr) return;
  std::fwrite(line.data(), 1, line.size(), file);
  std::fclose(file);
}

class Recorder final : public Fault {
 public:
  void Compute(OpKernel* kernel, OpKernelContext* ctx) const override {
    const uint32_t wide = thread::ThreadPool::WideCalls();
    const std::string& op = kernel->type_string();
    // A kernel may write its result over its inputs.
    const bool nan = AnyInput(ctx, HasNaN);
    const bool maxima = AnyInput(ctx, HasTiedMaximum);
    const bool minima = AnyInput(ctx, HasTiedMinimum);
    kernel->Compute(ctx);
    const Status& status = ctx->status();
    if (thread::ThreadPool::WideCalls() != wide) Note("wide", op);
    if (status.ok()) {
      if (nan) Note("nan", op);
      if (maxima) Note("maxima", op);
      if (minima) Note("minima", op);
      Ended(ctx);
    } else if (errors::IsInvalidArgument(status) ||
               errors::IsOutOfRange(status)) {
      Note("refused", op, RuleOf(status.message()));
    }
  }

  void Ended(OpKernelContext* ctx) const override {
    const std::string& op = ctx->op_kernel().type_string();
    Note("ran", op);
    for (const OutputSlot& output : ctx->params()->outputs) {
      const Tensor* t = output.tensor;
      if (t == nullptr || !t->IsInitialized() || t->dims() == 0) continue;
      if (t->dims() > 1 && t->dim_size(0) > 1) Note("rows", op);
      if (t->dim_size(t->dims() - 1) > 1) Note("tails", op);
    }
  }
};

Status NoteShape(const std::string& op, const OpShapeInferenceFn& fn,
                 InferenceContext* c) {
  if (!fn) return OkStatus();
  TF_RETURN_IF_ERROR(fn(c));
  Note("inferred", op);
  for (int i = 0; i < c->num_outputs(); ++i) {
    const ShapeHandle shape = c->output(i);
    if (!shape.IsSet() || !c->RankKnown(shape)) continue;
    Note("promised", op);
    bool sized = c->Rank(shape) == 0;
    for (int d = 0; d < c->Rank(shape); ++d) {
      sized |= c->ValueKnown(c->Dim(shape, d));
    }
    if (sized) Note("sized", op);
  }
  return OkStatus();
}

}  // namespace

void RecordTo(const std::string& file) {
  Notes* notes = Notes::Get();
  {
    absl::MutexLock lock(&notes->mu);
    notes->file = file;
    notes->noted.clear();
  }
  static const bool once = [] {
    PutAround("", std::make_shared<Recorder>());
    for (const OpRegistrationData* op :
         OpRegistry::Global()->GetRegistrations()) {
      // An op without a shape function is known by having none.
      if (op->shape_inference_fn == nullptr) continue;
      const std::string name = op->op_def.name();
      DecorateShapeFn(name, [name](const OpShapeInferenceFn& fn,
                                   InferenceContext* c) {
        return NoteShape(name, fn, c);
      }).IgnoreError();
    }
    return true;
  }();
  (void)once;
}

}  // namespace tensorwright::mutate
