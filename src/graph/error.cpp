#include <coppice/error.hpp>
#include <exception>
#include <new>

namespace coppice {
namespace {

Failure describe_current() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::out_of_memory, "out of memory"};
  } catch (const std::length_error&) {  // more than there could ever be
    return {ErrorCode::out_of_memory, "out of memory"};
  } catch (const std::exception& error) {
    return {ErrorCode::other, error.what()};
  } catch (...) {
    return {ErrorCode::other, "unknown error"};
  }
}

}  // namespace

Failure Failure::current() {
  try {
    return describe_current();
  } catch (const std::bad_alloc&) {  // no room for the text
    return {ErrorCode::out_of_memory, "out of memory"};
  }
}

}  // namespace coppice
