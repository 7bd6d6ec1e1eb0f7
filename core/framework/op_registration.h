// SPDX-License-Identifier: Apache-2.0
// OpRegistrationData: a registry's knowledge of an op.  Apart from op.h, so
// that a source that registers one does not read protobuf's headers.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_REGISTRATION_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_REGISTRATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_def_builder.h"
#include "core/lib/core/source_location.h"

namespace tensorwright {

// Everything known about one op.  Owned by the registry, immutable, and alive
// until the program ends.
struct OpRegistrationData {
  OpRegistrationData() = default;
  explicit OpRegistrationData(const OpDef& def) : op_def(def) {}

  OpDef op_def;
  OpShapeInferenceFn shape_inference_fn;
  SourceLocation location;  // The place of REGISTER_OP.
  // The place of .SetShapeFn; unset if there is none.
  SourceLocation shape_fn_location;
  // The address of a function, not of a lambda.
  const void* shape_fn_address = nullptr;
  // The kinds given to OpDefBuilder::Touches and Needs, sorted, each once;
  // "files" as its two kinds, and not "nothing".  No part of the OpDef, which
  // has TensorFlow's fields only.  Callers that decide by them ask
  // CapabilitiesOf, which knows what libraries did not say.
  std::vector<std::string> touches;
  std::vector<std::string> needs;
  // The phrase about chance that Touches was given, see ChanceOf; else empty.
  std::string chance;
  // Was either called?
  bool claims_capabilities = false;
  // The library that was loaded and registered it, its file and its number;
  // empty and 0 for what is linked in.
  std::string library_file;
  int library = 0;

  // The function's C++ name, without the namespaces of this library; "lambda"
  // for one written in place; empty if there is none.  Slow: it reads the
  // library's symbols.
  std::string shape_fn_name() const;
};

// ---- Capabilities: what kernels reach outside the graph, and what they need
// of the session, as registrations say (OpDefBuilder::Touches, Needs).  `tw ops
// --capabilities` lists them; policies of sessions allow or deny them.

// A set of capabilities, a bit each.
using CapabilitySet = uint32_t;

enum Capability : CapabilitySet {
  kFilesRead = 1 << 0,
  kFilesWritten = 1 << 1,
  kNetwork = 1 << 2,
  kPython = 1 << 3,
  kNativeCode = 1 << 4,
  kHost = 1 << 5,
  kBlocking = 1 << 6,
  kUnboundedMemory = 1 << 7,
};
inline constexpr CapabilitySet kAllCapabilities = (1 << 8) - 1;

struct CapabilityKind {
  absl::string_view name;
  Capability bit;
  bool is_need;  // A kind of Needs, not of Touches.
};

// All kinds, in the order of their bits.
absl::Span<const CapabilityKind> CapabilityKinds();

// The capability of that name; "files" is two.  0 if there is none.
CapabilitySet CapabilityOfName(absl::string_view name);
// In the order of the bits; "files read", "files written" and so on.
std::vector<std::string> CapabilityNames(CapabilitySet set);

// The capabilities of the op's kernels.  All, if its registration came with a
// library and claims nothing, or if a library other than the op's has kernels
// of it: nobody has said what these do.  *reason, if it is given, then says
// which library it was, and is empty otherwise.
CapabilitySet CapabilitiesOf(const OpRegistrationData& op,
                             std::string* reason = nullptr);

// ---- Chance: the same inputs and attrs, files and earlier calls, give another
// result, because the kernel draws random numbers, or because what another
// thread has done by then is in it.  It is no capability, and no policy has to
// allow it; one that says `deterministic` refuses it (docs/policy.md).

// "" if the op's results do not depend on chance, else one of
//   "chance"                            they do;
//   "chance unless seed"                they do if seed and seed2 are 0;
//   "chance unless ATTR=VALUE|VALUE"    they do if ATTR has no such value.
// As Touches says, and the second for an op that has both seeds as inputs, or
// is stateful and has both as attrs.
std::string ChanceOf(const OpRegistrationData& op);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_REGISTRATION_H_
