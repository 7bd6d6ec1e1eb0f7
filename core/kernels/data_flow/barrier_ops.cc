// SPDX-License-Identifier: Apache-2.0
// Barriers of tuples whose components come one by one, under a key; complete
// tuples are taken in the order of their first components.

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_op_kernel.h"
#include "core/kernels/data_flow/batch_rows.h"
#include "core/kernels/data_flow/queue_waiters.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

struct BarrierOptions {
  static Status FromNode(const NodeDef& node, BarrierOptions* options) {
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "component_types", &options->dtypes));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "shapes", &options->shapes));
    int64_t capacity = -1;
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "capacity", &capacity));
    if (capacity != -1) {
      return errors::InvalidArgument(
          "Barrier only accepts capacity=-1, got ", capacity,
          ".  Feed the inputs to your Barrier through a queue to enforce a "
          "limited capacity.");
    }
    if (options->shapes.size() != options->dtypes.size()) {
      return errors::InvalidArgument(
          "Barrier: there must be a shape for each of the ",
          options->dtypes.size(), " component types, got ",
          options->shapes.size());
    }
    return OkStatus();
  }

  std::string name;
  DataTypeVector dtypes;
  std::vector<PartialTensorShape> shapes;
};

class Barrier final : public WaitersResource {
 public:
  explicit Barrier(BarrierOptions options) : options_(std::move(options)) {}

  const DataTypeVector& dtypes() const { return options_.dtypes; }

  Status Matches(const BarrierOptions& asked) const {
    bool same = asked.dtypes == options_.dtypes;
    for (size_t i = 0; same && i < asked.shapes.size(); ++i) {
      same = asked.shapes[i].IsIdenticalTo(options_.shapes[i]);
    }
    if (same) return OkStatus();
    return errors::InvalidArgument(
        "Shared barrier '", options_.name, "' has component types ",
        DataTypeSliceString(options_.dtypes),
        " but requested component types were ",
        DataTypeSliceString(asked.dtypes), ", or other component shapes");
  }

  // InvalidArgument unless the values can be component `index` of that many
  // tuples.
  Status CheckComponent(int64_t index, const Tensor& keys,
                        const Tensor& values) const {
    if (index < 0 || index >= static_cast<int64_t>(options_.dtypes.size())) {
      return errors::InvalidArgument(
          "BarrierInsertMany: The component ID is out of range: "
          "component_index is ",
          index, ", of a barrier with ", options_.dtypes.size(), " components");
    }
    if (values.dtype() != options_.dtypes[index]) {
      return errors::InvalidArgument("Barrier: component ", index, " must be ",
                                     DataTypeString(options_.dtypes[index]),
                                     ", got ", DataTypeString(values.dtype()));
    }
    if (keys.dims() != 1 || values.dims() < 1 ||
        values.dim_size(0) != keys.dim_size(0)) {
      return errors::InvalidArgument(
          "Barrier: keys must be a vector and values have as many rows, got "
          "shapes ",
          keys.shape().DebugString(), " and ", values.shape().DebugString());
    }
    if (!options_.shapes[index].IsCompatibleWith(RowShape(values.shape()))) {
      return errors::InvalidArgument("Shape mismatch in tuple component ",
                                     index, ". Expected ",
                                     PartialTensorShape({keys.dim_size(0)})
                                         .Concatenate(options_.shapes[index])
                                         .DebugString(),
                                     ", got ", values.shape().DebugString());
    }
    return OkStatus();
  }

  // ---- Attempts, under mu_; false means "not now".

  // Inserts all rows, or returns an error: rows before the wrong one stay.
  bool Insert(OpKernelContext* ctx, int64_t index, const Tensor& keys,
              const Tensor& values) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    bool any_new = false;
    for (int64_t i = 0; i < keys.NumElements(); ++i) {
      const Status s =
          InsertOne(keys.base<std::string>()[i], index, values, i, &any_new);
      if (s.ok()) continue;
      ctx->SetStatus(s);
      break;
    }
    if (any_new) ++order_;
    return true;
  }

  bool Take(OpKernelContext* ctx, int64_t n, bool allow_small_batch,
            bool wait_for_incomplete) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const int64_t ready = static_cast<int64_t>(ready_.size());
    if (ready < n) {
      const int64_t more = static_cast<int64_t>(incomplete_.size());
      if (!closed_) return false;
      // Incomplete elements may still become complete.
      if (!allow_small_batch && ready + more >= n) return false;
      if (allow_small_batch && wait_for_incomplete && more > 0) return false;
      if (!allow_small_batch || ready == 0) {
        ctx->SetStatus(errors::OutOfRange(
            "Barrier '", options_.name,
            "' is closed and has insufficient elements (requested ", n,
            ", total size ", allow_small_batch ? ready : ready + more, ")"));
        return true;
      }
      n = ready;
    }
    ctx->SetStatus(Give(ctx, n));
    return true;
  }

  bool Close(OpKernelContext* ctx, bool cancel)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (closed_ && (cancelled_ || !cancel)) {
      ctx->SetStatus(errors::Cancelled("Barrier '", options_.name,
                                       "' is already closed."));
      return true;
    }
    closed_ = true;
    cancelled_ |= cancel;
    if (cancelled_) incomplete_.clear();
    return true;
  }

  int32_t ready_size() const {
    tf_shared_lock lock(mu_);
    return static_cast<int32_t>(ready_.size());
  }
  int32_t incomplete_size() const {
    tf_shared_lock lock(mu_);
    return static_cast<int32_t>(incomplete_.size());
  }
  std::string DebugString() override {
    return absl::StrCat("Barrier '", options_.name, "' of ", ready_size());
  }

 private:
  struct Element {
    std::string key;
    int64_t order = 0;  // The order of the insertion that began it.
    size_t missing = 0;
    std::vector<std::optional<Tensor>> components;
  };

  Status InsertOne(const std::string& key, int64_t index, const Tensor& values,
                   int64_t row, bool* any_new)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    auto it = incomplete_.find(key);
    if (it == incomplete_.end()) {
      if (closed_) {
        return errors::Cancelled(
            "Barrier ", options_.name,
            " is closed, but attempted to insert a brand new key: ", key,
            ".  Pending inserts cancelled: ", cancelled_ ? "true" : "false",
            ".  Number of incomplete keys: ", incomplete_.size());
      }
      it = incomplete_.try_emplace(key).first;
      it->second.key = key;
      it->second.order = order_;
      *any_new = true;
      it->second.missing = options_.dtypes.size();
      it->second.components.resize(options_.dtypes.size());
    }
    Element& element = it->second;
    if (element.components[index].has_value()) {
      return errors::InvalidArgument("Key ", key,
                                     " already has a value for component ",
                                     index, " in barrier ", options_.name);
    }
    Tensor component;
    TF_RETURN_IF_ERROR(CopyRow(values, row, &component));
    element.components[index] = std::move(component);
    if (--element.missing == 0) {
      const std::pair<int64_t, int64_t> place(element.order, arrivals_++);
      ready_[place] = std::move(element);
      incomplete_.erase(it);
    }
    return OkStatus();
  }

  // Gives the first n elements that are ready.
  Status Give(OpKernelContext* ctx, int64_t n)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    Tensor *orders, *keys;
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, TensorShape({n}), &orders));
    TF_RETURN_IF_ERROR(ctx->allocate_output(1, TensorShape({n}), &keys));
    for (size_t c = 0; c < options_.dtypes.size(); ++c) {
      std::vector<const Tensor*> rows;
      auto it = ready_.begin();
      for (int64_t i = 0; i < n; ++i, ++it) {
        rows.push_back(&*it->second.components[c]);
      }
      TensorShape shape;
      if (!rows.empty()) {
        shape = rows[0]->shape();
      } else if (!options_.shapes[c].AsTensorShape(&shape)) {
        shape = TensorShape();
      }
      for (const Tensor* row : rows) {
        if (row->shape() == shape) continue;
        return errors::InvalidArgument(
            "Barrier '", options_.name, "': components ", c,
            " that are taken together must have one shape, got ",
            shape.DebugString(), " and ", row->shape().DebugString());
      }
      Tensor batch;
      TF_RETURN_IF_ERROR(StackRows(options_.dtypes[c], shape, rows, &batch));
      ctx->set_output(static_cast<int>(c) + 2, std::move(batch));
    }
    for (int64_t i = 0; i < n; ++i) {
      const auto first = ready_.begin();
      orders->base<int64_t>()[i] = first->first.first;
      keys->base<std::string>()[i] = std::move(first->second.key);
      ready_.erase(first);
    }
    return OkStatus();
  }

  const BarrierOptions options_;
  bool closed_ TF_GUARDED_BY(mu_) = false;
  bool cancelled_ TF_GUARDED_BY(mu_) = false;
  // The order of the next insertion of many; TensorFlow's first is the smallest
  // number.
  int64_t order_ TF_GUARDED_BY(mu_) = std::numeric_limits<int64_t>::min();
  int64_t arrivals_ TF_GUARDED_BY(mu_) = 0;
  absl::flat_hash_map<std::string, Element> incomplete_ TF_GUARDED_BY(mu_);
  // By the insertion in which they began; within one, by when they were
  // complete.
  std::map<std::pair<int64_t, int64_t>, Element> ready_ TF_GUARDED_BY(mu_);
};

using BarrierPtr = core::RefCountPtr<Barrier>;

Status FindBarrier(OpKernelContext* ctx, BarrierPtr* barrier) {
  ResourceHandle handle;
  TF_RETURN_IF_ERROR(HandleFromInput(ctx, 0, &handle));
  return LookupResource(ctx, handle, barrier);
}

class BarrierOp final : public ResourceOpKernel<Barrier> {
 public:
  explicit BarrierOp(OpKernelConstruction* ctx) : ResourceOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, BarrierOptions::FromNode(def(), &options_));
  }

 private:
  Status CreateResource(Barrier** barrier) override
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    BarrierOptions options = options_;
    options.name = cinfo_.name();
    *barrier = new Barrier(std::move(options));
    return OkStatus();
  }
  Status VerifyResource(Barrier* barrier) override {
    return barrier->Matches(options_);
  }

  BarrierOptions options_;
};
REGISTER_KERNEL_BUILDER(Name("Barrier").Device(DEVICE_CPU), BarrierOp);

// Ops that change a barrier: `Attempt` makes the attempt of a call.
class BarrierUserOp : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) final {
    BarrierPtr barrier;
    OP_REQUIRES_OK_ASYNC(ctx, FindBarrier(ctx, &barrier), done);
    Barrier* const b = barrier.get();
    WaitersResource::Attempt attempt;
    OP_REQUIRES_OK_ASYNC(ctx, MakeAttempt(b, ctx, &attempt), done);
    b->TryUntilDone(
        ctx, std::move(attempt),
        [barrier = std::move(barrier), done = std::move(done)] { done(); });
  }

 private:
  virtual Status MakeAttempt(Barrier* barrier, OpKernelContext* ctx,
                             WaitersResource::Attempt* attempt) = 0;
};

class BarrierInsertManyOp final : public BarrierUserOp {
 public:
  explicit BarrierInsertManyOp(OpKernelConstruction* ctx) : BarrierUserOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("component_index", &index_));
  }

 private:
  Status MakeAttempt(Barrier* barrier, OpKernelContext* ctx,
                     WaitersResource::Attempt* attempt) override {
    TF_RETURN_IF_ERROR(
        barrier->CheckComponent(index_, ctx->input(1), ctx->input(2)));
    *attempt = [=, this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return barrier->Insert(ctx, index_, ctx->input(1), ctx->input(2));
    };
    return OkStatus();
  }

  int64_t index_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("BarrierInsertMany").Device(DEVICE_CPU),
                        BarrierInsertManyOp);

class BarrierTakeManyOp final : public BarrierUserOp {
 public:
  explicit BarrierTakeManyOp(OpKernelConstruction* ctx) : BarrierUserOp(ctx) {
    int64_t timeout_ms = -1;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("timeout_ms", &timeout_ms));
    OP_REQUIRES(ctx, timeout_ms == -1,
                errors::InvalidArgument(
                    type_string(), ": Timeout not supported yet; timeout_ms ",
                    "must be -1, got ", timeout_ms));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("allow_small_batch", &small_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("wait_for_incomplete", &waits_));
  }

 private:
  Status MakeAttempt(Barrier* barrier, OpKernelContext* ctx,
                     WaitersResource::Attempt* attempt) override {
    DataTypeVector expected = {DT_INT64, DT_STRING};
    for (const DataType t : barrier->dtypes()) expected.push_back(t);
    TF_RETURN_IF_ERROR(
        ctx->MatchSignature({DT_STRING_REF, DT_INT32}, expected));
    const Tensor& count = ctx->input(1);
    if (count.NumElements() != 1 || *count.base<int32_t>() < 0) {
      return errors::InvalidArgument(
          type_string(), ": num_elements must be a scalar >= 0, got ",
          count.SummarizeValue(3));
    }
    const int64_t n = *count.base<int32_t>();
    *attempt = [=, this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return barrier->Take(ctx, n, small_, waits_);
    };
    return OkStatus();
  }

  bool small_ = false;
  bool waits_ = false;
};
REGISTER_KERNEL_BUILDER(Name("BarrierTakeMany").Device(DEVICE_CPU),
                        BarrierTakeManyOp);

class BarrierCloseOp final : public BarrierUserOp {
 public:
  explicit BarrierCloseOp(OpKernelConstruction* ctx) : BarrierUserOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("cancel_pending_enqueues", &cancel_));
  }

 private:
  Status MakeAttempt(Barrier* barrier, OpKernelContext* ctx,
                     WaitersResource::Attempt* attempt) override {
    *attempt = [=, this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return barrier->Close(ctx, cancel_);
    };
    return OkStatus();
  }

  bool cancel_ = false;
};
REGISTER_KERNEL_BUILDER(Name("BarrierClose").Device(DEVICE_CPU),
                        BarrierCloseOp);

template <bool incomplete>
class BarrierSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    BarrierPtr barrier;
    OP_REQUIRES_OK(ctx, FindBarrier(ctx, &barrier));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &size));
    *size->base<int32_t>() =
        incomplete ? barrier->incomplete_size() : barrier->ready_size();
  }
};
REGISTER_KERNEL_BUILDER(Name("BarrierReadySize").Device(DEVICE_CPU),
                        BarrierSizeOp<false>);
REGISTER_KERNEL_BUILDER(Name("BarrierIncompleteSize").Device(DEVICE_CPU),
                        BarrierSizeOp<true>);

}  // namespace
}  // namespace tensorwright
