// SPDX-License-Identifier: Apache-2.0
// The sizes of batches, and how rows are put together and taken apart.
#ifndef TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_BATCH_FUNCTION_OP_ROWS_H_
#define TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_BATCH_FUNCTION_OP_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Attrs of BatchFunction.
struct BatchOptions {
  int64_t num_batch_threads = 1;
  int64_t max_batch_size = 1;
  int64_t batch_timeout_micros = 0;
  int64_t max_enqueued_batches = 10;
  std::vector<int64_t> allowed_batch_sizes;
  bool splits = false;        // enable_large_batch_splitting.
  bool batches_down = false;  // Is batch_padding_policy BATCH_DOWN?

  // The most rows of one call.
  int64_t MostRows() const {
    return splits && !allowed_batch_sizes.empty() ? allowed_batch_sizes.back()
                                                  : max_batch_size;
  }
  // How many rows a batch of `rows` lacks of an allowed size; none if it has no
  // row that could be copied.
  int64_t Padding(int64_t rows) const;
  // The largest allowed size up to `rows`; 0 if there is none.
  int64_t SizeBelow(int64_t rows) const;
  // InvalidArgument, with `op` in it, for sizes that make no sense.
  Status Check(const std::string& op) const;
};

// Joins `parts` along dimension 0, and behind them `padding` copies of the
// first row.  InvalidArgument if their other sizes differ.
Status JoinRows(std::vector<Tensor> parts, int64_t padding, Tensor* joined);

// Takes a result of the function, output number `output`, apart: `sizes` are
// the rows of each part, the last of them padding.  FailedPrecondition unless
// these are its rows.
Status SplitRows(int output, const Tensor& result,
                 absl::Span<const int64_t> sizes, std::vector<Tensor>* parts);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_FUNCTIONAL_BATCH_FUNCTION_OP_ROWS_H_
