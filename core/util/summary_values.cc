// SPDX-License-Identifier: Apache-2.0
#include "core/util/summary_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/wav/wav_io.h"
#include "core/util/histogram.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

template <typename T>
double ToDouble(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

// Calls f(pointer to the elements), for a dtype of real numbers or bool.
template <typename F>
void Visit(const Tensor& values, F&& f) {
  switch (values.dtype()) {
    case DT_FLOAT:
      return f(values.base<float>());
    case DT_DOUBLE:
      return f(values.base<double>());
    case DT_HALF:
      return f(values.base<Eigen::half>());
    case DT_BFLOAT16:
      return f(values.base<bfloat16>());
    case DT_INT8:
      return f(values.base<int8>());
    case DT_INT16:
      return f(values.base<int16>());
    case DT_INT32:
      return f(values.base<int32>());
    case DT_INT64:
      return f(values.base<int64>());
    case DT_UINT8:
      return f(values.base<uint8>());
    case DT_UINT16:
      return f(values.base<uint16>());
    case DT_UINT32:
      return f(values.base<uint32>());
    case DT_UINT64:
      return f(values.base<uint64>());
    case DT_BOOL:
      return f(values.base<bool>());
    default:
      LOG(FATAL) << "no numbers: " << DataTypeString(values.dtype());
  }
}

// Adds values[0, n); returns -1, or the position of a value that is not finite.
template <typename T>
int64_t AddFinite(const T* values, int64_t n, histogram::Histogram* histo) {
  constexpr int64_t kBuffer = 512;
  double buffer[kBuffer];
  for (int64_t begin = 0; begin < n; begin += kBuffer) {
    const int64_t size = std::min(kBuffer, n - begin);
    // A number that is not finite gives NaN when it is subtracted from itself.
    double odd = 0;
    for (int64_t i = 0; i < size; ++i) {
      buffer[i] = ToDouble(values[begin + i]);
      odd += buffer[i] - buffer[i];
    }
    if (odd != 0) {
      for (int64_t i = 0;; ++i) {
        if (!std::isfinite(buffer[i])) return begin + i;
      }
    }
    histo->Add(absl::MakeConstSpan(buffer, size));
  }
  return -1;
}

// The same on several threads.  Only n decides how the values are cut up, and
// the parts are put together in order, so sums do not depend on the threads.
template <typename T>
int64_t AddAllFinite(OpKernelContext* ctx, const T* values, int64_t n,
                     histogram::Histogram* histo) {
  const int64_t block = std::max<int64_t>(1 << 15, n / 256);
  const int64_t blocks = (n + block - 1) / block;
  if (blocks <= 1) return AddFinite(values, n, histo);
  std::vector<histogram::Histogram> parts(blocks);
  std::vector<int64_t> bad_in(blocks, -1);
  constexpr int64_t kNanosPerValue = 4;
  ParallelFor(ctx, blocks, block * kNanosPerValue,
              [&](int64_t begin, int64_t end) {
                for (int64_t b = begin; b < end; ++b) {
                  const int64_t first = b * block;
                  const int64_t size = std::min(block, n - first);
                  const int64_t at = AddFinite(values + first, size, &parts[b]);
                  if (at >= 0) bad_in[b] = first + at;
                }
              });
  for (int64_t b = 0; b < blocks; ++b) {
    if (bad_in[b] >= 0) return bad_in[b];
    histo->Merge(parts[b]);
  }
  return -1;
}

}  // namespace

void AddScalarSummary(const Tensor& values, int64_t i, const std::string& tag,
                      Summary* summary) {
  Summary::Value* v = summary->add_value();
  v->set_tag(tag);
  Visit(values, [&](const auto* numbers) {
    v->set_simple_value(static_cast<float>(numbers[i]));
  });
}

Status AddHistogramSummary(OpKernelContext* ctx, const Tensor& values,
                           const std::string& tag, absl::string_view what,
                           Summary* summary) {
  histogram::Histogram histo;
  Status status;
  Visit(values, [&](const auto* numbers) {
    const int64_t bad =
        AddAllFinite(ctx, numbers, values.NumElements(), &histo);
    if (bad < 0) return;
    status = errors::InvalidArgument(
        std::isnan(ToDouble(numbers[bad])) ? "Nan" : "Infinity",
        " in summary histogram for: ", what, ", element ", bad);
  });
  TF_RETURN_IF_ERROR(status);
  Summary::Value* v = summary->add_value();
  v->set_tag(tag);
  histo.EncodeToProto(v->mutable_histo(), /*preserve_zero_buckets=*/false);
  return OkStatus();
}

Status AddAudioSummaries(const Tensor& tensor, const std::string& tag,
                         int64_t max_outputs, float sample_rate,
                         Summary* summary) {
  if (tensor.dims() != 2 && tensor.dims() != 3) {
    return errors::InvalidArgument("tensor must be 3-D or 2-D, got ",
                                   tensor.shape().DebugString());
  }
  if (!(sample_rate > 0.0f && sample_rate < 4294967000.0f)) {
    return errors::InvalidArgument("sample_rate must be in (0, 2^32), got ",
                                   sample_rate);
  }
  // The file stores whole Hertz.
  const auto hertz =
      std::max<size_t>(1, static_cast<size_t>(std::nearbyint(sample_rate)));
  const int64_t frames = tensor.dim_size(1);
  const int64_t channels = tensor.dims() == 2 ? 1 : tensor.dim_size(2);
  const int64_t n = std::min<int64_t>(max_outputs, tensor.dim_size(0));
  for (int64_t i = 0; i < n; ++i) {
    Summary::Value* v = summary->add_value();
    // The number asked for decides the tags, so that a short batch has the same
    // ones.
    v->set_tag(max_outputs > 1 ? absl::StrCat(tag, "/audio/", i)
                               : absl::StrCat(tag, "/audio"));
    Summary::Audio* audio = v->mutable_audio();
    audio->set_sample_rate(sample_rate);
    audio->set_num_channels(channels);
    audio->set_length_frames(frames);
    audio->set_content_type("audio/wav");
    TF_RETURN_IF_ERROR(wav::EncodeAudioAsS16LEWav(
        tensor.base<float>() + i * frames * channels, hertz, channels, frames,
        audio->mutable_encoded_audio_string()));
  }
  return OkStatus();
}

void AddTensorSummary(const Tensor& tensor, const std::string& tag,
                      Summary* summary) {
  Summary::Value* v = summary->add_value();
  v->set_tag(tag);
  if (tensor.dtype() == DT_STRING) {
    tensor.AsProtoField(v->mutable_tensor());
  } else {
    tensor.AsProtoTensorContent(v->mutable_tensor());
  }
}

Status SerializeSummary(const Summary& summary, std::string* bytes) {
  const size_t size = summary.ByteSizeLong();
  if (size > size_t{std::numeric_limits<int>::max()} ||
      !summary.SerializeToString(bytes)) {
    return errors::InvalidArgument(
        "The summary is larger than a proto may be: ", size, " bytes");
  }
  return OkStatus();
}

}  // namespace tensorwright
