#include "graph/large_arrays.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace coppice {

#if defined(__linux__) && defined(MADV_HUGEPAGE)

void prefer_large_pages(void* begin, std::size_t bytes) {
  constexpr std::size_t kLarge = std::size_t{2} << 20;
  if (bytes < kLarge) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % page;
  const std::size_t skipped = before == 0 ? 0 : page - before;
  madvise(static_cast<std::byte*>(begin) + skipped, (bytes - skipped) / page * page,
          MADV_HUGEPAGE);  // may be refused
}

#else

void prefer_large_pages(void* /*begin*/, std::size_t /*bytes*/) {}

#endif

}  // namespace coppice
