// SPDX-License-Identifier: Apache-2.0
// OpDefBuilder: turns the short strings of a REGISTER_OP block into an OpDef.
//
// A builder only collects strings, so that a registration costs next to nothing
// when a program starts.  Finalize() parses them; every mistake it finds is
// reported as one Status that quotes the offending string.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_BUILDER_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_BUILDER_H_

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {

namespace shape_inference {
class InferenceContext;
}  // namespace shape_inference

// Checks an op's input shapes and sets its output shapes; see
// shape_inference.h.  An empty function means that nothing was registered.
using OpShapeInferenceFn =
    std::function<Status(shape_inference::InferenceContext* c)>;

struct OpRegistrationData;

class OpDefBuilder {
 public:
  explicit OpDefBuilder(absl::string_view op_name,
                        SourceLocation location = SourceLocation());
  // Not inline, since each REGISTER_OP has them.
  OpDefBuilder(const OpDefBuilder& other);
  OpDefBuilder(OpDefBuilder&& other) noexcept;
  OpDefBuilder& operator=(const OpDefBuilder& other);
  OpDefBuilder& operator=(OpDefBuilder&& other) noexcept;
  ~OpDefBuilder();

  // Adds an attr, "<name>:<type>" or "<name>:<type>=<default>".  A type is one
  // of string, int, float, bool, type, shape, tensor, func; "list(<type>)";
  // "numbertype", "realnumbertype", "quantizedtype"; or a set of allowed
  // values, "{int32,string}" for types and "{'a','b'}" for strings.
  // "int >= 2" and "list(int) >= 2" give a minimum.
  OpDefBuilder& Attr(absl::string_view spec);

  // Adds an input or output, "<name>:<type>", where <type> is a dtype
  // ("float"), an attr of type "type" ("T"), "Ref(<type>)", "<number attr> *
  // <type>", or an attr of type "list(type)".
  OpDefBuilder& Input(absl::string_view spec);
  OpDefBuilder& Output(absl::string_view spec);

  OpDefBuilder& SetIsCommutative();
  OpDefBuilder& SetIsAggregate();
  OpDefBuilder& SetIsStateful();
  OpDefBuilder& SetAllowsUninitializedInput();

  // Capabilities: what the op's kernels may reach and may need, one call a kind
  // (op_registration.h lists them).  An op that calls neither function is pure,
  // its kernels see their inputs and attrs only; but a library that is loaded
  // must say so by Touches("nothing"), or its op counts as one with every
  // capability.
  //
  // They reach something outside the graph:
  //   "files read", "files written"  files that an attr or an input names;
  //                                  "files" means both,
  //   "network"      talk to other machines or processes,
  //   "python"       call the Python interpreter,
  //   "native code"  load or run machine code that is not of this library,
  //   "host"         change the process or the machine, or look into it,
  //   "nothing"      none of these.
  // Output of a kernel to the error stream (Print, Assert) is a message, not a
  // touch: it reads and changes nothing.  Nor is chance.  Resources of the
  // session, and the rendezvous of a run, are inside.
  OpDefBuilder& Touches(absl::string_view kind);
  // They may need, of the session:
  //   "blocking"          a wait for something that another node, run or
  //                       thread has to do, such as filling a queue,
  //   "unbounded memory"  more memory than follows from the shapes and the
  //                       bytes of inputs and attrs: an input's value gives a
  //                       size (Fill), bytes are unpacked (DecodePng), a file's
  //                       contents come out, or each call adds to what a
  //                       resource keeps.
  OpDefBuilder& Needs(absl::string_view kind);

  // The library that registers it, for LoadOpLibrary: its file, and its number
  // (KernelRegistration::library).
  OpDefBuilder& SetLibrary(const std::string& file, int number);

  // The op may only be used in graphs of a GraphDef version below `version`;
  // `explanation` says what to use instead.
  OpDefBuilder& Deprecated(int version, absl::string_view explanation);

  // One sentence, or a summary line and paragraphs.  "name: text" lines
  // document the argument or attr of that name.
  OpDefBuilder& Doc(absl::string_view text);

  // Takes a function, a function pointer or a lambda.
  template <typename F>
  OpDefBuilder& SetShapeFn(
      F fn, SourceLocation location = SourceLocation::Current()) {
    using FnPtr = Status (*)(shape_inference::InferenceContext*);
    if constexpr (std::is_same<std::decay_t<F>, FnPtr>::value) {
      return SetShapeFnImpl(fn, reinterpret_cast<const void*>(fn), location);
    } else {
      return SetShapeFnImpl(std::move(fn), nullptr, location);
    }
  }

  const std::string& name() const { return name_; }
  SourceLocation location() const { return location_; }

  // Parses the collected strings.  The builder is spent afterwards.  Fails with
  // InvalidArgument that lists every bad spec, in order, followed by the op's
  // name and location.
  Status Finalize(OpRegistrationData* op_reg_data);

 private:
  OpDefBuilder& SetShapeFnImpl(OpShapeInferenceFn fn, const void* address,
                               SourceLocation location);

  std::string name_;
  SourceLocation location_;
  std::vector<std::string> attrs_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::string doc_;
  std::string deprecation_explanation_;
  int deprecation_version_ = 0;
  bool has_deprecation_ = false;
  bool is_commutative_ = false;
  bool is_aggregate_ = false;
  bool is_stateful_ = false;
  bool allows_uninitialized_input_ = false;
  // "touches:KIND", "needs:KIND" and "library:NUMBER:FILE".  One list, because
  // libraries that are built already rest on the size of this class.
  std::vector<std::string> capabilities_;
  OpShapeInferenceFn shape_fn_;
  const void* shape_fn_address_ = nullptr;
  SourceLocation shape_fn_location_;
  std::vector<std::string> errors_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_BUILDER_H_
