// SPDX-License-Identifier: Apache-2.0
// REGISTER_OP and the registry of ops behind it.
//
//   REGISTER_OP("RowEnergy")
//       .Input("x: T")
//       .Output("energy: T")
//       .Attr("T: {float, double}")
//       .SetShapeFn(DropInnermostDim)
//       .Doc("Sum of squares of each row: [..., n] -> [...].");
//
// A registration is stored as strings when the program starts and parsed when
// the op is first looked up.  A mistake in one never stops the program: it is
// kept as a Status that names file and line, returned by every look-up of that
// op and by ProcessRegistrations().  Two registrations of one name are such a
// mistake, unless the first has been looked up: then it stays good, and only
// ProcessRegistrations() tells of the second.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/library_stamp.h"
#include "core/framework/op_def_builder.h"
#include "core/framework/selective_registration.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class OpDef;
class OpList;

// Graphs, shape inference and kernels look ops up here: the ops of the program,
// the functions of a graph in front of them (core/framework/function.h), or a
// list.  Thread-safe.  Graphs and nodes keep pointers into it, so it outlives
// them.
class OpRegistryInterface {
 public:
  virtual ~OpRegistryInterface();

  // Sets *data to the op's registration, which lives as long as the registry
  // and does not change; null on failure.  NotFound if there is none; the
  // registration's own error if it is broken.
  virtual Status LookUp(absl::string_view op_type_name,
                        const OpRegistrationData** data) const = 0;

  // The same, for callers that need the OpDef only; *def lives as long, null on
  // failure.
  Status LookUpOpDef(absl::string_view op_type_name, const OpDef** def) const;
};

// The registry of the ops linked into or loaded by a program.  Thread-safe;
// entries are never destroyed or changed while it lives.  A look-up of an op
// that is parsed already takes a reader lock only.
class OpRegistry final : public OpRegistryInterface {
 public:
  // Fills in an op, or says why it cannot.
  using OpRegistrationDataFactory = std::function<Status(OpRegistrationData*)>;

  OpRegistry();
  ~OpRegistry() override;

  // The process' own; made at the first call, never destroyed.
  static OpRegistry* Global();

  // Adds an op that is parsed when it is first looked up.
  void Register(OpDefBuilder builder);
  // The same, in place of the op of that name, if there is one: later look-ups
  // find this one, while holders of the old registration keep it.  For loaded
  // libraries that replace an example op.
  void Replace(OpDefBuilder builder);
  // Adds an op whose name only the factory knows; it is called, under the
  // registry's lock, at the next look-up of any op.  Its errors come from
  // ProcessRegistrations().
  void Register(const OpRegistrationDataFactory& factory);

  Status LookUp(absl::string_view op_type_name,
                const OpRegistrationData** data) const override;
  // The same without the reason: nullptr if the op does not exist or is broken.
  const OpRegistrationData* LookUp(absl::string_view op_type_name) const;

  // Parses every registration and returns the first error, if any, in order of
  // name, then of the errors that belong to no op.  Parses hundreds of ops: for
  // tests and tools, not for runs.
  Status ProcessRegistrations() const;

  // All good registrations, in order of name.  Each of these parses all of them
  // first.
  std::vector<const OpRegistrationData*> GetRegistrations() const;
  void GetRegisteredOps(std::vector<OpDef>* op_defs) const;
  // The same as a proto, whose old content is dropped; ops whose name starts
  // with "_" only if asked for.
  void Export(bool include_internal, OpList* ops) const;

  // A line per op: SummarizeOpDef.
  std::string DebugString(bool include_internal) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// An adapter over a list of OpDefs, for graphs that come with their own.
// Copies the list; immutable.  The OpDefs are taken as they are; they have no
// shape functions.
class OpListOpRegistry final : public OpRegistryInterface {
 public:
  explicit OpListOpRegistry(const OpList* op_list);
  ~OpListOpRegistry() override;
  Status LookUp(absl::string_view op_type_name,
                const OpRegistrationData** data) const override;

 private:
  std::vector<std::unique_ptr<const OpRegistrationData>> ops_;  // By name.
};

namespace register_op {

// The fluent object that REGISTER_OP leaves in the source.  Each method is
// OpDefBuilder's of the same name; a mistake in a string is found when the op
// is first looked up, never here.
class OpDefBuilderWrapper {
 public:
  OpDefBuilderWrapper(const char* name, SourceLocation location)
      : builder_(name, location) {}

  OpDefBuilderWrapper& Attr(absl::string_view spec) {
    builder_.Attr(spec);
    return *this;
  }
  OpDefBuilderWrapper& Input(absl::string_view spec) {
    builder_.Input(spec);
    return *this;
  }
  OpDefBuilderWrapper& Output(absl::string_view spec) {
    builder_.Output(spec);
    return *this;
  }
  OpDefBuilderWrapper& SetIsCommutative() {
    builder_.SetIsCommutative();
    return *this;
  }
  OpDefBuilderWrapper& SetIsAggregate() {
    builder_.SetIsAggregate();
    return *this;
  }
  OpDefBuilderWrapper& SetIsStateful() {
    builder_.SetIsStateful();
    return *this;
  }
  OpDefBuilderWrapper& SetAllowsUninitializedInput() {
    builder_.SetAllowsUninitializedInput();
    return *this;
  }
  // TensorFlow's other ways to forbid optimisations.  Only ops that are not
  // stateful may be shared, moved and computed ahead of time here, so both make
  // the op stateful.
  OpDefBuilderWrapper& SetDoNotOptimize() { return SetIsStateful(); }
  OpDefBuilderWrapper& SetIsDistributedCommunication() {
    return SetIsStateful();
  }
  // Name a capability: something outside the graph that the kernels reach, or
  // something that they need; see OpDefBuilder.
  OpDefBuilderWrapper& Touches(absl::string_view kind) {
    builder_.Touches(kind);
    return *this;
  }
  OpDefBuilderWrapper& Needs(absl::string_view kind) {
    builder_.Needs(kind);
    return *this;
  }
  OpDefBuilderWrapper& Deprecated(int version, absl::string_view explanation) {
    builder_.Deprecated(version, explanation);
    return *this;
  }
  OpDefBuilderWrapper& Doc(absl::string_view text) {
    builder_.Doc(text);
    return *this;
  }
  template <typename F>
  OpDefBuilderWrapper& SetShapeFn(
      F fn, SourceLocation location = SourceLocation::Current()) {
    builder_.SetShapeFn(std::move(fn), location);
    return *this;
  }

  OpDefBuilder& builder() { return builder_; }

 private:
  OpDefBuilder builder_;
};

// Registers when it is constructed, which is when the program starts, or a
// library is loaded: in the latter case the registration waits until the whole
// library has proved good.  Takes the builder out of the wrapper.
struct OpDefBuilderReceiver {
  // NOLINTNEXTLINE(google-explicit-constructor): `= wrapper` is the idiom.
  OpDefBuilderReceiver(OpDefBuilderWrapper& wrapper);
  OpDefBuilderReceiver(OpDefBuilderWrapper&& wrapper);
};

}  // namespace register_op

// At namespace scope; `name` is a string literal, CamelCase ("_" first for
// internal ops).  The calls that follow are methods of OpDefBuilderWrapper, in
// any order.
#define REGISTER_OP(name) REGISTER_OP_UNIQ_HELPER(__COUNTER__, name)
#define REGISTER_OP_UNIQ_HELPER(ctr, name) REGISTER_OP_UNIQ(ctr, name)
#define REGISTER_OP_UNIQ(ctr, name)                           \
  [[maybe_unused]] static const ::tensorwright::register_op:: \
      OpDefBuilderReceiver register_op_##ctr =                \
          ::tensorwright::register_op::OpDefBuilderWrapper(   \
              name, ::tensorwright::SourceLocation{__FILE__, __LINE__})

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_H_
