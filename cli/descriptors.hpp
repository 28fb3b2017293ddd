// The ground the program stands on: its three descriptors, and signals that would end it without a
// word.
#pragma once

namespace coppice::cli {

// Where a standard descriptor is closed, the next file opened would take its place, and messages
// would be written into it. What is opened instead fails when it is used.
void secure_descriptors();

}  // namespace coppice::cli
