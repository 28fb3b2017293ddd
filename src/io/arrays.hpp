// Score matrices in NumPy arrays: flat with lengths, padded batches, single matrices.
#pragma once

#include <coppice/io.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "io/npy.hpp"
#include "io/zip.hpp"

namespace coppice::io {

std::unique_ptr<Reader> open_npz(ZipArchive archive, const ReadOptions& options);
std::unique_ptr<Reader> open_npy(std::unique_ptr<ByteSource> source, const std::string& name,
                                 const ReadOptions& options);

// The array in member NAME.npy of an archive.
NpyArray open_array(const ZipArchive& archive, const std::string& name);

}  // namespace coppice::io
