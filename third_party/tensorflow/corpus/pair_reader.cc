// SPDX-License-Identifier: Apache-2.0
// A reader of files with a pair in each line, and a queue of one's own to feed
// it.
#include <memory>
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/queue_interface.h"
#include "tensorflow/core/framework/reader_op_kernel.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/kernels/reader_base.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/io/inputbuffer.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/platform/env.h"

namespace tensorflow {

REGISTER_OP("CorpusPairReader")
    .Attr("separator: string = '='")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Output("handle: Ref(string)")
    .SetIsStateful()
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->Vector(2));
      return Status::OK();
    });

namespace {

// "key=value" in each line; others are comments.
class PairReader : public ReaderBase {
 public:
  PairReader(const string& name, const string& separator, Env* env)
      : ReaderBase(strings::StrCat(name, " by '", separator, "'")),
        separator_(separator),
        env_(env) {}

 protected:
  Status OnWorkStartedLocked() override {
    TF_RETURN_IF_ERROR(env_->NewRandomAccessFile(current_work(), &file_));
    lines_.reset(new io::InputBuffer(file_.get(), 16));
    return Status::OK();
  }
  Status OnWorkFinishedLocked() override {
    lines_.reset();
    file_.reset();
    return Status::OK();
  }
  Status ReadLocked(string* key, string* value, bool* produced,
                    bool* at_end) override {
    for (string line; !*produced;) {
      const Status read = lines_->ReadLine(&line);
      *at_end = errors::IsOutOfRange(read);
      if (*at_end) break;
      TF_RETURN_IF_ERROR(read);
      const size_t middle = line.find(separator_);
      if (middle == string::npos) continue;
      *key = line.substr(0, middle);
      *value = line.substr(middle + separator_.size());
      *produced = true;
    }
    return Status::OK();
  }
  Status ResetLocked() override {
    TF_RETURN_IF_ERROR(OnWorkFinishedLocked());
    return ReaderBase::ResetLocked();
  }

 private:
  const string separator_;
  Env* const env_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<io::InputBuffer> lines_;
};

class PairReaderOp : public ReaderOpKernel {
 public:
  explicit PairReaderOp(OpKernelConstruction* c) : ReaderOpKernel(c) {
    string separator;
    OP_REQUIRES_OK(c, c->GetAttr("separator", &separator));
    OP_REQUIRES(c, !separator.empty(),
                errors::InvalidArgument("separator must not be empty"));
    Env* const env = c->env();
    SetReaderFactory([=]() { return new PairReader(name(), separator, env); });
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusPairReader").Device(DEVICE_CPU),
                        PairReaderOp);

// A tensor's strings, the last first.
class StackOfNames : public QueueInterface {
 public:
  explicit StackOfNames(const Tensor& names) : types_(1, DT_STRING) {
    for (int64 i = 0; i < names.NumElements(); ++i) {
      names_.push_back(names.flat<string>()(i));
    }
  }

  void TryDequeue(OpKernelContext* c, CallbackWithTuple done) override {
    Tuple top;
    mu_.lock();
    const bool is_empty = names_.empty();
    if (!is_empty) {
      top.push_back(Tensor(names_.back()));
      names_.pop_back();
    }
    mu_.unlock();
    if (is_empty) c->SetStatus(errors::OutOfRange("the stack is empty"));
    done(top);
  }
  void TryDequeueMany(int, OpKernelContext* c, bool,
                      CallbackWithTuple done) override {
    c->SetStatus(errors::Unimplemented("one at a time"));
    done(Tuple());
  }
  void TryEnqueue(const Tuple& tuple, OpKernelContext*,
                  DoneCallback done) override {
    {
      mutex_lock lock(mu_);
      names_.push_back(tuple[0].scalar<string>()());
    }
    done();
  }
  void TryEnqueueMany(const Tuple&, OpKernelContext* c,
                      DoneCallback done) override {
    c->SetStatus(errors::Unimplemented("one at a time"));
    done();
  }
  Status ValidateTuple(const Tuple&) override { return Status::OK(); }
  Status ValidateManyTuple(const Tuple&) override { return Status::OK(); }
  Status MatchesNodeDef(const NodeDef&) override { return Status::OK(); }
  void Close(OpKernelContext*, bool, DoneCallback done) override { done(); }
  bool is_closed() const override { return true; }
  const DataTypeVector& component_dtypes() const override { return types_; }
  int32 size() const override {
    mutex_lock lock(mu_);
    return names_.size();
  }

 private:
  mutable mutex mu_;
  std::vector<string> names_ GUARDED_BY(mu_);
  const DataTypeVector types_;
};

}  // namespace

REGISTER_OP("CorpusReadPairs")
    .Input("reader: Ref(string)")
    .Input("files: string")
    .Input("at_most: int64")
    .Output("keys: string")
    .Output("values: string")
    .Output("records_and_files: int64");

struct ReadPairsOp : public OpKernel {
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* c) override {
    ReaderInterface* reader;
    OP_REQUIRES_OK(c, GetResourceFromContext(c, "reader", &reader));
    core::ScopedUnref release_reader(reader);
    auto* files = new StackOfNames(c->input(1));
    core::ScopedUnref release_files(files);
    std::vector<tstring> keys(1), values(1);
    const int64 at_most = c->input(2).scalar<int64>()();
    if (at_most > 1) {
      keys.clear();
      values.clear();
      reader->ReadUpTo(at_most, files, &keys, &values, c);
    } else {
      reader->Read(files, &keys[0], &values[0], c);
    }
    if (!c->status().ok()) return;
    const std::vector<tstring>* texts[] = {&keys, &values};
    for (int i = 0; i < 2; ++i) {
      const int64 n = texts[i]->size();
      Tensor* out;
      OP_REQUIRES_OK(c, c->allocate_output(i, {n}, &out));
      std::copy(texts[i]->begin(), texts[i]->end(), out->vec<tstring>().data());
    }
    Tensor* counts;
    OP_REQUIRES_OK(c, c->allocate_output(2, {2}, &counts));
    counts->vec<int64>()(0) = reader->NumRecordsProduced();
    counts->vec<int64>()(1) = reader->NumWorkUnitsCompleted();
  }
};
REGISTER_KERNEL_BUILDER(Name("CorpusReadPairs").Device(DEVICE_CPU),
                        ReadPairsOp);

}  // namespace tensorflow
