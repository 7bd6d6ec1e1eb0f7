// SPDX-License-Identifier: Apache-2.0
// A function that a dataset calls for each element, with the tensors that it
// captured.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_CAPTURED_FUNCTION_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_CAPTURED_FUNCTION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/function.h"
#include "core/kernels/dataset/dataset_base.h"

namespace tensorwright {

// A function for one session; thread safe.
class InstantiatedFunction {
 public:
  InstantiatedFunction(FunctionLibraryRuntime::Handle handle,
                       const std::vector<Tensor>* captured)
      : handle_(handle), captured_(captured) {}

  // Calls it with `args` and the captured tensors, in this thread.
  Status Run(IteratorContext* ctx, Element args, Element* rets) const;

  // The meaning of its first result: for a predicate, or for a dataset.
  StatusOr<bool> RunPredicate(IteratorContext* ctx, Element args) const;
  StatusOr<DatasetPtr> RunDataset(IteratorContext* ctx, Element args) const;

 private:
  FunctionLibraryRuntime::Handle handle_;
  const std::vector<Tensor>* captured_;  // The dataset's captured tensors.
};

// The record that a dataset keeps of its function.
class CapturedFunction {
 public:
  // `function` is an attr's value, `captured` the values of the inputs that the
  // node passes to each call.
  CapturedFunction(NameAttrList function, std::vector<Tensor> captured)
      : function_(std::move(function)), captured_(std::move(captured)) {}

  // The attr `attr` of a dataset op's node, and the tensors of its list input
  // `arguments`.
  static Status FromNode(OpKernelContext* ctx, const NameAttrList& function,
                         absl::string_view arguments,
                         std::unique_ptr<CapturedFunction>* result);

  // Makes it for one pass.  It refers to this object, which the pass keeps with
  // its dataset. NotFound, InvalidArgument: as for Instantiate; Internal
  // without functions.
  StatusOr<InstantiatedFunction> Instantiate(IteratorContext* ctx) const;

  const std::string& name() const { return function_.name(); }
  const std::vector<Tensor>& captured() const { return captured_; }

  // Does the function have effects, or may it wait?
  bool is_stateful = true;

 private:
  const NameAttrList function_;
  const std::vector<Tensor> captured_;
};

// Adds to the error the element at which it occurred.
Status AtElement(const Status& status, const char* dataset, int64_t index);

// The tensors of the list input "initial_state", whose dtypes attr "Tstate"
// gives.
Status InitialState(OpKernelContext* ctx, Element* state);

// Calls `function` with the state and `element`, element number `index` of the
// input of the op `what`.  Its results begin with the next state, of the dtypes
// of the last one, which replaces *state; the rest goes to *out.
// InvalidArgument: it returns something else, or ends the dataset (OutOfRange)
// although `may_end` is false.
Status Fold(IteratorContext* ctx, const InstantiatedFunction& function,
            const char* what, int64_t index, bool may_end, Element element,
            Element* state, Element* out);

// A kernel with one function, attr `f` or `predicate`, whose captured tensors
// are the input other_arguments.
class FunctionDatasetOp : public DatasetOpKernel {
 protected:
  FunctionDatasetOp(OpKernelConstruction* ctx, const char* attr);

  Status Function(OpKernelContext* ctx,
                  std::unique_ptr<CapturedFunction>* function) const {
    return CapturedFunction::FromNode(ctx, function_, "other_arguments",
                                      function);
  }

  DataTypeVector output_dtypes_;
  std::vector<PartialTensorShape> output_shapes_;

 private:
  NameAttrList function_;
};

// The kernel of an op whose dataset has the elements of its input for which
// attr `predicate`, a function, returns true.
class PredicateDatasetOp : public FunctionDatasetOp {
 protected:
  // Says what happens after the first element for which it returns false.
  enum class AfterNo { kNext, kEnd };

  // `name` is used in messages: "Filter".
  PredicateDatasetOp(OpKernelConstruction* ctx, const char* name,
                     AfterNo after_no)
      : FunctionDatasetOp(ctx, "predicate"), name_(name), after_no_(after_no) {}

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) final;

 private:
  class Dataset;

  const char* const name_;
  const AfterNo after_no_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_CAPTURED_FUNCTION_H_
