// xoshiro256++ (Blackman, Vigna 2019), seeded by splitmix64 as its authors advise: the same numbers
// on every machine, which the distributions of <random> do not promise.
#pragma once

#include <bit>
#include <cstdint>

namespace coppice::distribution {

// One step of splitmix64: advances the state and returns the next number.
inline std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (auto& word : state_) word = splitmix64(seed);
  }

  std::uint64_t next() {
    std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // In the open interval (0, 1), 52 bits.
  double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::uint64_t state_[4];
};

}  // namespace coppice::distribution
