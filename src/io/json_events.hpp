// A base for readers of JSON that build no document: they see one value after the other and can say
// at any of them what is wrong.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace coppice::io {

// The fields of one object on one line. A derived class gets every value with the field it is in
// (the key of the outermost object) and its depth in lists: 0 for "id": "x", 1 for the elements of
// "words": [..], 2 for those of "scores": [[..]]. Fields that wanted() refuses are passed over.
class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  // Parses the line; returns what is wrong, or nothing.
  std::string parse(std::string_view line);

  bool null() final { return seen(); }
  bool boolean(bool) final {
    return seen([this] { return fail_type("true or false"); });
  }
  bool number_integer(number_integer_t value) final {
    return seen([&, this] { return integer_value(value); });
  }
  bool number_unsigned(number_unsigned_t value) final;
  bool number_float(number_float_t value, const string_t&) final {
    return seen([&, this] { return float_value(value); });
  }
  bool string(string_t& value) final {
    return seen([&, this] { return string_value(value); });
  }
  bool binary(binary_t&) final { return false; }
  bool start_object(std::size_t) final;
  bool end_object() final;
  bool start_array(std::size_t) final;
  bool end_array() final;
  bool key(string_t& name) final;
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& error) final;

 protected:
  // Field and depth of the value at hand.
  const std::string& field() const { return field_; }
  int depth() const { return depth_ - 1; }
  bool fail(std::string what) {
    error_ = std::move(what);
    return false;
  }
  bool fail_type(std::string_view got);

  // True where the field is one that this class reads; a field that comes twice is an error.
  virtual bool wanted(std::string_view name) = 0;
  virtual bool integer_value(std::int64_t value) = 0;
  virtual bool float_value(double value) = 0;
  virtual bool null_value() { return fail_type("null"); }
  virtual bool string_value(std::string& value) = 0;
  virtual bool list_begins() { return true; }  // depth() is that of its elements
  virtual bool list_ends() { return true; }

 private:
  bool seen() {
    return seen([this] { return null_value(); });
  }
  template <class Function>
  bool seen(Function function) {
    if (depth_ == 0) return fail("not an object: a line is {\"...\": ...}");
    return passing_over_ ? true : function();
  }

  std::string error_;
  std::string field_;
  std::vector<std::string> fields_seen_;
  int depth_ = 0;  // of open objects and lists
  bool passing_over_ = false;
};

}  // namespace coppice::io
