// SPDX-License-Identifier: Apache-2.0
// A reader as TensorFlow 1.x's guide to new data formats describes one, and a
// queue to feed it.
#include <deque>
#include <memory>

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

class CorpusLineReader : public ReaderBase {
 public:
  CorpusLineReader(const string& node_name, int skip_header_lines, Env* env)
      : ReaderBase(strings::StrCat("CorpusLineReader '", node_name, "'")),
        skip_header_lines_(skip_header_lines),
        env_(env),
        line_number_(0) {}

  Status OnWorkStartedLocked() override {
    line_number_ = 0;
    TF_RETURN_IF_ERROR(env_->NewRandomAccessFile(current_work(), &file_));
    input_buffer_.reset(new io::InputBuffer(file_.get(), 16));
    for (; line_number_ < skip_header_lines_; ++line_number_) {
      string line_contents;
      Status status = input_buffer_->ReadLine(&line_contents);
      if (errors::IsOutOfRange(status)) {
        // Shorter than its header.
        return Status::OK();
      }
      TF_RETURN_IF_ERROR(status);
    }
    return Status::OK();
  }

  Status OnWorkFinishedLocked() override {
    input_buffer_.reset(nullptr);
    return Status::OK();
  }

  Status ReadLocked(string* key, string* value, bool* produced,
                    bool* at_end) override {
    Status status = input_buffer_->ReadLine(value);
    ++line_number_;
    if (status.ok()) {
      *key = strings::StrCat(current_work(), ":", line_number_);
      *produced = true;
      return status;
    }
    if (errors::IsOutOfRange(status)) {
      *at_end = true;
      return Status::OK();
    } else {
      return status;
    }
  }

  Status ResetLocked() override {
    line_number_ = 0;
    input_buffer_.reset(nullptr);
    return ReaderBase::ResetLocked();
  }

 private:
  const int skip_header_lines_;
  Env* const env_;
  int64 line_number_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<io::InputBuffer> input_buffer_;
};

class CorpusLineReaderOp : public ReaderOpKernel {
 public:
  explicit CorpusLineReaderOp(OpKernelConstruction* context)
      : ReaderOpKernel(context) {
    int skip_header_lines = -1;
    OP_REQUIRES_OK(context,
                   context->GetAttr("skip_header_lines", &skip_header_lines));
    OP_REQUIRES(context, skip_header_lines >= 0,
                errors::InvalidArgument("skip_header_lines must be >= 0 not ",
                                        skip_header_lines));
    Env* env = context->env();
    SetReaderFactory([this, skip_header_lines, env]() {
      return new CorpusLineReader(name(), skip_header_lines, env);
    });
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusLineReader").Device(DEVICE_CPU),
                        CorpusLineReaderOp);

REGISTER_OP("CorpusLineReader")
    .Output("reader_handle: Ref(string)")
    .Attr("skip_header_lines: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->Vector(2));
      return Status::OK();
    });

// Names of files, given once.
class CorpusNames : public QueueInterface {
 public:
  explicit CorpusNames(const std::vector<string>& names)
      : names_(names.begin(), names.end()), dtypes_({DT_STRING}) {}

  Status ValidateTuple(const Tuple& tuple) override { return Status::OK(); }
  Status ValidateManyTuple(const Tuple& tuple) override { return Status::OK(); }
  void TryEnqueue(const Tuple& tuple, OpKernelContext* ctx,
                  DoneCallback callback) override {
    mutex_lock lock(mu_);
    names_.push_back(tuple[0].scalar<string>()());
    callback();
  }
  void TryEnqueueMany(const Tuple& tuple, OpKernelContext* ctx,
                      DoneCallback callback) override {
    callback();
  }
  void TryDequeue(OpKernelContext* ctx, CallbackWithTuple callback) override {
    Tuple tuple;
    {
      mutex_lock lock(mu_);
      if (names_.empty()) {
        ctx->SetStatus(errors::OutOfRange("no more names"));
      } else {
        tuple.emplace_back(names_.front());
        names_.pop_front();
      }
    }
    callback(tuple);
  }
  void TryDequeueMany(int num_elements, OpKernelContext* ctx,
                      bool allow_small_batch,
                      CallbackWithTuple callback) override {
    callback(Tuple());
  }
  void Close(OpKernelContext* ctx, bool cancel_pending_enqueues,
             DoneCallback callback) override {
    callback();
  }
  bool is_closed() const override { return true; }
  Status MatchesNodeDef(const NodeDef& node_def) override {
    return Status::OK();
  }
  int32 size() const override { return names_.size(); }
  const DataTypeVector& component_dtypes() const override { return dtypes_; }

 private:
  mutex mu_;
  std::deque<string> names_ GUARDED_BY(mu_);
  const DataTypeVector dtypes_;
};

REGISTER_OP("CorpusReadLines")
    .Input("reader_handle: Ref(string)")
    .Input("names: string")
    .Input("most: int64")
    .Output("keys: string")
    .Output("values: string")
    .Output("facts: int64");

class CorpusReadLinesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    ReaderInterface* reader;
    OP_REQUIRES_OK(context,
                   GetResourceFromContext(context, "reader_handle", &reader));
    core::ScopedUnref unref_me(reader);
    std::vector<string> names;
    for (int64 i = 0; i < context->input(1).NumElements(); ++i) {
      names.push_back(context->input(1).flat<string>()(i));
    }
    CorpusNames* queue = new CorpusNames(names);
    core::ScopedUnref unref_queue(queue);
    const int64 most = context->input(2).scalar<int64>()();
    std::vector<tstring> keys, values;
    if (most == 1) {
      keys.resize(1);
      values.resize(1);
      reader->Read(queue, &keys[0], &values[0], context);
    } else {
      reader->ReadUpTo(most, queue, &keys, &values, context);
    }
    if (!context->status().ok()) return;
    const int64 n = keys.size();
    Tensor *keys_out, *values_out, *facts;
    OP_REQUIRES_OK(context, context->allocate_output(0, {n}, &keys_out));
    OP_REQUIRES_OK(context, context->allocate_output(1, {n}, &values_out));
    OP_REQUIRES_OK(context, context->allocate_output(2, {2}, &facts));
    for (int64 i = 0; i < n; ++i) {
      keys_out->vec<string>()(i) = keys[i];
      values_out->vec<string>()(i) = values[i];
    }
    facts->vec<int64>()(0) = reader->NumRecordsProduced();
    facts->vec<int64>()(1) = reader->NumWorkUnitsCompleted();
  }
};

REGISTER_KERNEL_BUILDER(Name("CorpusReadLines").Device(DEVICE_CPU),
                        CorpusReadLinesOp);

}  // namespace tensorflow
