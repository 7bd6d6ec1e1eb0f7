// SPDX-License-Identifier: Apache-2.0
// CTCLoss: the loss of each row of a batch, separately.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/ctc/ctc_loss_op_alignments.h"
#include "core/lib/core/errors.h"
#include "core/util/sparse/sparse_rows.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The most states of an alignment times steps, for one row.
constexpr int64_t kMostCells = int64_t{1} << 28;

// The attrs about labels.
struct LabelRules {
  bool collapse_repeated = false;
  bool merge_repeated = true;
  bool ignore_longer = false;
};

// The labels of one row, as the loss counts them.
struct RowLabels {
  std::vector<int32_t> labels;
  // More labels than steps: the row has neither loss nor gradient.
  bool ignored = false;
};

// Adds a row's labels, without repeats if those are collapsed.  Only blanks,
// classes - 1 and above, may follow a blank; they do not count.
Status AddLabels(absl::Span<const int32_t> given, int64_t row, int64_t classes,
                 bool collapse_repeated, std::vector<int32_t>* labels) {
  bool ended = false;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] < 0) {
      return errors::InvalidArgument(
          "CTCLoss: labels must be nonnegative, got ", given[i], " in batch ",
          row);
    }
    if (collapse_repeated && i > 0 && given[i] == given[i - 1]) continue;
    if (given[i] >= classes - 1) {
      ended = true;
    } else if (ended) {
      return errors::InvalidArgument(
          "CTCLoss: label ", given[i], " in batch ", row,
          " follows a blank, a label >= num_classes - 1 = ", classes - 1);
    } else {
      labels->push_back(given[i]);
    }
  }
  return OkStatus();
}

// Reads the labels of all rows, for each at most as many as `lengths` has.
Status ReadLabels(const Tensor& indices, const Tensor& values,
                  absl::Span<const int32_t> lengths, int64_t classes,
                  const LabelRules& rules, std::vector<RowLabels>* rows) {
  const sparse::Rows places = sparse::RowsOf(indices);
  int64_t columns = 0;
  for (int64_t i = 0; i < places.n; ++i) {
    if (places[i][1] == INT64_MAX) {
      return errors::InvalidArgument("CTCLoss: labels_indices[", i,
                                     "] is too large");
    }
    columns = std::max(columns, places[i][1] + 1);
  }
  const int64_t batch = static_cast<int64_t>(lengths.size());
  const Status ordered = sparse::CheckOrdered(places, {batch, columns}, {0, 1});
  if (!ordered.ok()) {
    return errors::InvalidArgument("CTCLoss: label SparseTensor is not valid: ",
                                   ordered.message());
  }
  rows->resize(batch);
  const absl::Span<const int32_t> labels = Flat<int32_t>(values);
  for (int64_t i = 0, b = 0; b < batch; ++b) {
    const int64_t begin = i;
    while (i < places.n && places[i][0] == b) ++i;
    RowLabels& row = (*rows)[b];
    const int64_t size = i - begin;
    TF_RETURN_IF_ERROR(AddLabels(labels.subspan(begin, size), b, classes,
                                 rules.collapse_repeated, &row.labels));
    // Counts labels as they are given, as TensorFlow does.
    row.ignored = size > lengths[b];
    if (row.ignored && !rules.ignore_longer) {
      return errors::InvalidArgument(
          "CTCLoss: not enough time for the labels of batch ", b,
          ": sequence_length is ", lengths[b], ", there are ", size,
          " labels; ignore_longer_outputs_than_inputs leaves such rows out");
    }
    const int64_t states = static_cast<int64_t>(row.labels.size()) + 1;
    if (!row.ignored && lengths[b] > kMostCells / states) {
      return errors::ResourceExhausted("CTCLoss: batch ", b, " has ",
                                       states - 1, " labels for ", lengths[b],
                                       " steps, more than fit into memory");
    }
  }
  return OkStatus();
}

}  // namespace

template <typename T>
class CTCLossOp final : public OpKernel {
 public:
  explicit CTCLossOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("preprocess_collapse_repeated",
                                     &rules_.collapse_repeated));
    OP_REQUIRES_OK(ctx,
                   ctx->GetAttr("ctc_merge_repeated", &rules_.merge_repeated));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("ignore_longer_outputs_than_inputs",
                                     &rules_.ignore_longer));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& inputs = ctx->input(0);
    const Tensor& lengths = ctx->input(3);
    OP_REQUIRES_OK(ctx, CheckInputs(ctx));
    const int64_t batch = inputs.dim_size(1), classes = inputs.dim_size(2);
    std::vector<RowLabels> rows;
    OP_REQUIRES_OK(
        ctx, ReadLabels(ctx->input(1), ctx->input(2), Flat<int32_t>(lengths),
                        classes, rules_, &rows));
    Tensor *loss = nullptr, *gradient = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({batch}), &loss));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, inputs.shape(), &gradient));
    const T* x = inputs.base<T>();
    T *losses = loss->base<T>(), *dx = gradient->base<T>();
    const int32_t* steps = lengths.base<int32_t>();
    const int64_t stride = batch * classes, time = inputs.dim_size(0);
    int64_t most_labels = 0;
    for (const RowLabels& row : rows) {
      most_labels = std::max<int64_t>(most_labels, row.labels.size());
    }
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t n = rows[b].ignored ? 0 : steps[b];
        T* row = dx + b * classes;
        for (int64_t t = n; t < time; ++t) {
          std::fill_n(row + t * stride, classes, T(0));
        }
        const CtcLogits<T> logits{x + b * classes, n, stride, classes};
        losses[b] =
            n == 0 ? T(0)
                   : static_cast<T>(CtcLoss<T>(logits, rows[b].labels,
                                               rules_.merge_repeated, row));
      }
    };
    ParallelFor(ctx, batch, time * (5 * classes + 20 * (most_labels + 1)), run);
  }

 private:
  Status CheckInputs(OpKernelContext* ctx) const {
    const Tensor& inputs = ctx->input(0);
    const Tensor& indices = ctx->input(1);
    if (indices.dim_size(1) < 2) {
      return errors::InvalidArgument(
          "CTCLoss: labels_indices must have a row and a column of each label, "
          "[labels, 2], got ",
          indices.shape().DebugString());
    }
    if (inputs.dim_size(1) == 0) {
      return errors::InvalidArgument("CTCLoss: batch_size must not be 0");
    }
    if (inputs.dim_size(2) == 0) {
      return errors::InvalidArgument(
          "CTCLoss: there must be a class at least, the blank");
    }
    const absl::Span<const int32_t> lengths = Flat<int32_t>(ctx->input(3));
    for (size_t b = 0; b < lengths.size(); ++b) {
      if (lengths[b] < 0 || lengths[b] > inputs.dim_size(0)) {
        return errors::InvalidArgument("CTCLoss: sequence_length(", b,
                                       ") must be in [0, ", inputs.dim_size(0),
                                       "], the number of time steps, got ",
                                       lengths[b]);
      }
    }
    return OkStatus();
  }

  LabelRules rules_;
};

REGISTER_KERNEL_FOR_TYPES(Name("CTCLoss").Device(DEVICE_CPU), "T", CTCLossOp,
                          float, double);

}  // namespace tensorwright
