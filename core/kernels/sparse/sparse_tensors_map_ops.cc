// SPDX-License-Identifier: Apache-2.0
// AddSparseToTensorsMap, AddManySparseToTensorsMap,
// TakeManySparseFromTensorsMap: they keep sparse tensors under numbers, which
// go through queues in their place.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/sparse/sparse_tensors_batch.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// Thread-safe.  Each number is given out once, from 0 on.
class SparseTensorsMap final : public ResourceBase {
 public:
  int64_t Add(SparseParts parts) {
    mutex_lock lock(mu_);
    const int64_t handle = next_++;
    map_.emplace(handle, std::move(parts));
    return handle;
  }

  // Takes all of them, in the order of the handles.  InvalidArgument, and
  // nothing is taken, if one is missing.
  Status Take(absl::Span<const int64_t> handles,
              std::vector<SparseParts>* parts) {
    mutex_lock lock(mu_);
    for (const int64_t handle : handles) {
      const auto it = map_.find(handle);
      if (it == map_.end()) {
        for (size_t i = 0; i < parts->size(); ++i) {
          map_.emplace(handles[i], std::move((*parts)[i]));
        }
        return errors::InvalidArgument("Unable to find SparseTensor: ", handle,
                                       " in map: ", map_.size(), " are there");
      }
      parts->push_back(std::move(it->second));
      map_.erase(it);
    }
    return OkStatus();
  }

  std::string DebugString() const override {
    mutex_lock lock(mu_);
    return absl::StrCat("SparseTensorsMap of ", map_.size());
  }

 private:
  mutable mutex mu_;
  int64_t next_ TF_GUARDED_BY(mu_) = 0;
  absl::flat_hash_map<int64_t, SparseParts> map_ TF_GUARDED_BY(mu_);
};

// A kernel with the map of the container and name in its attrs.  If an op that
// adds has no name in them, it uses its node's name.
class MapOp : public OpKernel {
 public:
  MapOp(OpKernelConstruction* ctx, bool adds) : OpKernel(ctx), adds_(adds) {}

 protected:
  ~MapOp() override = default;

  Status FindMap(OpKernelContext* ctx,
                 core::RefCountPtr<SparseTensorsMap>* map) {
    mutex_lock lock(mu_);
    if (!ready_) {
      TF_RETURN_IF_ERROR(
          container_.Init(ctx->resource_manager(), def(), adds_));
      ready_ = true;
    }
    SparseTensorsMap* found = nullptr;
    TF_RETURN_IF_ERROR(
        ctx->resource_manager()->LookupOrCreate<SparseTensorsMap>(
            container_.container(), container_.name(), &found,
            [](SparseTensorsMap** made) {
              *made = new SparseTensorsMap;
              return OkStatus();
            }));
    map->reset(found);
    return OkStatus();
  }

 private:
  const bool adds_;
  mutex mu_;
  bool ready_ TF_GUARDED_BY(mu_) = false;
  ContainerInfo container_ TF_GUARDED_BY(mu_);
};

class AddSparseToTensorsMapOp final : public MapOp {
 public:
  explicit AddSparseToTensorsMapOp(OpKernelConstruction* ctx)
      : MapOp(ctx, /*adds=*/true) {}

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    OP_REQUIRES_OK(ctx, in.Check());
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ShapeOf(in.sizes(), &shape));
    core::RefCountPtr<SparseTensorsMap> map;
    OP_REQUIRES_OK(ctx, FindMap(ctx, &map));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    // Copies the tensors, because fed memory belongs to the caller.
    *out->base<int64_t>() = map->Add(
        {in.indices.DeepCopy(), in.values.DeepCopy(), in.shape.DeepCopy()});
  }
};
REGISTER_KERNEL_BUILDER(Name("AddSparseToTensorsMap").Device(DEVICE_CPU),
                        AddSparseToTensorsMapOp);

class AddManySparseToTensorsMapOp final : public MapOp {
 public:
  explicit AddManySparseToTensorsMapOp(OpKernelConstruction* ctx)
      : MapOp(ctx, /*adds=*/true) {}

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    std::vector<SparseParts> rows;
    OP_REQUIRES_OK(ctx, CutIntoRows(in, &rows));
    core::RefCountPtr<SparseTensorsMap> map;
    OP_REQUIRES_OK(ctx, FindMap(ctx, &map));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(
                 0, TensorShape({static_cast<int64_t>(rows.size())}), &out));
    int64_t* handle = out->base<int64_t>();
    for (SparseParts& row : rows) *handle++ = map->Add(std::move(row));
  }
};
REGISTER_KERNEL_BUILDER(Name("AddManySparseToTensorsMap").Device(DEVICE_CPU),
                        AddManySparseToTensorsMapOp);

class TakeManySparseFromTensorsMapOp final : public MapOp {
 public:
  explicit TakeManySparseFromTensorsMapOp(OpKernelConstruction* ctx)
      : MapOp(ctx, /*adds=*/false) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& handles = ctx->input(0);
    OP_REQUIRES(ctx, handles.dims() == 1,
                errors::InvalidArgument(
                    "sparse_handles should be a vector but received shape ",
                    handles.shape().DebugString()));
    OP_REQUIRES(ctx, handles.NumElements() > 0,
                errors::InvalidArgument("Must have at least 1 serialized "
                                        "SparseTensor, but input has none"));
    core::RefCountPtr<SparseTensorsMap> map;
    OP_REQUIRES_OK(ctx, FindMap(ctx, &map));
    std::vector<SparseParts> parts;
    OP_REQUIRES_OK(ctx, map->Take(sparse::SizesOf(handles), &parts));
    for (const SparseParts& part : parts) {
      OP_REQUIRES(ctx, part.values.dtype() == dtype_,
                  errors::InvalidArgument("Requested SparseTensor of type ",
                                          DataTypeString(dtype_),
                                          " but one of the map has type ",
                                          DataTypeString(part.values.dtype())));
    }
    OP_REQUIRES_OK(ctx, JoinRows(ctx, parts, {handles.NumElements()}));
  }

 private:
  DataType dtype_ = DT_INVALID;
};
REGISTER_KERNEL_BUILDER(Name("TakeManySparseFromTensorsMap").Device(DEVICE_CPU),
                        TakeManySparseFromTensorsMapOp);

}  // namespace
}  // namespace tensorwright
