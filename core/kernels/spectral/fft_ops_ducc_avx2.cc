// SPDX-License-Identifier: Apache-2.0
// Fourier transforms with AVX2 and fused multiply-add; called on processors
// that have both.

// These come before the target, because their inline functions are for any
// processor.
#include <errno.h>
#include <immintrin.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define DUCC0_NAMESPACE ducc0_avx2
#define TW_FFT_NAMESPACE avx2
#include "core/kernels/spectral/fft_ops_ducc-inl.h"
#pragma GCC pop_options
