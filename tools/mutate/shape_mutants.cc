// SPDX-License-Identifier: Apache-2.0
// Makes shape functions wrong: too lax, too strict, one dimension off.
#include <string>
#include <utility>
#include <vector>

#include "core/framework/decorators.h"
#include "core/framework/op.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"
#include "tools/mutate/mutants.h"

namespace tensorwright::mutate {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Promises nothing and checks nothing.
Status Lax(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, c->UnknownShape());
  }
  return OkStatus();
}

// Checks what it should, but promises only the rank of one output; of a scalar
// nothing.
void TellLess(const Mutant& mutant, InferenceContext* c) {
  std::vector<int> sized;
  for (int i = 0; i < c->num_outputs(); ++i) {
    const ShapeHandle shape = c->output(i);
    if (!shape.IsSet() || !c->RankKnown(shape)) continue;
    bool any = c->Rank(shape) == 0;
    for (int d = 0; d < c->Rank(shape); ++d) {
      any |= c->ValueKnown(c->Dim(shape, d));
    }
    if (any) sized.push_back(i);
  }
  if (sized.empty()) return;
  const int output = sized[mutant.Turn(sized.size())];
  const int rank = c->Rank(c->output(output));
  c->set_output(output,
                rank == 0 ? c->UnknownShape() : c->UnknownShapeOfRank(rank));
}

// Is the op's first input a handle of two strings, which has no other size?
bool BeginsWithHandle(const std::string& op) {
  const OpRegistrationData* found = OpRegistry::Global()->LookUp(op);
  if (found == nullptr || found->op_def.input_arg_size() == 0) return false;
  const OpDef::ArgDef& first = found->op_def.input_arg(0);
  return first.type() == DT_STRING && first.name() == "handle";
}

// Makes one more demand: two sizes must be equal.  A single size must be even
// (odd, for the second mutant); scalars alone are refused, beside a handle too.
Status CheckMore(const Mutant& mutant, InferenceContext* c) {
  std::vector<int64_t> sizes;
  bool of_handle = false;  // The first of them.
  for (int i = 0; i < c->num_inputs(); ++i) {
    const ShapeHandle shape = c->input(i);
    if (!c->RankKnown(shape)) return OkStatus();
    for (int d = 0; d < c->Rank(shape); ++d) {
      const int64_t size = c->Value(c->Dim(shape, d));
      if (size == InferenceContext::kUnknownDim) continue;
      of_handle |= sizes.empty() && i == 0 && BeginsWithHandle(mutant.op);
      sizes.push_back(size);
    }
  }
  const uint64_t n = sizes.size();
  bool fine = false;
  if (n == 1 && !of_handle) {
    fine = sizes[0] % 2 == static_cast<int64_t>(mutant.number % 2);
  } else if (n > 1) {
    const uint64_t first = mutant.Pick(n);
    fine = sizes[first] == sizes[(first + 1) % n];
  }
  if (fine) return OkStatus();
  return errors::InvalidArgument(mutant.op, ": refused by a mutant");
}

// Tells one size larger by 1.  If no size is known, tells one dimension more
// than there is.
void TellOneMore(const Mutant& mutant, InferenceContext* c) {
  std::vector<std::pair<int, int>> places;  // Output, dimension.
  std::vector<int> ranked;
  for (int i = 0; i < c->num_outputs(); ++i) {
    const ShapeHandle shape = c->output(i);
    if (!shape.IsSet() || !c->RankKnown(shape)) continue;
    ranked.push_back(i);
    for (int d = 0; d < c->Rank(shape); ++d) {
      if (c->ValueKnown(c->Dim(shape, d))) places.emplace_back(i, d);
    }
  }
  const auto sizes_of = [&](int output) {
    std::vector<DimensionHandle> sizes;
    for (int d = 0; d < c->Rank(c->output(output)); ++d) {
      sizes.push_back(c->Dim(c->output(output), d));
    }
    return sizes;
  };
  if (!places.empty()) {
    const auto [output, d] = places[mutant.Pick(places.size())];
    std::vector<DimensionHandle> sizes = sizes_of(output);
    sizes[d] = c->MakeDim(c->Value(sizes[d]) + 1);
    c->set_output(output, c->MakeShape(sizes));
  } else if (!ranked.empty()) {
    const int output = ranked[mutant.Pick(ranked.size())];
    std::vector<DimensionHandle> sizes = sizes_of(output);
    sizes.push_back(c->MakeDim(1));
    c->set_output(output, c->MakeShape(sizes));
  }
}

}  // namespace

Status MakeShapeFnWrong(const Mutant& mutant) {
  const std::string& kind = mutant.kind;
  if (kind == "none") {
    return DecorateShapeFn(
        mutant.op, [](const OpShapeInferenceFn& fn, InferenceContext* c) {
          return fn ? fn(c) : OkStatus();
        });
  }
  if (kind == "lax") {
    return DecorateShapeFn(
        mutant.op,
        [mutant](const OpShapeInferenceFn& fn, InferenceContext* c) -> Status {
          if (mutant.number % 2 == 0) return Lax(c);
          if (fn) TF_RETURN_IF_ERROR(fn(c));
          TellLess(mutant, c);
          return OkStatus();
        });
  }
  if (kind == "strict") {
    return DecorateShapeFn(
        mutant.op,
        [mutant](const OpShapeInferenceFn& fn, InferenceContext* c) -> Status {
          if (fn) TF_RETURN_IF_ERROR(fn(c));
          return CheckMore(mutant, c);
        });
  }
  if (kind == "dim") {
    return DecorateShapeFn(
        mutant.op,
        [mutant](const OpShapeInferenceFn& fn, InferenceContext* c) -> Status {
          if (fn) TF_RETURN_IF_ERROR(fn(c));
          TellOneMore(mutant, c);
          return OkStatus();
        });
  }
  return OkStatus();  // The kind belongs to kernels.
}

}  // namespace tensorwright::mutate
