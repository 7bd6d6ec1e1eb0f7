// SPDX-License-Identifier: Apache-2.0
// Datasets: sequences of elements, and the iterators that go through them.
//
// An element is a list of tensors.  A DatasetBase describes a sequence and is
// never changed; an IteratorBase is one pass over it.  Both form trees: a
// dataset refers to the datasets that it is made from, an iterator owns the
// iterators that it reads.  A DT_VARIANT tensor of shape [] carries a dataset
// from kernel to kernel.
//
//   class SkipFirst final : public DatasetBase {
//     StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
//         IteratorContext* ctx) const override;
//     ...
//   };
//
// Ownership: datasets are counted; a tensor, a dataset above and an iterator
// each hold a reference.  An iterator is owned by whoever made it.
//
// Threads: a dataset may be used by any number of threads.  An iterator is used
// by one thread at a time: whoever shares it locks.  One that runs others in
// the background (prefetching) is the only user of what it reads.
//
// Failures: GetNext returns a Status and leaves the iterator usable: the next
// call goes on behind the element that failed, where that is possible.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_DATASET_BASE_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_DATASET_BASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/refcount.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class CancellationManager;
class FunctionLibraryDefinition;
class FunctionLibraryRuntime;
class NodeDef;
namespace thread {
class ThreadPool;
}  // namespace thread

// The tensors of an element.
using Element = std::vector<Tensor>;

// What an iterator may use while it is called.  Borrowed; a value that may be
// copied for another thread, which then sets its own cancellation manager.
struct IteratorContext {
  // What kernels of the run have.
  static IteratorContext FromKernel(OpKernelContext* ctx);

  // Of the session: outlives its iterators.  Null without functions.
  FunctionLibraryRuntime* functions = nullptr;
  // For work that does not wait: the device's.  Never null.
  thread::ThreadPool* threads = nullptr;
  // Cancelled when the caller gives up; null: it never does.
  CancellationManager* cancellation = nullptr;

  // What an OptionsDataset above says (options_dataset_op.cc).
  // Must elements that are made in parallel keep their order, where their own
  // dataset does not say it?
  bool deterministic = true;
  // May buffers grow by themselves, and to how many bytes?
  bool autotune = true;
  int64_t ram_budget = int64_t{256} << 20;

  // The depths together of the datasets that functions made and whose iterators
  // lie on top of the one that is called; MakeInnerIterator counts them.
  int depth = 0;
};

class IteratorBase {
 public:
  IteratorBase() = default;
  IteratorBase(const IteratorBase&) = delete;
  IteratorBase& operator=(const IteratorBase&) = delete;
  // Stops what goes on in the background, and waits for it.
  virtual ~IteratorBase() = default;

  // The next element: true and *out, or false at the end, where later calls
  // say false as well.  *out is unspecified otherwise.
  virtual StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) = 0;

  // Is the next element there, so that GetNext does not wait?  True until
  // somebody calls it.
  virtual bool IsReady() { return false; }
};

class DatasetBase : public core::RefCounted {
 public:
  // Datasets that are made from each other deeper than this are refused: each
  // makes, reads and destroys iterators of the next, and the stack has an end.
  static constexpr int kMaxDepth = 2500;

  DatasetBase(DataTypeVector dtypes, std::vector<PartialTensorShape> shapes)
      : dtypes_(std::move(dtypes)), shapes_(std::move(shapes)) {}

  // Of the tensors of every element; equally many.
  const DataTypeVector& output_dtypes() const { return dtypes_; }
  const std::vector<PartialTensorShape>& output_shapes() const {
    return shapes_;
  }

  // A new pass.  It keeps this dataset.
  virtual StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const = 0;

  // How many elements there are; kInfinite or kUnknown.
  static constexpr int64_t kInfinite = -1;
  static constexpr int64_t kUnknown = -2;
  virtual int64_t Cardinality() const { return kUnknown; }

  // May GetNext wait, for another thread or for something outside?  Then it is
  // not called in a thread that has other work.
  virtual bool MayWait() const { return false; }

  // "Batch".
  virtual std::string Name() const = 0;

  // A number for what the dataset is made of: its op, attrs, functions and
  // inputs, those that are datasets as well.  The same in every process for the
  // same program; names of nodes do not count.  `functions` has the functions.
  // InvalidArgument where something has no such number, as a window.
  StatusOr<uint64_t> Fingerprint(
      const FunctionLibraryDefinition* functions) const;

  // The node and the inputs that it was made of; the first call counts.  Before
  // others see the dataset.  InvalidArgument if it is deeper than kMaxDepth.
  Status SetOrigin(std::shared_ptr<const NodeDef> node, Element inputs) const;

  // 1, and the depth of the deepest dataset among its inputs.
  int depth() const { return depth_; }

  // The same failure, with the node that it was made of behind the message:
  // " (TFRecordDataset, node input/TFRecordDataset)", by which Python finds the
  // line of the program.  For failures of this dataset, not of one below it.
  Status AtOrigin(const Status& status) const;

 private:
  struct Origin;

  const DataTypeVector dtypes_;
  const std::vector<PartialTensorShape> shapes_;
  mutable std::shared_ptr<const Origin> origin_;
  mutable int depth_ = 1;
};

using DatasetPtr = core::RefCountPtr<const DatasetBase>;

// A dataset of one input that passes its elements on, with the input's types
// unless it gives others.
class UnaryDataset : public DatasetBase {
 public:
  explicit UnaryDataset(DatasetPtr input)
      : DatasetBase(input->output_dtypes(), input->output_shapes()),
        input_(std::move(input)) {}
  UnaryDataset(DatasetPtr input, DataTypeVector dtypes,
               std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        input_(std::move(input)) {}

  const DatasetBase& input() const { return *input_; }
  bool MayWait() const override { return input_->MayWait(); }

 private:
  const DatasetPtr input_;
};

// Keeps the dataset of an iterator.
template <typename Dataset>
class DatasetIterator : public IteratorBase {
 public:
  explicit DatasetIterator(const Dataset* dataset)
      : dataset_(core::GetNewRef(dataset)) {}

 protected:
  const Dataset& dataset() const { return *dataset_; }

 private:
  const core::RefCountPtr<const Dataset> dataset_;
};

// An iterator of a dataset that a function made, for the iterator that called
// it.  InvalidArgument if it lies deeper than DatasetBase::kMaxDepth in others
// of this kind.
StatusOr<std::unique_ptr<IteratorBase>> MakeInnerIterator(
    IteratorContext* ctx, const DatasetBase& dataset);

// The depth of the deepest dataset among the elements of a tensor; 0 if there
// is none.
int DatasetDepth(const Tensor& tensor);

// Into and out of a scalar DT_VARIANT tensor.  InvalidArgument for any other
// tensor, or one that holds no dataset.
Status DatasetFromTensor(const Tensor& tensor, DatasetPtr* dataset);
Tensor DatasetToTensor(DatasetPtr dataset);

// The value of a scalar input of a dataset op; InvalidArgument, naming op and
// argument, if it is no scalar of that type.
template <typename T>
Status ScalarArgument(OpKernelContext* ctx, absl::string_view name, T* value);

// The kernel of a dataset op.  Its output is what MakeDataset makes.
class DatasetOpKernel : public OpKernel {
 public:
  explicit DatasetOpKernel(OpKernelConstruction* ctx);

  void Compute(OpKernelContext* ctx) final;

 protected:
  virtual StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) = 0;

  // The dataset that is an input.
  static Status Input(OpKernelContext* ctx, absl::string_view name,
                      DatasetPtr* dataset);

 private:
  const std::shared_ptr<const NodeDef> node_;  // Shared by its datasets.
};

// The kernel of an op with inputs "input_dataset" and "count", a scalar: it
// makes Dataset(input, count).
template <typename Dataset>
class CountedDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

 private:
  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    int64_t count = 0;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "count", &count));
    return DatasetPtr(new Dataset(std::move(input), count));
  }
};

// Attrs "output_types" (or "Toutput_types") and "output_shapes": what a node
// says of its dataset.  They must be equally many.
Status ReadOutputSpec(OpKernelConstruction* ctx, DataTypeVector* dtypes,
                      std::vector<PartialTensorShape>* shapes);

// InvalidArgument, with both, unless they fit.
Status CheckDtypes(const DataTypeVector& expected, const DataTypeVector& got);
Status CheckShapes(const std::vector<PartialTensorShape>& expected,
                   const std::vector<PartialTensorShape>& got);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_DATASET_BASE_H_
