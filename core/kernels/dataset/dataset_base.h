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
// each hold a reference.  The code that makes an iterator owns it.
//
// Threads: a dataset may be used by any number of threads.  An iterator is used
// by one thread at a time: code that shares it locks.  One that runs others in
// the background (prefetching) is the only user of the iterators it reads.
//
// Failures: GetNext returns a Status and leaves the iterator usable: the next
// call goes on after the element that failed, if that is possible.
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
class Env;
class FunctionLibraryDefinition;
class FunctionLibraryRuntime;
class NodeDef;
namespace thread {
class ThreadPool;
}  // namespace thread

// The tensors of an element.
using Element = std::vector<Tensor>;

// The services that an iterator may use while it is called.  They are borrowed;
// this is a value that may be copied for another thread, which then sets its
// own cancellation manager.
struct IteratorContext {
  // Takes those of the kernel's run.
  static IteratorContext FromKernel(OpKernelContext* ctx);

  // The session's, which outlives its iterators.  Null without functions.
  FunctionLibraryRuntime* functions = nullptr;
  // The device's pool, for work that does not wait.  Never null.
  thread::ThreadPool* threads = nullptr;
  // Reaches the files that the session may reach; never null, never destroyed.
  // Datasets use it and not Env::Default(): it belongs to the session that
  // goes through the elements, whoever made the dataset.
  Env* env = nullptr;
  // The device's, for threads that make elements (TensorAllocatorScope).
  Allocator* allocator = nullptr;
  // Cancelled when the caller gives up; null: it never does.
  CancellationManager* cancellation = nullptr;

  // Set by an OptionsDataset above (options_dataset_op.cc). Must elements that
  // are made in parallel keep their order, if their own dataset leaves it open?
  bool deterministic = true;
  // May buffers grow by themselves, and to how many bytes?
  bool autotune = true;
  int64_t ram_budget = int64_t{256} << 20;

  // The sum of the depths of the datasets that functions made and whose
  // iterators are above the one that is called; MakeInnerIterator counts them.
  int depth = 0;
};

class IteratorBase {
 public:
  IteratorBase() = default;
  IteratorBase(const IteratorBase&) = delete;
  IteratorBase& operator=(const IteratorBase&) = delete;
  // Stops background work, and waits for it.
  virtual ~IteratorBase() = default;

  // Gets the next element: true and *out, or false at the end, after which
  // later calls return false as well.  *out is unspecified otherwise.
  virtual StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) = 0;

  // Is the next element ready, so that GetNext does not wait?  Stays true until
  // GetNext is called.
  virtual bool IsReady() { return false; }
};

class DatasetBase : public core::RefCounted {
 public:
  // Datasets that are made from each other more deeply than this are refused:
  // each makes, reads and destroys iterators of the next, and the stack has an
  // end.
  static constexpr int kMaxDepth = 2500;

  DatasetBase(DataTypeVector dtypes, std::vector<PartialTensorShape> shapes)
      : dtypes_(std::move(dtypes)), shapes_(std::move(shapes)) {}

  // The dtypes and shapes of the tensors of every element; equally many.
  const DataTypeVector& output_dtypes() const { return dtypes_; }
  const std::vector<PartialTensorShape>& output_shapes() const {
    return shapes_;
  }

  // Begins a new pass, which keeps this dataset alive.
  virtual StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const = 0;

  // The number of elements; kInfinite or kUnknown.
  static constexpr int64_t kInfinite = -1;
  static constexpr int64_t kUnknown = -2;
  virtual int64_t Cardinality() const { return kUnknown; }

  // May GetNext wait, for another thread or for something outside?  Then it is
  // not called in a thread that has other work.
  virtual bool MayWait() const { return false; }

  // "Batch".
  virtual std::string Name() const = 0;

  // A number for the parts of the dataset: its op, attrs, functions and inputs,
  // including those that are datasets.  It is the same in every process for the
  // same program; names of nodes do not count.  `functions` has the functions.
  // InvalidArgument if a part has no such number, such as a window.
  StatusOr<uint64_t> Fingerprint(
      const FunctionLibraryDefinition* functions) const;

  // Sets the node and the inputs that it was made from; the first call counts.
  // Call it before others see the dataset.  InvalidArgument if it is deeper
  // than kMaxDepth.
  Status SetOrigin(std::shared_ptr<const NodeDef> node, Element inputs) const;

  // 1 plus the depth of the deepest dataset among its inputs.
  int depth() const { return depth_; }

  // The same failure, with the dataset's node after the message: "
  // (TFRecordDataset, node input/TFRecordDataset)", by which Python finds the
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

// Keeps the dataset of an iterator alive.
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

// Makes an iterator of a dataset that a function made, for the iterator that
// called it.  InvalidArgument if it is nested more deeply than
// DatasetBase::kMaxDepth in others of this kind.
StatusOr<std::unique_ptr<IteratorBase>> MakeInnerIterator(
    IteratorContext* ctx, const DatasetBase& dataset);

// The depth of the deepest dataset among the elements of a tensor; 0 if there
// is none.
int DatasetDepth(const Tensor& tensor);

// Puts a dataset into a scalar DT_VARIANT tensor, or takes it out.
// InvalidArgument for any other tensor, or one that holds no dataset.
Status DatasetFromTensor(const Tensor& tensor, DatasetPtr* dataset);
Tensor DatasetToTensor(DatasetPtr dataset);

// The value of a scalar input of a dataset op; InvalidArgument, naming op and
// argument, if it is no scalar of that type.
template <typename T>
Status ScalarArgument(OpKernelContext* ctx, absl::string_view name, T* value);

// The kernel of a dataset op.  Its output is the dataset that MakeDataset
// makes.
class DatasetOpKernel : public OpKernel {
 public:
  explicit DatasetOpKernel(OpKernelConstruction* ctx);

  void Compute(OpKernelContext* ctx) final;

 protected:
  virtual StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) = 0;

  // Gets the dataset that is an input.
  static Status Input(OpKernelContext* ctx, absl::string_view name,
                      DatasetPtr* dataset);

 private:
  const std::shared_ptr<const NodeDef> node_;  // Its datasets share it.
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

// Attrs "output_types" (or "Toutput_types") and "output_shapes": a node's
// description of its dataset.  They must be equally many.
Status ReadOutputSpec(OpKernelConstruction* ctx, DataTypeVector* dtypes,
                      std::vector<PartialTensorShape>* shapes);

// InvalidArgument, with both, unless they fit.
Status CheckDtypes(const DataTypeVector& expected, const DataTypeVector& got);
Status CheckShapes(const std::vector<PartialTensorShape>& expected,
                   const std::vector<PartialTensorShape>& got);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_DATASET_BASE_H_
