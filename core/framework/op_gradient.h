// SPDX-License-Identifier: Apache-2.0
// REGISTER_OP_GRADIENT: the gradient of an op as the body of a function.
//
//   Status SquareGrad(const AttrSlice& attrs, FunctionDef* g) {
//     *g = FunctionDefHelper::Define({"x: T", "dy: T"}, {"dx: T"},
//                                    {"T: {float, double}"}, {...nodes...});
//     return OkStatus();
//   }
//   REGISTER_OP_GRADIENT("MySquare", SquareGrad);
//
// The function takes the op's inputs and then the gradients of its outputs, and
// gives a gradient for each input.  tf.gradients puts its nodes into the graph,
// unless Python has a gradient of the op; SymbolicGradient of the op runs it.
//
// Threads: any.  Creators are called without a lock held, and may be called by
// many threads at once.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_GRADIENT_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_GRADIENT_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "core/framework/library_stamp.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class AttrSlice;
class FunctionDef;

namespace gradient {

// Sets *g to the gradient of an op with these attrs.
using Creator = std::function<Status(const AttrSlice& attrs, FunctionDef* g)>;

// A registered gradient; immutable and alive for good.
struct OpGradient {
  Creator creator;   // Null: the op has no gradient.
  std::string name;  // The creator's name, as it is written.
  SourceLocation location;
};

// At namespace scope, by the macros below.  A null `creator` says that the op
// has no gradient.  Within a library that is being loaded the registration
// waits until all of it has proved good; a second one for an op is refused.
// Always returns true.
bool RegisterOp(const std::string& op, Creator creator, const char* name = "",
                SourceLocation location = SourceLocation::Current());

// Null if nobody registered one.
const OpGradient* FindOpGradient(absl::string_view op);

// NotFound if nobody registered one; *creator is null if the op has none.
Status GetOpGradientCreator(const std::string& op, Creator* creator);

}  // namespace gradient
}  // namespace tensorwright

#define REGISTER_OP_GRADIENT(name, fn) \
  REGISTER_OP_GRADIENT_UNIQ_HELPER(__COUNTER__, name, fn, #fn)
#define REGISTER_OP_NO_GRADIENT(name) \
  REGISTER_OP_GRADIENT_UNIQ_HELPER(__COUNTER__, name, nullptr, "")
#define REGISTER_OP_GRADIENT_UNIQ_HELPER(ctr, name, fn, fn_name) \
  REGISTER_OP_GRADIENT_UNIQ(ctr, name, fn, fn_name)
#define REGISTER_OP_GRADIENT_UNIQ(ctr, name, fn, fn_name)      \
  [[maybe_unused]] static const bool register_gradient_##ctr = \
      ::tensorwright::gradient::RegisterOp(                    \
          name, fn, fn_name,                                   \
          ::tensorwright::SourceLocation(__FILE__, __LINE__))

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_GRADIENT_H_
