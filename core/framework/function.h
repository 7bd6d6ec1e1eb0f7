// SPDX-License-Identifier: Apache-2.0
// Functions: a library of them, and how kernels call one.
//
// A FunctionDef is a signature (an OpDef, perhaps with type attrs) and a body
// of nodes.  A FunctionLibraryDefinition holds the functions of a graph, beside
// the op registry: a node whose op is the name of a function calls it.  A
// FunctionLibraryRuntime makes an instance that can run from a function's name
// and attrs, and runs it; kernels reach theirs by
// OpKernelContext::function_library().
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_FUNCTION_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_FUNCTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/op.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class AttrSlice;
class CancellationManager;
class DeviceBase;
class FunctionDef;
class FunctionDefLibrary;
class GradientDef;
class Rendezvous;

// The functions of one graph or session, in front of a registry of ops.
//
// Threads: every method may be called from many threads at once.  Lifetime:
// registrations that LookUp gives live as long as the library, even if their
// functions were removed or replaced.  Find shares ownership.
class FunctionLibraryDefinition final : public OpRegistryInterface {
 public:
  // `ops`, not owned, knows every op that is no function, and outlives this.
  explicit FunctionLibraryDefinition(const OpRegistryInterface* ops);
  ~FunctionLibraryDefinition() override;
  FunctionLibraryDefinition(const FunctionLibraryDefinition&) = delete;
  FunctionLibraryDefinition& operator=(const FunctionLibraryDefinition&) =
      delete;

  bool empty() const;
  bool Contains(absl::string_view name) const;
  // Null if there is no function of that name.
  std::shared_ptr<const FunctionDef> Find(absl::string_view name) const;
  // Sorted.
  std::vector<std::string> ListFunctionNames() const;

  // Adding the same function again is OK and changes nothing.  InvalidArgument
  // if another function or an op has that name, or the signature makes no
  // sense.
  Status AddFunctionDef(const FunctionDef& function);
  // NotFound if there is none.  Nodes that call a removed function are left
  // with its name: instantiating them fails.
  Status RemoveFunction(absl::string_view name);

  // The function that computes the gradient of `function`; "" if none is known.
  // AddGradientDef: InvalidArgument if another gradient is known already.
  std::string FindGradient(absl::string_view function) const;
  Status AddGradientDef(const GradientDef& gradient);
  Status RemoveGradient(absl::string_view function);

  // Adds all of it or, after an error, nothing.  Errors as above.
  Status AddLibrary(const FunctionDefLibrary& library);
  Status AddLibrary(const FunctionLibraryDefinition& other);

  // Functions and gradients in the order of their names.
  void ToProto(FunctionDefLibrary* library) const;

  // A function's signature, with a shape function that knows nothing, or what
  // the registry of ops says.  The function's registration does not say what
  // its body's kernels touch; their ops do.
  Status LookUp(absl::string_view op_type_name,
                const OpRegistrationData** data) const override;

  const OpRegistryInterface* ops() const { return ops_; }

 private:
  struct State;
  const OpRegistryInterface* const ops_;
  const std::unique_ptr<State> state_;
};

// "F" or "F[N=2, T=DT_FLOAT]": names one instance of a function.  Equal for
// equal names and attrs only; values that are no types, integers or bools are
// written as bytes.
std::string Canonicalize(const std::string& name, const AttrSlice& attrs);

// Runs functions on one device.  Owned by a session; outlives its kernels.
//
// Threads: every method may be called from many threads at once, and runs of
// one function proceed concurrently.
class FunctionLibraryRuntime {
 public:
  virtual ~FunctionLibraryRuntime() = default;

  // Names an instance for as long as the runtime lives.
  using Handle = uint64_t;

  // The instance of function `name` for these attrs; the same handle for the
  // same name and values.  Attrs that the signature does not have (such as
  // _class) are ignored; attrs with defaults may be missing.  The body is
  // compiled by the first run.
  //   NotFound: no such function.  InvalidArgument: attrs that are missing or
  //   wrong, functions that call themselves, directly or through others, or
  //   that call each other too deeply.  Errors of the body name its node.
  virtual Status Instantiate(const std::string& name, const AttrSlice& attrs,
                             Handle* handle) = 0;

  // The types of an instance's arguments and results, lists flattened.
  struct Signature {
    DataTypeVector args;
    DataTypeVector rets;
  };
  // InvalidArgument for a handle of another runtime.
  virtual Status GetSignature(Handle handle, Signature* signature) = 0;

  // One call.  Nothing is owned; everything outlives it.
  struct Options {
    // Cancelling it cancels the call.  Null: nobody cancels it.
    CancellationManager* cancellation_manager = nullptr;
    // _Send and _Recv of the body meet others here.  Null: the call has one of
    // its own.
    Rendezvous* rendezvous = nullptr;
  };

  using DoneCallback = std::function<void(const Status&)>;

  // Calls `done` once, when `rets`, sized by then, is set or the call has
  // failed: from any thread, perhaps before this returns.  `args` are copied.
  // InvalidArgument for a wrong number or type of them; otherwise the errors of
  // compiling the body or of its kernels: the error's node is one of the body,
  // and the message starts with the function's name.
  virtual void Run(const Options& options, Handle handle,
                   absl::Span<const Tensor> args, std::vector<Tensor>* rets,
                   DoneCallback done) = 0;
  // The same, waiting in this thread, which takes part in the work.
  virtual Status RunSync(const Options& options, Handle handle,
                         absl::Span<const Tensor> args,
                         std::vector<Tensor>* rets) = 0;

  virtual const FunctionLibraryDefinition* GetFunctionLibraryDefinition()
      const = 0;
  // Does a function of that name have effects?  False if there is none.
  bool IsStateful(const std::string& name) const;
  virtual DeviceBase* device() = 0;
};

// Holds a call's arguments for _Arg, and its results from _Retval, if these run
// as kernels.
//
// Owned by the caller of a run, alive until the run ends.  Different indices
// may be used by different threads at the same time.
class CallFrameInterface {
 public:
  virtual ~CallFrameInterface() = default;

  virtual size_t num_args() const = 0;
  virtual size_t num_retvals() const = 0;

  // InvalidArgument if there is no such argument.
  virtual Status GetArg(int index, Tensor* val) const = 0;
  // InvalidArgument if there is no such result or it has been set before.
  virtual Status SetRetval(int index, const Tensor& val) = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_FUNCTION_H_
