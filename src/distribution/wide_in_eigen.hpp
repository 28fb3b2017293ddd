// Wide numbers as elements of Eigen's matrices.
#pragma once

#include <Eigen/Core>

#include "graph/wide.hpp"

template <>
struct Eigen::NumTraits<coppice::Wide> : Eigen::NumTraits<double> {
  using Real = coppice::Wide;
  using NonInteger = coppice::Wide;
  using Nested = coppice::Wide;
  using Literal = coppice::Wide;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 0,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 4,
    MulCost = 4
  };
};
