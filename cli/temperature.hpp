// How sharp the scores are: arc and label scores are divided by numbers that calibrate
// (docs/parsers.md) has found.
#pragma once

#include <coppice/io.hpp>
#include <string>

namespace coppice::cli {

struct Temperature {
  double arcs = 1.0;
  double labels = 1.0;

  bool changes_anything() const { return arcs != 1.0 || labels != 1.0; }
};

// What both may be, so that no score overflows for them, and how that is said.
inline constexpr const char* kTemperatures = "a number from 1e-30 to 1e30";
inline bool is_temperature(double value) { return value >= 1e-30 && value <= 1e30; }

// "1.3", or a JSON file {"arcs": 1.3, "labels": 0.9}. Throws UsageError.
Temperature parse_temperature(const std::string& text);

// Divides; whole numbers become float64.
void temper(io::Sentence& sentence, const Temperature& temperature);

}  // namespace coppice::cli
