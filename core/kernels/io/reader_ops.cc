// SPDX-License-Identifier: Apache-2.0
// The ops on readers of any kind: ReaderRead, ReaderReadUpTo, ReaderReset,
// ReaderNumRecordsProduced, ReaderNumWorkUnitsCompleted, ReaderSerializeState
// and ReaderRestoreState, for handles of both kinds.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/queue_interface.h"
#include "core/framework/reader_interface.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/refcount.h"
#include "core/lib/core/threadpool.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

using ReaderPtr = core::RefCountPtr<ReaderInterface>;
using QueuePtr = core::RefCountPtr<QueueInterface>;

template <typename T>
Status Find(OpKernelContext* ctx, int input, core::RefCountPtr<T>* found) {
  ResourceHandle handle;
  TF_RETURN_IF_ERROR(HandleFromInput(ctx, input, &handle));
  return LookupResource(ctx, handle, found);
}

// ---- ReaderRead, ReaderReadUpTo ---------------------------------------------

// Ops that may wait for work.  Records that can be read at once are read on the
// calling thread; if there is no work, a thread of the kernel's own waits, so
// that ops that would bring work do not lack a thread.
class ReadingOp : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) final {
    ReaderPtr reader;
    QueuePtr queue;
    OP_REQUIRES_OK_ASYNC(ctx, Find(ctx, 0, &reader), done);
    OP_REQUIRES_OK_ASYNC(ctx, Find(ctx, 1, &queue), done);
    if (ReadNow(ctx, reader.get())) return done();
    // The closure is a std::function, which is copied.
    auto r = std::make_shared<ReaderPtr>(std::move(reader));
    auto q = std::make_shared<QueuePtr>(std::move(queue));
    Threads()->Schedule([this, ctx, r, q, done = std::move(done)] {
      ReadWaiting(ctx, r->get(), q->get());
      done();
    });
  }

 private:
  // Writes the outputs, or sets an error, and returns true; false if there is
  // no work.
  virtual bool ReadNow(OpKernelContext* ctx, ReaderInterface* reader) = 0;
  virtual void ReadWaiting(OpKernelContext* ctx, ReaderInterface* reader,
                           QueueInterface* queue) = 0;

  thread::ThreadPool* Threads() {
    mutex_lock lock(mu_);
    if (threads_ == nullptr) {
      threads_ = std::make_unique<thread::ThreadPool>(Env::Default(),
                                                      "reader_" + name(), 1);
    }
    return threads_.get();
  }

  mutex mu_;
  std::unique_ptr<thread::ThreadPool> threads_ TF_GUARDED_BY(mu_);
};

class ReaderReadOp final : public ReadingOp {
 public:
  using ReadingOp::ReadingOp;

 private:
  bool ReadNow(OpKernelContext* ctx, ReaderInterface* reader) override {
    tstring key, value;
    if (!reader->ReadWithoutWaiting(&key, &value, ctx)) return false;
    Write(ctx, &key, &value);
    return true;
  }
  void ReadWaiting(OpKernelContext* ctx, ReaderInterface* reader,
                   QueueInterface* queue) override {
    tstring key, value;
    reader->Read(queue, &key, &value, ctx);
    Write(ctx, &key, &value);
  }
  static void Write(OpKernelContext* ctx, tstring* key, tstring* value) {
    if (!ctx->status().ok()) return;
    Tensor *k = nullptr, *v = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &k));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape(), &v));
    k->scalar_value<std::string>() = std::move(*key);
    v->scalar_value<std::string>() = std::move(*value);
  }
};
REGISTER_KERNEL_BUILDER(Name("ReaderRead").Device(DEVICE_CPU), ReaderReadOp);
REGISTER_KERNEL_BUILDER(Name("ReaderReadV2").Device(DEVICE_CPU), ReaderReadOp);

class ReaderReadUpToOp final : public ReadingOp {
 public:
  using ReadingOp::ReadingOp;

 private:
  bool ReadNow(OpKernelContext*, ReaderInterface*) override { return false; }

  void ReadWaiting(OpKernelContext* ctx, ReaderInterface* reader,
                   QueueInterface* queue) override {
    const int64_t n = ctx->input(2).scalar_value<int64_t>();
    OP_REQUIRES(ctx, n > 0,
                errors::InvalidArgument(type_string(),
                                        ": num_records must be > 0, got ", n));
    std::vector<tstring> keys, values;
    const int64_t read = reader->ReadUpTo(n, queue, &keys, &values, ctx);
    if (!ctx->status().ok()) return;
    OP_REQUIRES(
        ctx,
        read == static_cast<int64_t>(keys.size()) &&
            keys.size() == values.size(),
        errors::Internal(type_string(), ": the reader says that it read ", read,
                         " records, and gives ", keys.size(), " keys and ",
                         values.size(), " values"));
    Tensor *k = nullptr, *v = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({read}), &k));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({read}), &v));
    std::move(keys.begin(), keys.end(), Flat<std::string>(k).begin());
    std::move(values.begin(), values.end(), Flat<std::string>(v).begin());
  }
};
REGISTER_KERNEL_BUILDER(Name("ReaderReadUpTo").Device(DEVICE_CPU),
                        ReaderReadUpToOp);
REGISTER_KERNEL_BUILDER(Name("ReaderReadUpToV2").Device(DEVICE_CPU),
                        ReaderReadUpToOp);

// ---- The others -------------------------------------------------------------

class ReaderOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) final {
    ReaderPtr reader;
    OP_REQUIRES_OK(ctx, Find(ctx, 0, &reader));
    Use(ctx, reader.get());
  }

 private:
  virtual void Use(OpKernelContext* ctx, ReaderInterface* reader) = 0;
};

class ReaderResetOp final : public ReaderOp {
 public:
  using ReaderOp::ReaderOp;

 private:
  void Use(OpKernelContext* ctx, ReaderInterface* reader) override {
    OP_REQUIRES_OK(ctx, reader->Reset());
  }
};
REGISTER_KERNEL_BUILDER(Name("ReaderReset").Device(DEVICE_CPU), ReaderResetOp);
REGISTER_KERNEL_BUILDER(Name("ReaderResetV2").Device(DEVICE_CPU),
                        ReaderResetOp);

template <int64_t (ReaderInterface::*kCount)()>
class ReaderCountOp final : public ReaderOp {
 public:
  using ReaderOp::ReaderOp;

 private:
  void Use(OpKernelContext* ctx, ReaderInterface* reader) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &output));
    output->scalar_value<int64_t>() = (reader->*kCount)();
  }
};
using NumRecordsOp = ReaderCountOp<&ReaderInterface::NumRecordsProduced>;
using NumWorkUnitsOp = ReaderCountOp<&ReaderInterface::NumWorkUnitsCompleted>;
REGISTER_KERNEL_BUILDER(Name("ReaderNumRecordsProduced").Device(DEVICE_CPU),
                        NumRecordsOp);
REGISTER_KERNEL_BUILDER(Name("ReaderNumRecordsProducedV2").Device(DEVICE_CPU),
                        NumRecordsOp);
REGISTER_KERNEL_BUILDER(Name("ReaderNumWorkUnitsCompleted").Device(DEVICE_CPU),
                        NumWorkUnitsOp);
REGISTER_KERNEL_BUILDER(
    Name("ReaderNumWorkUnitsCompletedV2").Device(DEVICE_CPU), NumWorkUnitsOp);

class ReaderSerializeStateOp final : public ReaderOp {
 public:
  using ReaderOp::ReaderOp;

 private:
  void Use(OpKernelContext* ctx, ReaderInterface* reader) override {
    tstring state;
    OP_REQUIRES_OK(ctx, reader->SerializeState(&state));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &output));
    output->scalar_value<std::string>() = std::move(state);
  }
};
REGISTER_KERNEL_BUILDER(Name("ReaderSerializeState").Device(DEVICE_CPU),
                        ReaderSerializeStateOp);
REGISTER_KERNEL_BUILDER(Name("ReaderSerializeStateV2").Device(DEVICE_CPU),
                        ReaderSerializeStateOp);

class ReaderRestoreStateOp final : public ReaderOp {
 public:
  using ReaderOp::ReaderOp;

 private:
  void Use(OpKernelContext* ctx, ReaderInterface* reader) override {
    OP_REQUIRES_OK(ctx, reader->RestoreState(tstring(
                            ctx->input(1).scalar_value<std::string>())));
  }
};
REGISTER_KERNEL_BUILDER(Name("ReaderRestoreState").Device(DEVICE_CPU),
                        ReaderRestoreStateOp);
REGISTER_KERNEL_BUILDER(Name("ReaderRestoreStateV2").Device(DEVICE_CPU),
                        ReaderRestoreStateOp);

}  // namespace
}  // namespace tensorwright
