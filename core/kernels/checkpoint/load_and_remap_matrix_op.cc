// SPDX-License-Identifier: Apache-2.0
// LoadAndRemapMatrix: rows and columns of a checkpoint's matrix, in another
// order, with new ones in between.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_slice.h"
#include "core/lib/core/errors.h"
#include "core/util/overflow.h"
#include "core/util/tensor_bundle.h"
#include "core/util/tensor_slice_table.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

constexpr char kOp[] = "LoadAndRemapMatrix: ";

// A float matrix of a checkpoint of either format.
class SavedMatrix {
 public:
  Status Open(Env* env, const std::string& path, const std::string& name) {
    name_ = name;
    DataType dtype = DT_INVALID;
    TensorShape shape;
    if (errors::IsNotFound(env->FileExists(MetaFilename(path)))) {
      const Status opened =
          checkpoint::TensorSliceReader::Open(env, path, &tables_);
      if (errors::IsNotFound(opened)) {
        return errors::NotFound(kOp, "no checkpoint is at ", path);
      }
      TF_RETURN_IF_ERROR(opened);
      const auto* found = tables_->Find(name);
      if (found == nullptr) {
        return errors::NotFound(kOp, "there is no tensor '", name, "' in ",
                                path);
      }
      dtype = found->dtype;
      shape = found->shape;
    } else {
      TF_RETURN_IF_ERROR(BundleReader::Open(env, path, &bundle_));
      TF_RETURN_IF_ERROR(bundle_->LookupDtypeAndShape(name, &dtype, &shape));
    }
    if (dtype != DT_FLOAT || shape.dims() != 2) {
      return errors::InvalidArgument(kOp, "tensor '", name, "' of ", path,
                                     " must be a matrix of float, it is ",
                                     DataTypeString(dtype), " of shape ",
                                     shape.DebugString());
    }
    rows_ = shape.dim_size(0);
    cols_ = shape.dim_size(1);
    return OkStatus();
  }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  const std::string& name() const { return name_; }

  // Sets *out to rows [first, first + count).  A part that was stored as a
  // whole is read as a whole, for its checksum, but only these rows stay in
  // memory.
  Status ReadRows(OpKernelContext* ctx, int64_t first, int64_t count,
                  Tensor* out) {
    const auto allocate = [ctx](const TensorShape& shape, Tensor* t) {
      return ctx->allocate_temp(DT_FLOAT, shape, t);
    };
    if (tables_ != nullptr) {
      return tables_->Read(
          name_, absl::StrCat(rows_, " ", cols_, " ", first, ",", count, ":-"),
          DT_FLOAT, allocate, out);
    }
    TensorSlice slice({{first, count}, {0, TensorSlice::kFullExtent}});
    TensorRead read;
    TF_RETURN_IF_ERROR(bundle_->Plan(name_, &slice, &read));
    TF_RETURN_IF_ERROR(allocate(read.shape, out));
    const auto* threads = ctx->device()->tensorflow_cpu_worker_threads();
    return bundle_->Read(read, out,
                         threads != nullptr ? threads->workers : nullptr);
  }

 private:
  std::string name_;
  std::unique_ptr<BundleReader> bundle_;  // Or:
  std::unique_ptr<checkpoint::TensorSliceReader> tables_;
  int64_t rows_ = 0, cols_ = 0;
};

// A position that takes an old one: the old index and the new one.
struct Move {
  int64_t from, to;
};

// The moves in a remapping; -1, or less, means that there is none.  An index
// that comes twice is an error even if the matrix lacks it.
Status MovesOf(const char* what, const Tensor& remapping, int64_t old_size,
               std::vector<Move>* moves) {
  absl::flat_hash_map<int64_t, int64_t> seen;
  const auto old = Flat<int64_t>(remapping);
  for (int64_t i = 0; i < static_cast<int64_t>(old.size()); ++i) {
    if (old[i] < 0) continue;
    const auto [at, is_new] = seen.try_emplace(old[i], i);
    if (!is_new) {
      return errors::Unimplemented(kOp, what, "_remapping has ", old[i], " at ",
                                   at->second, " and at ", i,
                                   "; once is supported");
    }
    moves->push_back({old[i], i});
  }
  for (const Move& move : *moves) {
    if (move.from < old_size) continue;
    return errors::InvalidArgument(kOp, what, "_remapping[", move.to, "] is ",
                                   move.from, ", the saved matrix has ",
                                   old_size, " ", what, "s");
  }
  return OkStatus();
}

class LoadAndRemapMatrixOp final : public OpKernel {
 public:
  explicit LoadAndRemapMatrixOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_rows", &num_rows_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_cols", &num_cols_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("max_rows_in_memory", &max_rows_));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(ctx, ctx->input(0).NumElements() == 1,
                errors::InvalidArgument(
                    kOp, "ckpt_path must have one element, got shape ",
                    ctx->input(0).shape().DebugString()));
    SavedMatrix saved;
    OP_REQUIRES_OK(
        ctx, saved.Open(ctx->env(), ctx->input(0).scalar_value<std::string>(),
                        ctx->input(1).scalar_value<std::string>()));
    std::vector<Move> rows, cols;
    OP_REQUIRES_OK(ctx, Moves(ctx, saved, &rows, &cols));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(
                            0, TensorShape({num_rows_, num_cols_}), &out));
    FillNew(ctx->input(4), rows, cols, out->base<float>());
    std::sort(rows.begin(), rows.end(),
              [](const Move& a, const Move& b) { return a.from < b.from; });
    if (!cols.empty()) OP_REQUIRES_OK(ctx, Load(ctx, &saved, rows, cols, out));
  }

 private:
  // The moves of rows and of columns, in the order of the output; checks that
  // there is a value for each cell.
  Status Moves(OpKernelContext* ctx, const SavedMatrix& saved,
               std::vector<Move>* rows, std::vector<Move>* cols) const {
    const int64_t given_rows = ctx->input(2).NumElements();
    const int64_t given_cols = ctx->input(3).NumElements();
    if (given_rows != num_rows_) {
      return errors::InvalidArgument(kOp, "row_remapping must have num_rows = ",
                                     num_rows_, " elements, got ", given_rows);
    }
    TF_RETURN_IF_ERROR(MovesOf("row", ctx->input(2), saved.rows(), rows));
    if (given_cols > 0) {
      if (given_cols != num_cols_) {
        return errors::InvalidArgument(
            kOp, "col_remapping must have num_cols = ", num_cols_,
            " elements, or none, got ", given_cols);
      }
      TF_RETURN_IF_ERROR(MovesOf("col", ctx->input(3), saved.cols(), cols));
    } else {
      if (saved.cols() != num_cols_) {
        return errors::InvalidArgument(
            kOp, "without col_remapping num_cols must be that of tensor '",
            saved.name(), "', ", saved.cols(), ", got ", num_cols_);
      }
      for (int64_t i = 0; i < num_cols_; ++i) cols->push_back({i, i});
    }
    const int64_t cells = MultiplyWithoutOverflow(num_rows_, num_cols_);
    const int64_t missing = cells - static_cast<int64_t>(rows->size()) *
                                        static_cast<int64_t>(cols->size());
    if (cells < 0 || ctx->input(4).NumElements() != missing) {
      return errors::InvalidArgument(
          kOp, "initializing_values must have one value for each of the ",
          missing, " cells that are not loaded, got ",
          ctx->input(4).NumElements());
    }
    return OkStatus();
  }

  // Cells of new rows and new columns take the values in order.
  void FillNew(const Tensor& values, const std::vector<Move>& rows,
               const std::vector<Move>& cols, float* out) const {
    const float* next = values.base<float>();
    std::vector<char> is_loaded(num_cols_, 0);
    for (const Move& col : cols) is_loaded[col.to] = 1;
    auto row = rows.begin();
    for (int64_t r = 0; r < num_rows_; ++r, out += num_cols_) {
      if (row == rows.end() || row->to != r) {
        std::copy_n(next, num_cols_, out);
        next += num_cols_;
        continue;
      }
      ++row;
      if (static_cast<int64_t>(cols.size()) == num_cols_) continue;
      for (int64_t c = 0; c < num_cols_; ++c) {
        if (!is_loaded[c]) out[c] = *next++;
      }
    }
  }

  // Copies the rows, sorted by their old positions, at most max_rows_in_memory
  // saved rows at a time.
  Status Load(OpKernelContext* ctx, SavedMatrix* saved,
              absl::Span<const Move> rows, const std::vector<Move>& cols,
              Tensor* out) const {
    while (!rows.empty()) {
      const int64_t first = rows.front().from;
      const auto end = std::find_if(rows.begin(), rows.end(), [&](Move row) {
        return max_rows_ > 0 && row.from - first >= max_rows_;
      });
      const auto piece = rows.subspan(0, end - rows.begin());
      Tensor read;
      TF_RETURN_IF_ERROR(
          saved->ReadRows(ctx, first, piece.back().from + 1 - first, &read));
      ParallelFor(ctx, static_cast<int64_t>(piece.size()),
                  static_cast<int64_t>(cols.size()),
                  [&](int64_t begin, int64_t stop) {
                    for (int64_t i = begin; i < stop; ++i) {
                      CopyRow(read.base<float>() +
                                  (piece[i].from - first) * saved->cols(),
                              cols, ctx->input(3).NumElements() == 0,
                              out->base<float>() + piece[i].to * num_cols_);
                    }
                  });
      rows.remove_prefix(piece.size());
    }
    return OkStatus();
  }

  void CopyRow(const float* from, const std::vector<Move>& cols, bool is_whole,
               float* to) const {
    if (is_whole) {
      std::memcpy(to, from, num_cols_ * sizeof(float));
      return;
    }
    for (const Move& col : cols) to[col.to] = from[col.from];
  }

  int64_t num_rows_ = 0;
  int64_t num_cols_ = 0;
  int64_t max_rows_ = -1;
};
REGISTER_KERNEL_BUILDER(Name("LoadAndRemapMatrix").Device(DEVICE_CPU),
                        LoadAndRemapMatrixOp);

}  // namespace
}  // namespace tensorwright
