// The commands that read what others wrote: verify (trees that claim to be best), decode --resume
// (an interrupted run), evaluate, confidence and view (words and gold trees), each with any score
// file.
#include <nlohmann/json.hpp>
#include <sstream>

#include "bytes.hpp"
#include "check.hpp"
#include "confidence.hpp"
#include "decode.hpp"
#include "errors.hpp"
#include "evaluate.hpp"
#include "folder.hpp"
#include "reading.hpp"
#include "target.hpp"
#include "verify.hpp"
#include "view.hpp"

namespace coppice::fuzz::commands_target {
namespace {

// An exit code and a message is an answer; any other exception is a fault.
template <class Command>
bool ends_well(Command command) {
  try {
    command();
    return true;
  } catch (const cli::UsageError&) {
  } catch (const cli::StrictError&) {
  } catch (const cli::OutputError&) {
  } catch (const io::FormatError&) {
  } catch (const std::invalid_argument&) {
  }
  return false;
}

// What this run calls itself in the notes of an interrupted one.
std::string description(cli::DecodeCommand decode, const Folder& folder) {
  folder.write(
      "out.resume",
      R"({"description":"?","sentences":0,"trees":0,"broken":0,"without_tree":0,"bytes":0})");
  decode.resume = true;
  std::ostringstream log;
  const std::string error = error_of<cli::UsageError>([&] { cli::decode(decode, log); });
  return error.substr(std::min(error.size(), error.find("now:  ") + 6));
}

// An interrupted run about which anything may be said: it is refused, or begun again, or taken up
// and brought to its end.
void resume(cli::DecodeCommand decode, const Folder& folder, Bytes& bytes) {
  std::ostringstream log;
  if (!ends_well([&] { cli::decode(decode, log); })) return;
  const std::string expected = folder.read("out");
  decode.resume = true;
  folder.write("out.resume", bytes.until('\0'));
  folder.write("out.partial", expected.substr(0, expected.size() / 2));
  if (ends_well([&] { cli::decode(decode, log); })) {
    EXPECT_EQ(folder.read("out"), expected);
  }
  nlohmann::json lies = {{"description", description(decode, folder)}};
  for (const char* number : {"sentences", "trees", "broken", "without_tree", "bytes"})
    lies[number] = bytes.flag() ? bytes.take<std::int8_t>() : bytes.take<std::int64_t>();
  folder.write("out.resume", lies.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  folder.write("out.partial", expected.substr(0, expected.size() / 2));
  ends_well([&] { cli::decode(decode, log); });
}

}  // namespace

void run(Bytes bytes) {
  static const Folder folder;
  const auto flags = bytes.take<std::uint8_t>();
  cli::InputOptions input;
  input.read.limits = kLimits;
  input.paths = {folder.write("scores", bytes.until('\0'))};
  std::ostringstream out, log;

  const std::string trees = folder.write("trees", bytes.until('\0'));
  ends_well([&] { cli::verify({.trees = trees, .input = input}, out, log); });

  cli::DecodeCommand decode;
  decode.input = input;
  decode.output = folder.path("out");
  decode.decoding.request.k = 3;
  resume(decode, folder, bytes);

  input.text_path = folder.write("text", bytes.text());
  cli::DecodingOptions decoding;
  decoding.request.k = 3;
  decoding.strict = (flags & 1) != 0;
  ends_well([&] {
    cli::evaluate({.input = input, .decoding = decoding, .ks = {1, 3}, .json = false}, out, log);
  });
  ends_well([&] { cli::parse_temperature(input.text_path); });  // the same bytes as JSON
  cli::ConfidenceCommand confidence;
  confidence.input = input;
  confidence.decoding = decoding;
  confidence.output = folder.path("sure");
  ends_well([&] { cli::confidence(confidence, out, log); });
  cli::ViewCommand view;
  view.input = input;
  view.decoding = decoding;
  view.output = folder.path("page");
  view.svg = (flags & 2) != 0;
  ends_well([&] { cli::view(view, log); });
}

}  // namespace coppice::fuzz::commands_target
