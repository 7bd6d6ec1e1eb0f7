// SPDX-License-Identifier: Apache-2.0
// Measures the limits of this machine: `peak_probe THREADS` prints its fused
// multiply-adds as FLOP/s and its memory bandwidth as bytes/s.  peer.py
// compiles it with -O3 -march=native and runs it beside the cases.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace {

#ifdef __AVX512F__
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif
typedef float Vec __attribute__((vector_size(kLanes * sizeof(float))));
constexpr int kChains = 12;  // Hide the latency of two units.

double SecondsOf(int threads, const std::function<void(int)>& work) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) team.emplace_back(work, t);
  for (auto& thread : team) thread.join();
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  return spent.count();
}

double Flops(int threads) {
  constexpr int kSteps = 2000000;
  std::vector<float> results(threads);
  const double seconds = SecondsOf(threads, [&](int t) {
    Vec acc[kChains], a = {}, b = {};
    for (auto& v : acc) v = Vec{} + static_cast<float>(t);
    a += 0.999f;
    b += 0.001f;
    asm volatile("" : "+x"(a), "+x"(b));
    for (int i = 0; i < kSteps; ++i) {
      for (auto& v : acc) v = v * a + b;
    }
    Vec sum = {};
    for (auto& v : acc) sum += v;
    results[t] = sum[0];
  });
  volatile float used = results[0];
  (void)used;
  return 2.0 * threads * kSteps * kChains * kLanes / seconds;
}

// a = b + 3 c: two reads and a write; the write reads its line first, which is
// not counted.
double Bandwidth(int threads, std::vector<float>* a,
                 const std::vector<float>& b, const std::vector<float>& c) {
  const size_t n = a->size();
  const double seconds = SecondsOf(threads, [&](int t) {
    const size_t begin = n * t / threads, end = n * (t + 1) / threads;
    float* to = a->data();
    for (size_t i = begin; i < end; ++i) to[i] = b[i] + 3.0f * c[i];
  });
  return 3.0 * sizeof(float) * static_cast<double>(n) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  constexpr size_t kFloats = 16 << 20;  // 64 MB each, beyond the caches.
  std::vector<float> a(kFloats, 0), b(kFloats, 1), c(kFloats, 2);
  double flops = 0, bandwidth = 0;
  for (int i = 0; i < 5; ++i) {
    flops = std::max(flops, Flops(threads));
    bandwidth = std::max(bandwidth, Bandwidth(threads, &a, b, c));
  }
  std::printf("%.4g %.4g\n", flops, bandwidth);
  return 0;
}
