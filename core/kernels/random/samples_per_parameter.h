// SPDX-License-Identifier: Apache-2.0
// Draws many samples for each parameter, for RandomGamma, RandomPoisson and
// their stateless forms.
#ifndef TENSORWRIGHT_CORE_KERNELS_RANDOM_SAMPLES_PER_PARAMETER_H_
#define TENSORWRIGHT_CORE_KERNELS_RANDOM_SAMPLES_PER_PARAMETER_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/random_fill.h"
#include "core/lib/random/philox_random.h"
#include "core/util/guarded_philox_random.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// Allocates output 0 in the shape that input 0 says, followed by that of input
// 1.
inline Status AllocateSamples(OpKernel* kernel, OpKernelContext* ctx,
                              Tensor** out) {
  TensorShape shape;
  TF_RETURN_IF_ERROR(kernel->MakeShape(ctx->input(0), &shape));
  TF_RETURN_IF_ERROR(shape.AppendShapeWithStatus(ctx->input(1).shape()));
  return ctx->allocate_output(0, shape, out);
}

// Converts a draw to an element of the output: an integer that is too large
// becomes the greatest, and NaN the least.
template <typename Out>
Out ToSample(double draw) {
  if constexpr (std::is_integral_v<Out>) {
    // 2^31 or 2^63, which a double holds exactly.
    const double end = std::ldexp(1.0, std::numeric_limits<Out>::digits);
    if (draw >= end) return std::numeric_limits<Out>::max();
    if (!(draw >= -end)) return std::numeric_limits<Out>::lowest();
  }
  return static_cast<Out>(draw);
}

// out[sample * parameters + parameter] = a sample for that parameter.  Each
// sample has a place of its own in the stream, so that results do not depend on
// threads.  `sampler_of(parameter)` returns a function double(PhiloxRandom*).
template <typename Out, typename SamplerOf>
void FillSamples(OpKernelContext* ctx, const random::PhiloxRandom& gen,
                 int64_t parameters, int64_t size, int64_t cost,
                 const SamplerOf& sampler_of, Out* out) {
  if (size == 0) return;
  const int64_t per_parameter = size / parameters;
  ParallelFor(ctx, size, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      const int64_t parameter = i / per_parameter;
      const auto sampler = sampler_of(parameter);
      const int64_t last = std::min(end, (parameter + 1) * per_parameter);
      for (; i < last; ++i) {
        random::PhiloxRandom own = gen;
        own.Skip(static_cast<uint64_t>(kReservedSamplesPerOutput) *
                 static_cast<uint64_t>(i));
        const int64_t sample = i - parameter * per_parameter;
        out[sample * parameters + parameter] = ToSample<Out>(sampler(&own));
      }
    }
  });
}

// Does the same from the place of a stateful generator, which moves on.
template <typename Out, typename SamplerOf>
void FillSamples(OpKernelContext* ctx, GuardedPhiloxRandom* generator,
                 int64_t parameters, int64_t size, int64_t cost,
                 const SamplerOf& sampler_of, Out* out) {
  if (size == 0) return;
  FillSamples(ctx,
              generator->ReserveRandomOutputs(size, kReservedSamplesPerOutput),
              parameters, size, cost, sampler_of, out);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_RANDOM_SAMPLES_PER_PARAMETER_H_
