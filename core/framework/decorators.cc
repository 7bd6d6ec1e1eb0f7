// SPDX-License-Identifier: Apache-2.0
#include "core/framework/decorators.h"

#include <atomic>
#include <string>
#include <utility>

#include "core/framework/op.h"
#include "core/framework/op_registration.h"

namespace tensorwright {
namespace {

struct Decoration {
  std::string op;  // Empty: every op.
  KernelDecorator decorator;
};

// nullptr: nothing is decorated.
std::atomic<const Decoration*> current{nullptr};

// The decoration of `op`, or nullptr.
const Decoration* Find(absl::string_view op) {
  const Decoration* d = current.load(std::memory_order_acquire);
  if (d == nullptr) [[likely]]
    return nullptr;
  return d->op.empty() || d->op == op ? d : nullptr;
}

}  // namespace

void SetKernelDecorator(absl::string_view op, KernelDecorator decorator) {
  const Decoration* next = nullptr;
  if (decorator) next = new Decoration{std::string(op), std::move(decorator)};
  current.store(next, std::memory_order_release);
}

bool HasKernelDecorator(absl::string_view op) { return Find(op) != nullptr; }

std::unique_ptr<OpKernel> DecorateKernel(OpKernelConstruction* construction,
                                         std::unique_ptr<OpKernel> made) {
  const Decoration* d = Find(made->type_string());
  if (d == nullptr) [[likely]]
    return made;
  return d->decorator(construction, std::move(made));
}

Status DecorateShapeFn(absl::string_view op, ShapeFnDecorator decorator) {
  const OpRegistrationData* found = nullptr;
  TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUp(op, &found));
  // The registry made the registration as a variable and shows it as constant.
  auto* registration = const_cast<OpRegistrationData*>(found);
  registration->shape_inference_fn =
      [decorator = std::move(decorator),
       registered = std::move(registration->shape_inference_fn)](
          shape_inference::InferenceContext* c) {
        return decorator(registered, c);
      };
  return OkStatus();
}

}  // namespace tensorwright
