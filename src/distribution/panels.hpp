// The inner loops of elimination in float64, compiled for several instruction sets; the best one
// that the machine has is chosen at run time.
//
// All give the same digits: elements are worked on side by side, each by the same operations in the
// same order, without fused multiply-adds, and sums of a column are those of its rows modulo 8.
//
// Matrices are column-major, their columns padded with zeros to a multiple of 8 rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace coppice::distribution::panels {

inline constexpr std::size_t kRows = 8;
inline std::size_t padded(std::size_t n) { return (n + kRows - 1) / kRows * kRows; }

struct Kernels {
  // Is every x[i] minus infinity or of magnitude <= limit? (NaN is not.)
  bool (*valid)(const double* x, double limit, std::size_t n);
  std::size_t (*zeros)(const double* x, std::size_t n);  // how many
  double (*maximum)(const double* x, std::size_t n);
  // Of any n elements; those above read as many as fill up the last eight.
  double (*sum)(const double* x, std::size_t n);
  // The sum of p[i] * (x[i] - reference) over all i with p[i] > 0.
  double (*mean)(const double* p, const double* x, double reference, std::size_t n);
  // out[i] = exp(x[i] - shift), without the rounding of the difference; 0 below 2^-1022.
  void (*exp_difference)(double* out, const double* x, double shift, std::size_t n);
  // out[i] = exp(high[i] + low[i])
  void (*exp_parts)(double* out, const double* high, const double* low, std::size_t n);
  // out[j * pitch + i] = in[i * ld + j] for i < rows, j < columns
  void (*transpose)(double* out, std::size_t pitch, const double* in, std::size_t ld,
                    std::size_t rows, std::size_t columns);

  // c += a * b: c has m rows and n columns, a has k columns, both padded; element (t, j) of b is
  // b[t * step + j * ldb], and the products are added in the order of t.
  void (*multiply_add)(double* c, std::size_t ldc, const double* a, std::ptrdiff_t lda,
                       const double* b, std::ptrdiff_t step, std::size_t ldb, std::size_t m,
                       std::size_t n, std::size_t k);

  // Eliminates words nodes - 1 down to keep + 1, as eliminate() in elimination.hpp does. False
  // where a D is below `least`. scratch has room for 8 columns.
  bool (*eliminate)(double* w, std::size_t ld, std::size_t nodes, std::size_t keep, bool single,
                    double least, double* scratch);
};

const Kernels& kernels();

// Those of every instruction set that this machine has, for tests.
struct Target {
  std::string name;
  const Kernels* kernels;
};
std::vector<Target> targets();

}  // namespace coppice::distribution::panels
