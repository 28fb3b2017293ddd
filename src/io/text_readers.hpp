// Graphs in text files.
#pragma once

#include <coppice/io.hpp>
#include <memory>
#include <string>

#include "io/bytes.hpp"

namespace coppice::io {

std::unique_ptr<Reader> open_json_lines(std::unique_ptr<ByteSource> source, const std::string& name,
                                        const ReadOptions& options);
std::unique_ptr<Reader> open_edge_list(std::unique_ptr<ByteSource> source, const std::string& name,
                                       const ReadOptions& options);

std::unique_ptr<Reader> open_square_table(std::unique_ptr<ByteSource> source,
                                          const ReadOptions& options, bool phylip);
std::unique_ptr<Reader> open_graphml(std::unique_ptr<ByteSource> source, const std::string& name,
                                     const ReadOptions& options);
std::unique_ptr<Reader> open_dot(std::unique_ptr<ByteSource> source, const std::string& name,
                                 const ReadOptions& options);

}  // namespace coppice::io
