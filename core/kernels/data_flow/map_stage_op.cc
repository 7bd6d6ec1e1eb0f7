// SPDX-License-Identifier: Apache-2.0
// MapStage, MapUnstage and their kin: tuples that come and go by key, whole or
// component by component; and OrderedMapStage, which knows the smallest key.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/data_flow/batch_rows.h"
#include "core/kernels/data_flow/queue_waiters.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// InvalidArgument unless the indices are ascending positions of n components.
Status CheckIndices(const std::vector<int32_t>& indices, int64_t n) {
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= n) {
      return errors::InvalidArgument(
          "Index '", indices[i], "' of indices was out of bounds '", n, "'.");
    }
    if (i > 0 && indices[i] <= indices[i - 1]) {
      return errors::InvalidArgument("Indices are not strictly ordered");
    }
  }
  return OkStatus();
}

// A component that has not come yet, or has been taken, is missing.
using Components = std::vector<std::optional<Tensor>>;
using Indices = std::vector<int32_t>;

struct MapOptions {
  static Status FromNode(const NodeDef& node, MapOptions* options) {
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "capacity", &options->capacity));
    return GetNodeAttr(node, "memory_limit", &options->memory_limit);
  }

  int64_t capacity = 0;  // 0: no limit; the same for memory_limit.
  int64_t memory_limit = 0;
};

template <bool ordered>
class StagingMap final : public WaitersResource {
 public:
  explicit StagingMap(MapOptions options) : options_(std::move(options)) {}

  // An op that puts something in tells the dtypes of a whole tuple; an op that
  // takes something out knows only its own components.  InvalidArgument if the
  // map has other dtypes.
  Status SetDtypes(const DataTypeVector& dtypes) {
    mutex_lock lock(mu_);
    if (dtypes_ == dtypes) return OkStatus();
    if (!dtypes_.empty()) {
      return errors::InvalidArgument("dtypes must be those of the map, ",
                                     DataTypeSliceString(dtypes_), ", got ",
                                     DataTypeSliceString(dtypes));
    }
    dtypes_ = dtypes;
    return OkStatus();
  }

  Status CheckSize(int64_t bytes) const {
    if (options_.memory_limit == 0 || bytes <= options_.memory_limit) {
      return OkStatus();
    }
    return errors::ResourceExhausted(
        "Attempted to insert tensors with combined size of '", bytes,
        "' bytes into Staging Area with a memory limit of '",
        options_.memory_limit, "'.");
  }

  // ---- Attempts, under mu_; false means "not now".

  bool Put(OpKernelContext* ctx, int64_t key, const Indices& indices,
           std::vector<Tensor>* values, int64_t bytes)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (options_.memory_limit > 0 && bytes_ + bytes > options_.memory_limit) {
      return false;
    }
    const bool completes = MissingAfter(key, indices) == 0;
    if (completes && options_.capacity > 0 &&
        static_cast<int64_t>(complete_.size()) >= options_.capacity) {
      return false;
    }
    Components& tuple = incomplete_[key];
    tuple.resize(dtypes_.size());
    for (const int32_t i : indices) {
      if (!tuple[i].has_value()) continue;
      ctx->SetStatus(errors::InvalidArgument("The tensor for index '", i,
                                             "' for key '", key,
                                             "' was already initialized"));
      return true;
    }
    for (size_t i = 0; i < indices.size(); ++i) {
      tuple[indices[i]] = std::move((*values)[i]);
    }
    bytes_ += bytes;
    if (!completes) return true;
    // An old tuple with the key is replaced.
    if (const auto old = complete_.find(key); old != complete_.end()) {
      bytes_ -= BytesOf(old->second);
    }
    complete_[key] = std::move(tuple);
    incomplete_.erase(key);
    return true;
  }

  bool Get(OpKernelContext* ctx, int64_t key, const Indices& indices,
           bool removes, std::vector<Tensor>* values)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const auto it = complete_.find(key);
    if (it == complete_.end()) return false;
    const Status fits =
        CheckIndices(indices, static_cast<int64_t>(it->second.size()));
    if (!fits.ok()) {
      ctx->SetStatus(fits);
      return true;
    }
    for (const int32_t i : indices) {
      if (it->second[i].has_value()) continue;
      ctx->SetStatus(errors::InvalidArgument("Tensor at index '", i,
                                             "' for key '", key,
                                             "' has already been removed."));
      return true;
    }
    for (const int32_t i : indices) {
      values->push_back(*it->second[i]);
      if (!removes) continue;
      bytes_ -= static_cast<int64_t>(values->back().TotalBytes());
      it->second[i].reset();
    }
    if (removes && CountOf(it->second) == 0) complete_.erase(it);
    return true;
  }

  bool GetAny(OpKernelContext* ctx, const Indices& indices, int64_t* key,
              std::vector<Tensor>* values) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (complete_.empty()) return false;
    *key = complete_.begin()->first;
    return Get(ctx, *key, indices, /*removes=*/true, values);
  }

  bool Clear() TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    complete_.clear();
    incomplete_.clear();
    bytes_ = 0;
    return true;
  }

  int64_t size() const {
    tf_shared_lock lock(mu_);
    return static_cast<int64_t>(complete_.size());
  }
  int64_t incomplete_size() const {
    tf_shared_lock lock(mu_);
    return static_cast<int64_t>(incomplete_.size());
  }
  std::string DebugString() override {
    return absl::StrCat("a staging map of ", size());
  }

 private:
  // The number of components that a tuple still lacks after it gets these.
  int64_t MissingAfter(int64_t key, const Indices& indices) const
      TF_SHARED_LOCKS_REQUIRED(mu_) {
    int64_t there = static_cast<int64_t>(indices.size());
    if (const auto it = incomplete_.find(key); it != incomplete_.end()) {
      there += CountOf(it->second);
    }
    return static_cast<int64_t>(dtypes_.size()) - there;
  }

  // The number of tensors that have come.
  static int64_t CountOf(const Components& tuple) {
    int64_t n = 0;
    for (const auto& t : tuple) n += t.has_value() ? 1 : 0;
    return n;
  }
  static int64_t BytesOf(const Components& tuple) {
    int64_t bytes = 0;
    for (const auto& t : tuple) {
      if (t.has_value()) bytes += static_cast<int64_t>(t->TotalBytes());
    }
    return bytes;
  }

  template <typename V>
  using Map = std::conditional_t<ordered, std::map<int64_t, V>,
                                 std::unordered_map<int64_t, V>>;

  const MapOptions options_;
  DataTypeVector dtypes_ TF_GUARDED_BY(mu_);
  int64_t bytes_ TF_GUARDED_BY(mu_) = 0;
  Map<Components> complete_ TF_GUARDED_BY(mu_);
  Map<Components> incomplete_ TF_GUARDED_BY(mu_);
};

// The map of the kernel's container and shared name; makes it if it does not
// exist.
template <typename Map>
Status FindMap(OpKernelContext* ctx, core::RefCountPtr<Map>* map) {
  const NodeDef& node = ctx->op_kernel().def();
  ContainerInfo info;
  TF_RETURN_IF_ERROR(info.Init(ctx->resource_manager(), node,
                               /*use_node_name_as_default=*/true));
  Map* found = nullptr;
  TF_RETURN_IF_ERROR(info.resource_manager()->template LookupOrCreate<Map>(
      info.container(), info.name(), &found, [&node](Map** made) {
        MapOptions options;
        TF_RETURN_IF_ERROR(MapOptions::FromNode(node, &options));
        *made = new Map(std::move(options));
        return OkStatus();
      }));
  map->reset(found);
  return OkStatus();
}

Status ReadKey(const Tensor& key, int64_t* value) {
  if (key.NumElements() != 1) {
    return errors::InvalidArgument("key must be an int64 scalar, got shape ",
                                   key.shape().DebugString());
  }
  *value = *key.base<int64_t>();
  return OkStatus();
}

template <bool ordered>
class MapStageOp final : public AsyncOpKernel {
 public:
  using Map = StagingMap<ordered>;

  explicit MapStageOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtypes", &dtypes_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    core::RefCountPtr<Map> map;
    OP_REQUIRES_OK_ASYNC(ctx, FindMap(ctx, &map), done);
    int64_t key = 0;
    OP_REQUIRES_OK_ASYNC(ctx, ReadKey(ctx->input(0), &key), done);
    const absl::Span<const int32_t> given = Flat<int32_t>(ctx->input(1));
    const Indices indices(given.begin(), given.end());
    OP_REQUIRES_OK_ASYNC(ctx, map->SetDtypes(dtypes_), done);
    OP_REQUIRES_OK_ASYNC(
        ctx, CheckIndices(indices, static_cast<int64_t>(dtypes_.size())), done);
    const size_t n = ctx->num_inputs() - 2;
    OP_REQUIRES_ASYNC(ctx, indices.size() == n,
                      errors::InvalidArgument(type_string(),
                                              ": there must be as many "
                                              "indices as values, got ",
                                              indices.size(), " and ", n),
                      done);
    auto values = std::make_shared<std::vector<Tensor>>(n);
    int64_t bytes = 0;
    for (size_t i = 0; i < n; ++i) {
      const Tensor& value = ctx->input(static_cast<int>(i) + 2);
      const DataType wanted = dtypes_[indices[i]];
      OP_REQUIRES_ASYNC(
          ctx, value.dtype() == wanted,
          errors::InvalidArgument(type_string(), ": component ", indices[i],
                                  " must be ", DataTypeString(wanted), ", got ",
                                  DataTypeString(value.dtype())),
          done);
      OP_REQUIRES_OK_ASYNC(ctx, OwnTensor(value, &(*values)[i]), done);
      bytes += static_cast<int64_t>(value.TotalBytes());
    }
    OP_REQUIRES_OK_ASYNC(ctx, map->CheckSize(bytes), done);
    Map* const m = map.get();
    m->TryUntilDone(
        ctx,
        [=]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
          return m->Put(ctx, key, indices, values.get(), bytes);
        },
        [map = std::move(map), done = std::move(done)] { done(); });
  }

 private:
  DataTypeVector dtypes_;
};

// Which tuple is chosen, and whether it stays.
enum class MapTake { kPeek, kUnstage, kUnstageAny };

template <bool ordered, MapTake take>
class MapUnstageOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  using Map = StagingMap<ordered>;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    core::RefCountPtr<Map> map;
    OP_REQUIRES_OK_ASYNC(ctx, FindMap(ctx, &map), done);
    auto result = std::make_shared<Result>();
    constexpr bool any = take == MapTake::kUnstageAny;
    if (!any) {
      OP_REQUIRES_OK_ASYNC(ctx, ReadKey(ctx->input(0), &result->key), done);
    }
    const absl::Span<const int32_t> given =
        Flat<int32_t>(ctx->input(any ? 0 : 1));
    const Indices indices(given.begin(), given.end());
    Map* const m = map.get();
    m->TryUntilDone(
        ctx,
        [=]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
          if (any)
            return m->GetAny(ctx, indices, &result->key, &result->values);
          return m->Get(ctx, result->key, indices, take == MapTake::kUnstage,
                        &result->values);
        },
        [ctx, result, map = std::move(map), done = std::move(done)] {
          if (ctx->status().ok()) ctx->SetStatus(SetOutputs(ctx, *result));
          done();
        });
  }

 private:
  struct Result {
    int64_t key = 0;
    std::vector<Tensor> values;
  };
  static constexpr int kFirst = take == MapTake::kUnstageAny ? 1 : 0;

  static Status SetOutputs(OpKernelContext* ctx, const Result& result) {
    const std::vector<Tensor>& values = result.values;
    bool fits = static_cast<int>(values.size()) == ctx->num_outputs() - kFirst;
    DataTypeVector types;
    for (const Tensor& value : values) {
      const int i = static_cast<int>(types.size()) + kFirst;
      fits = fits && value.dtype() == ctx->expected_output_dtype(i);
      types.push_back(value.dtype());
    }
    if (!fits) {
      return errors::InvalidArgument(
          ctx->op_kernel().type_string(),
          ": dtypes must be those of the components that indices name, ",
          DataTypeSliceString(types));
    }
    if (kFirst == 1) ctx->set_output(0, Tensor(result.key));
    for (size_t i = 0; i < values.size(); ++i) {
      ctx->set_output(static_cast<int>(i) + kFirst, values[i]);
    }
    return OkStatus();
  }
};

template <bool ordered, bool incomplete>
class MapSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<StagingMap<ordered>> map;
    OP_REQUIRES_OK(ctx, FindMap(ctx, &map));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &size));
    *size->base<int32_t>() =
        static_cast<int32_t>(incomplete ? map->incomplete_size() : map->size());
  }
};

template <bool ordered>
class MapClearOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    core::RefCountPtr<StagingMap<ordered>> map;
    OP_REQUIRES_OK_ASYNC(ctx, FindMap(ctx, &map), done);
    StagingMap<ordered>* const m = map.get();
    // Ops that wait for room may go on then.
    m->TryUntilDone(
        ctx, [m]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return m->Clear(); },
        [map = std::move(map), done = std::move(done)] { done(); });
  }
};

REGISTER_KERNEL_BUILDER(Name("MapStage").Device(DEVICE_CPU), MapStageOp<false>);
REGISTER_KERNEL_BUILDER(Name("OrderedMapStage").Device(DEVICE_CPU),
                        MapStageOp<true>);
REGISTER_KERNEL_BUILDER(Name("MapPeek").Device(DEVICE_CPU),
                        MapUnstageOp<false, MapTake::kPeek>);
REGISTER_KERNEL_BUILDER(Name("OrderedMapPeek").Device(DEVICE_CPU),
                        MapUnstageOp<true, MapTake::kPeek>);
REGISTER_KERNEL_BUILDER(Name("MapUnstage").Device(DEVICE_CPU),
                        MapUnstageOp<false, MapTake::kUnstage>);
REGISTER_KERNEL_BUILDER(Name("OrderedMapUnstage").Device(DEVICE_CPU),
                        MapUnstageOp<true, MapTake::kUnstage>);
REGISTER_KERNEL_BUILDER(Name("MapUnstageNoKey").Device(DEVICE_CPU),
                        MapUnstageOp<false, MapTake::kUnstageAny>);
REGISTER_KERNEL_BUILDER(Name("OrderedMapUnstageNoKey").Device(DEVICE_CPU),
                        MapUnstageOp<true, MapTake::kUnstageAny>);
REGISTER_KERNEL_BUILDER(Name("MapSize").Device(DEVICE_CPU),
                        MapSizeOp<false, false>);
REGISTER_KERNEL_BUILDER(Name("OrderedMapSize").Device(DEVICE_CPU),
                        MapSizeOp<true, false>);
REGISTER_KERNEL_BUILDER(Name("MapIncompleteSize").Device(DEVICE_CPU),
                        MapSizeOp<false, true>);
REGISTER_KERNEL_BUILDER(Name("OrderedMapIncompleteSize").Device(DEVICE_CPU),
                        MapSizeOp<true, true>);
REGISTER_KERNEL_BUILDER(Name("MapClear").Device(DEVICE_CPU), MapClearOp<false>);
REGISTER_KERNEL_BUILDER(Name("OrderedMapClear").Device(DEVICE_CPU),
                        MapClearOp<true>);

}  // namespace
}  // namespace tensorwright
