// SPDX-License-Identifier: Apache-2.0
// InitializeTable and InitializeTableFromTextFile: fill tables.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lookup/initializable_lookup_table.h"
#include "core/kernels/lookup/lookup_util.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/refcount.h"
#include "core/lib/strings/numbers.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

using lookup::InitializableLookupTable;
using lookup::LookupInterface;
using TablePtr = core::RefCountPtr<LookupInterface>;

// Values of attrs key_index and value_index that are no columns.
constexpr int64_t kLineNumber = -1;
constexpr int64_t kWholeLine = -2;

// Finds the table of input 0; *filled is the same table, through the interface
// that fills it.
Status FindTable(OpKernelContext* ctx, TablePtr* table,
                 InitializableLookupTable** filled) {
  TF_RETURN_IF_ERROR(lookup::GetLookupTable("table_handle", ctx, table));
  *filled = dynamic_cast<InitializableLookupTable*>(table->get());
  if (*filled != nullptr) return OkStatus();
  return errors::InvalidArgument(ctx->op_kernel().type_string(),
                                 ": the table is not initializable");
}

DataType HandleType(OpKernelContext* ctx) {
  return ctx->input_dtype(0) == DT_RESOURCE ? DT_RESOURCE : DT_STRING_REF;
}

class InitializeTableOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    TablePtr table;
    InitializableLookupTable* filled = nullptr;
    OP_REQUIRES_OK(ctx, FindTable(ctx, &table, &filled));
    OP_REQUIRES_OK(
        ctx,
        ctx->MatchSignature(
            {HandleType(ctx), table->key_dtype(), table->value_dtype()}, {}));
    const Tensor& keys = ctx->input(1);
    const Tensor& values = ctx->input(2);
    OP_REQUIRES(
        ctx, keys.dims() == 1 && keys.shape() == values.shape(),
        errors::InvalidArgument(type_string(),
                                ": keys and values must be vectors of one "
                                "size, got shapes ",
                                keys.shape().DebugString(), " and ",
                                values.shape().DebugString()));
    OP_REQUIRES(
        ctx, keys.NumElements() > 0,
        errors::InvalidArgument(type_string(),
                                ": keys and values cannot be empty tensors"));
    OP_REQUIRES_OK(ctx, filled->Initialize(keys, values));
  }
};
REGISTER_KERNEL_BUILDER(Name("InitializeTable").Device(DEVICE_CPU),
                        InitializeTableOp);
REGISTER_KERNEL_BUILDER(Name("InitializeTableV2").Device(DEVICE_CPU),
                        InitializeTableOp);

// ---- From a file ------------------------------------------------------------

// The format of each line.
struct LineFormat {
  // InvalidArgument if a column cannot have its dtype.
  Status Check(DataType key_dtype, DataType value_dtype) const {
    TF_RETURN_IF_ERROR(CheckOne("Key", "key", key_index, key_dtype));
    return CheckOne("Value", "value", value_index, value_dtype);
  }

  static Status CheckOne(const char* what, const char* of, int64_t index,
                         DataType dtype) {
    if (index == kLineNumber && dtype != DT_INT64) {
      return errors::InvalidArgument(
          what, " index for line number requires table ", of,
          " dtype of int64, got ", DataTypeString(dtype));
    }
    if (index == kWholeLine && !DataTypeIsInteger(dtype) &&
        dtype != DT_STRING) {
      return errors::InvalidArgument(
          what, " index for whole line requires table ", of,
          " dtype of integer or string, got ", DataTypeString(dtype));
    }
    return OkStatus();
  }

  int64_t key_index = 0;
  int64_t value_index = 0;
  int64_t vocab_size = -1;
  int64_t offset = 0;  // Added to line numbers.
  char delimiter = '\t';
};

// Sets element `i` of a vector from the text of a field.
Status SetElement(absl::string_view field, int64_t line, int64_t i,
                  Tensor* out) {
  bool good = true;
  switch (out->dtype()) {
    case DT_INT32:
      good = strings::safe_strto32(field, out->base<int32_t>() + i);
      break;
    case DT_INT64:
      good = strings::safe_strto64(field, out->base<int64_t>() + i);
      break;
    case DT_FLOAT:
      good = strings::safe_strtof(field, out->base<float>() + i);
      break;
    case DT_DOUBLE:
      good = strings::safe_strtod(field, out->base<double>() + i);
      break;
    case DT_STRING:
      out->base<std::string>()[i] = std::string(field);
      break;
    default:
      return errors::InvalidArgument("Data type ", DataTypeString(out->dtype()),
                                     " not supported.");
  }
  if (good) return OkStatus();
  return errors::InvalidArgument("Field ", field, " in line ", line,
                                 " is not a valid ",
                                 DataTypeString(out->dtype()), ".");
}

// Parses key and value of one line.
class LineParser {
 public:
  LineParser(const std::string& file, const LineFormat& format)
      : file_(file), format_(format) {}

  Status Parse(absl::string_view line, int64_t number, Tensor* keys,
               Tensor* values) {
    columns_.clear();
    if (std::max(format_.key_index, format_.value_index) >= 0) {
      columns_ = absl::StrSplit(line, format_.delimiter);
    }
    TF_RETURN_IF_ERROR(Set(format_.key_index, line, number, keys));
    return Set(format_.value_index, line, number, values);
  }

 private:
  Status Set(int64_t index, absl::string_view line, int64_t number,
             Tensor* out) const {
    if (index == kLineNumber) {
      // The attr may have any value: a sum beyond int64 wraps.
      out->base<int64_t>()[number] =
          static_cast<int64_t>(static_cast<uint64_t>(number) +
                               static_cast<uint64_t>(format_.offset));
      return OkStatus();
    }
    if (index == kWholeLine) return SetElement(line, number, number, out);
    if (index >= static_cast<int64_t>(columns_.size())) {
      return errors::InvalidArgument(
          "Invalid number of columns in ", file_, " line ", number, " (", line,
          ") : expected at least ", index + 1, " got ", columns_.size());
    }
    return SetElement(columns_[index], number, number, out);
  }

  const std::string& file_;
  const LineFormat& format_;
  std::vector<absl::string_view> columns_;
};

// The lines of a file, without their ends.
Status Lines(const std::string& file, absl::string_view content,
             const LineFormat& format, std::vector<absl::string_view>* lines) {
  *lines = absl::StrSplit(content, '\n');
  if (!lines->empty() && lines->back().empty()) lines->pop_back();
  const int64_t found = static_cast<int64_t>(lines->size());
  if (format.vocab_size > found) {
    return errors::InvalidArgument("Invalid vocab_size in ", file,
                                   ": expected ", format.vocab_size,
                                   " but got ", found);
  }
  if (format.vocab_size >= 0) lines->resize(format.vocab_size);
  if (lines->empty()) {
    return errors::OutOfRange("Finished reading 0 of lines from ", file);
  }
  for (absl::string_view& line : *lines) {
    line = absl::StripSuffix(line, "\r");
    if (!line.empty()) continue;
    return errors::InvalidArgument("Invalid content in ", file,
                                   ": empty line found at position ",
                                   line.data() - content.data() + 1, ".");
  }
  return OkStatus();
}

Status FillFromFile(Env* env, const std::string& file, const LineFormat& format,
                    InitializableLookupTable* table) {
  std::string content;
  TF_RETURN_IF_ERROR(ReadFileToString(env, file, &content));
  std::vector<absl::string_view> lines;
  TF_RETURN_IF_ERROR(Lines(file, content, format, &lines));
  const TensorShape shape({static_cast<int64_t>(lines.size())});
  Tensor keys, values;
  TF_RETURN_IF_ERROR(Tensor::BuildTensor(table->key_dtype(), shape, &keys));
  TF_RETURN_IF_ERROR(Tensor::BuildTensor(table->value_dtype(), shape, &values));
  LineParser parser(file, format);
  for (size_t i = 0; i < lines.size(); ++i) {
    TF_RETURN_IF_ERROR(
        parser.Parse(lines[i], static_cast<int64_t>(i), &keys, &values));
  }
  return table->Initialize(keys, values);
}

class InitializeTableFromTextFileOp final : public OpKernel {
 public:
  explicit InitializeTableFromTextFileOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("vocab_size", &format_.vocab_size));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("key_index", &format_.key_index));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("value_index", &format_.value_index));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("offset", &format_.offset));
    std::string delimiter;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("delimiter", &delimiter));
    OP_REQUIRES(ctx, delimiter.size() == 1,
                errors::InvalidArgument(
                    type_string(), ": delimiter should be only 1 char, got '",
                    delimiter, "'"));
    format_.delimiter = delimiter[0];
  }

  void Compute(OpKernelContext* ctx) override {
    TablePtr table;
    InitializableLookupTable* filled = nullptr;
    OP_REQUIRES_OK(ctx, FindTable(ctx, &table, &filled));
    OP_REQUIRES_OK(ctx, ctx->MatchSignature({HandleType(ctx), DT_STRING}, {}));
    const Tensor& name = ctx->input(1);
    OP_REQUIRES(ctx, name.NumElements() == 1,
                errors::InvalidArgument(
                    type_string(), ": filename should be a single string, got ",
                    name.shape().DebugString()));
    const std::string& file = *name.base<std::string>();
    OP_REQUIRES(
        ctx, !file.empty(),
        errors::InvalidArgument(type_string(), ": filename cannot be empty."));
    OP_REQUIRES_OK(ctx,
                   format_.Check(table->key_dtype(), table->value_dtype()));
    OP_REQUIRES_OK(ctx, FillFromFile(ctx->env(), file, format_, filled));
  }

 private:
  LineFormat format_;
};
REGISTER_KERNEL_BUILDER(Name("InitializeTableFromTextFile").Device(DEVICE_CPU),
                        InitializeTableFromTextFileOp);
REGISTER_KERNEL_BUILDER(
    Name("InitializeTableFromTextFileV2").Device(DEVICE_CPU),
    InitializeTableFromTextFileOp);

}  // namespace
}  // namespace tensorwright
