// What must hold of every file that a reader takes, and what may be asked of it.
#pragma once

#include <coppice/io.hpp>
#include <functional>
#include <memory>
#include <string>

namespace coppice::fuzz {

// So small that a fuzzer reaches them.
inline constexpr io::Limits kLimits{
    .max_words = 40, .max_edges = 200, .max_line_bytes = 1 << 14, .max_array_bytes = 1 << 16};

// Reads all sentences, decodes them, writes them in every format and reads back what was written;
// reads the file once more with every other sentence passed over. FormatError is an answer.
void read_scores(const std::function<std::unique_ptr<io::Reader>()>& open);

}  // namespace coppice::fuzz
