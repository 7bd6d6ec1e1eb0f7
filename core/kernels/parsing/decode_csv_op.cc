// SPDX-License-Identifier: Apache-2.0
// DecodeCSV: splits lines into columns (RFC 4180).

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/parsing/text_to_value.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class DecodeCSVOp final : public OpKernel {
 public:
  explicit DecodeCSVOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string delim;
    std::vector<int64_t> select_cols;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("OUT_TYPE", &types_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("field_delim", &delim));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("use_quote_delim", &quotes_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("na_value", &na_value_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("select_cols", &select_cols));
    OP_REQUIRES(
        ctx, delim.size() == 1,
        errors::InvalidArgument(
            "DecodeCSV: field_delim should be only 1 char, got '", delim, "'"));
    delim_ = delim[0];
    OP_REQUIRES(ctx, select_cols.empty() || select_cols.size() == types_.size(),
                errors::InvalidArgument(
                    "DecodeCSV: select_cols should match output size, got ",
                    select_cols.size(), " and ", types_.size()));
    for (size_t i = 0; i < select_cols.size(); ++i) {
      OP_REQUIRES(ctx, select_cols[i] >= 0,
                  errors::InvalidArgument(
                      "DecodeCSV: select_cols should be non-negative "
                      "indices, got ",
                      select_cols[i]));
      OP_REQUIRES(ctx, i == 0 || select_cols[i - 1] < select_cols[i],
                  errors::InvalidArgument(
                      "DecodeCSV: select_cols should be strictly increasing "
                      "indices, got ",
                      select_cols[i], " behind ", select_cols[i - 1]));
    }
    select_ = std::move(select_cols);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& records = ctx->input(0);
    std::vector<Tensor*> outputs(types_.size());
    for (size_t i = 0; i < types_.size(); ++i) {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(static_cast<int>(i),
                                               records.shape(), &outputs[i]));
    }
    const auto lines = Flat<std::string>(records);
    size_t bytes = 0;
    for (const std::string& line : lines) bytes += line.size();
    const int64_t cycles =
        lines.empty() ? 1
                      : 200 + 10 * static_cast<int64_t>(bytes / lines.size());
    ParallelFor(ctx, records.NumElements(), cycles,
                [&](int64_t begin, int64_t end) {
                  std::vector<absl::string_view> fields;
                  std::string quoted;
                  for (int64_t i = begin; i < end; ++i) {
                    const Status decoded =
                        Decode(ctx, lines[i], i, outputs, &fields, &quoted);
                    if (!decoded.ok()) return ctx->SetStatus(decoded);
                  }
                });
  }

 private:
  Status Decode(OpKernelContext* ctx, absl::string_view line, int64_t row,
                absl::Span<Tensor* const> outputs,
                std::vector<absl::string_view>* fields,
                std::string* quoted) const {
    fields->clear();
    quoted->clear();
    // The fields are views of `quoted`, which must not move.
    quoted->reserve(line.size());
    TF_RETURN_IF_ERROR(Split(line, fields, quoted));
    if (fields->size() != types_.size()) {
      return errors::InvalidArgument("DecodeCSV: Expect ", types_.size(),
                                     " fields but have ", fields->size(),
                                     " in record ", row);
    }
    for (size_t f = 0; f < types_.size(); ++f) {
      TF_RETURN_IF_ERROR(Column((*fields)[f], row, f,
                                ctx->input(static_cast<int>(f) + 1),
                                outputs[f]));
    }
    return OkStatus();
  }

  Status Column(absl::string_view field, int64_t row, size_t f,
                const Tensor& fallback, Tensor* output) const {
    switch (types_[f]) {
      case DT_FLOAT:
        return Value<float>(field, row, f, fallback, output);
      case DT_DOUBLE:
        return Value<double>(field, row, f, fallback, output);
      case DT_INT32:
        return Value<int32_t>(field, row, f, fallback, output);
      case DT_INT64:
        return Value<int64_t>(field, row, f, fallback, output);
      default:
        return Value<std::string>(field, row, f, fallback, output);
    }
  }

  template <typename T>
  Status Value(absl::string_view field, int64_t row, size_t f,
               const Tensor& fallback, Tensor* output) const {
    T* const out = output->base<T>() + row;
    if (field.empty() || field == na_value_) {
      if (fallback.NumElements() != 1) {
        return errors::InvalidArgument("DecodeCSV: Field ", f,
                                       " is required but missing in record ",
                                       row, "!");
      }
      *out = *fallback.base<const T>();
      return OkStatus();
    }
    if (TextToValue(field, out)) return OkStatus();
    return errors::InvalidArgument(
        "DecodeCSV: Field ", f, " in record ", row, " is not a valid ",
        DataTypeString(types_[f]), ": ", field.substr(0, 200));
  }

  // Finds the fields that are wanted.  The text of a quoted field with quotes
  // in it goes to `quoted`, which has room for it.
  Status Split(absl::string_view line, std::vector<absl::string_view>* fields,
               std::string* quoted) const {
    size_t at = 0, next = 0;
    for (int64_t column = 0;; ++column) {
      // Line ends before a field do not belong to it.
      while (at < line.size() && (line[at] == '\n' || line[at] == '\r')) ++at;
      if (at == line.size()) {
        // Nothing follows the last delimiter: an empty field ends the line.
        if (at == 0 || line[at - 1] != delim_) return OkStatus();
        if (IsWanted(column, next)) fields->push_back(absl::string_view());
        return OkStatus();
      }
      absl::string_view field;
      TF_RETURN_IF_ERROR(TakeField(line, &at, &field, quoted));
      if (IsWanted(column, next)) {
        fields->push_back(field);
        ++next;
      }
      if (at == line.size() || (!select_.empty() && next == select_.size())) {
        return OkStatus();
      }
      ++at;  // The delimiter.
    }
  }

  // Says whether a column is wanted; `taken` columns before it were.
  bool IsWanted(int64_t column, size_t taken) const {
    return select_.empty() ||
           (taken < select_.size() && select_[taken] == column);
  }

  // Takes the field at *at, and moves *at to the end of the line or the next
  // delimiter.
  Status TakeField(absl::string_view line, size_t* at, absl::string_view* field,
                   std::string* quoted) const {
    if (!quotes_ || line[*at] != '"') {
      const size_t begin = *at;
      for (; *at < line.size() && line[*at] != delim_; ++*at) {
        const char c = line[*at];
        if ((quotes_ && c == '"') || c == '\n' || c == '\r') {
          return UnquotedEol();
        }
      }
      *field = line.substr(begin, *at - begin);
      return OkStatus();
    }
    const size_t begin = ++*at;
    const size_t kept = quoted->size();
    bool doubled = false;
    for (;; ++*at) {
      if (*at >= line.size()) return UnendedQuote();
      if (line[*at] == '"') {
        const bool ends = *at + 1 == line.size() || line[*at + 1] == delim_;
        if (ends) break;
        if (line[*at + 1] != '"') return UnendedQuote();
        if (!doubled) quoted->append(line.data() + begin, *at - begin);
        doubled = true;
        ++*at;
      }
      if (doubled) quoted->push_back(line[*at]);
    }
    *field = doubled ? absl::string_view(*quoted).substr(kept)
                     : line.substr(begin, *at - begin);
    ++*at;
    return OkStatus();
  }

  static Status UnquotedEol() {
    return errors::InvalidArgument(
        "DecodeCSV: Unquoted fields cannot have quotes/CRLFs inside");
  }
  static Status UnendedQuote() {
    return errors::InvalidArgument(
        "DecodeCSV: Quoted field has to end with quote followed by delim or "
        "end");
  }

  DataTypeVector types_;
  std::vector<int64_t> select_;
  char delim_;
  bool quotes_;
  std::string na_value_;
};
REGISTER_KERNEL_BUILDER(Name("DecodeCSV").Device(DEVICE_CPU), DecodeCSVOp);

}  // namespace
}  // namespace tensorwright
