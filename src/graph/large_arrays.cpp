#include "graph/large_arrays.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace coppice {

#if defined(__linux__) && defined(MADV_HUGEPAGE)

void prefer_large_pages(const void* begin, std::size_t bytes) {
  constexpr std::size_t kLarge = std::size_t{2} << 20;
  if (bytes < kLarge) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t last = (address + bytes) / page * page;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // may be refused
}

#else

void prefer_large_pages(const void* /*begin*/, std::size_t /*bytes*/) {}

#endif

}  // namespace coppice
