// SPDX-License-Identifier: Apache-2.0
// Makes the values of a Summary, except for images (summary_images.h), for ops
// that return one and for ops that write one to a file.
#ifndef TENSORWRIGHT_CORE_UTIL_SUMMARY_VALUES_H_
#define TENSORWRIGHT_CORE_UTIL_SUMMARY_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class OpKernelContext;
class Summary;
class Tensor;

// Adds element `i` of `values`, of a real number dtype, as a float.
void AddScalarSummary(const Tensor& values, int64_t i, const std::string& tag,
                      Summary* summary);

// Adds the histogram of `values`, real numbers or bools, with TensorFlow's
// buckets. It is the same on any number of threads.  InvalidArgument, which
// names `what`, if one is not finite.
Status AddHistogramSummary(OpKernelContext* ctx, const Tensor& values,
                           const std::string& tag, absl::string_view what,
                           Summary* summary);

// Adds the first `max_outputs` of `tensor`, float [batch, frames] or [batch,
// frames, channels], as WAV, with tags "tag/audio/0", ..., or "tag/audio" if
// `max_outputs` is 1.  InvalidArgument for other ranks and rates.
Status AddAudioSummaries(const Tensor& tensor, const std::string& tag,
                         int64_t max_outputs, float sample_rate,
                         Summary* summary);

// Adds all of `tensor`.
void AddTensorSummary(const Tensor& tensor, const std::string& tag,
                      Summary* summary);

// InvalidArgument if it is larger than a proto may be.
Status SerializeSummary(const Summary& summary, std::string* bytes);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SUMMARY_VALUES_H_
