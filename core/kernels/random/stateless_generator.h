// SPDX-License-Identifier: Apache-2.0
// Generators for kernels that draw from a seed they are given, and the shapes
// of draws for parameters.
#ifndef TENSORWRIGHT_CORE_KERNELS_RANDOM_STATELESS_GENERATOR_H_
#define TENSORWRIGHT_CORE_KERNELS_RANDOM_STATELESS_GENERATOR_H_

#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/lib/random/philox_random.h"

namespace tensorwright {

// Returns the generator that a seed, int32 or int64 [2], names.  It is
// StatelessRandomUniform's, which explains it.
inline random::PhiloxRandom StatelessGenerator(const Tensor& seed) {
  using random::PhiloxRandom;
  PhiloxRandom::Key key;
  key[0] = 0x3ec8f720;
  key[1] = 0x02461e29;
  PhiloxRandom::ResultType counter;
  for (int i = 0; i < 2; ++i) {
    const int64_t word = seed.dtype() == DT_INT32 ? seed.base<int32_t>()[i]
                                                  : seed.base<int64_t>()[i];
    counter[2 * i] = static_cast<uint32_t>(word);
    counter[2 * i + 1] =
        static_cast<uint32_t>(static_cast<uint64_t>(word) >> 32);
  }
  const PhiloxRandom::ResultType mixed = PhiloxRandom(counter, key)();
  key[0] = mixed[0];
  key[1] = mixed[1];
  counter[0] = counter[1] = 0;
  counter[2] = mixed[2];
  counter[3] = mixed[3];
  return PhiloxRandom(counter, key);
}

// Makes the generator for a key [1] and a counter [2] or longer, uint64; `alg`
// [] must be 1, Philox, or 3, the one that suits the device.
inline Status KeyedGenerator(const std::string& op, const Tensor& key,
                             const Tensor& counter, const Tensor& alg,
                             random::PhiloxRandom* gen) {
  const int32_t algorithm = *alg.base<int32_t>();
  if (algorithm != 1 && algorithm != 3) {
    return errors::InvalidArgument(
        op, ": alg must be 1 (Philox) or 3 (the device's), got ", algorithm);
  }
  if (counter.NumElements() < 2) {
    return errors::InvalidArgument(
        op, ": counter must have 2 elements at least, got shape ",
        counter.shape().DebugString());
  }
  random::PhiloxRandom::Key k;
  random::PhiloxRandom::ResultType c;
  const uint64_t word = key.base<uint64_t>()[0];
  k[0] = static_cast<uint32_t>(word);
  k[1] = static_cast<uint32_t>(word >> 32);
  for (int i = 0; i < 2; ++i) {
    const uint64_t half = counter.base<uint64_t>()[i];
    c[2 * i] = static_cast<uint32_t>(half);
    c[2 * i + 1] = static_cast<uint32_t>(half >> 32);
  }
  *gen = random::PhiloxRandom(c, k);
  return OkStatus();
}

// Allocates output 0 in the shape that input 0 says, which must end with the
// shape of the parameters.
inline Status AllocateForParameters(OpKernel* kernel, OpKernelContext* ctx,
                                    const TensorShape& parameters,
                                    Tensor** out) {
  TensorShape shape;
  TF_RETURN_IF_ERROR(kernel->MakeShape(ctx->input(0), &shape));
  bool ends = parameters.dims() <= shape.dims();
  for (int d = 1; ends && d <= parameters.dims(); ++d) {
    ends = parameters.dim_size(parameters.dims() - d) ==
           shape.dim_size(shape.dims() - d);
  }
  if (!ends) {
    return errors::InvalidArgument(
        kernel->type_string(), ": shape must end with that of the parameters, ",
        parameters.DebugString(), ", got ", shape.DebugString());
  }
  return ctx->allocate_output(0, shape, out);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_RANDOM_STATELESS_GENERATOR_H_
