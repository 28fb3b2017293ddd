#include "view.hpp"

#include <fmt/format.h>

#include <coppice/view.hpp>

#include "errors.hpp"
#include "graph/phrases.hpp"
#include "output.hpp"
#include "page_file.hpp"
#include "paths.hpp"
#include "pictures.hpp"
#include "progress.hpp"

namespace coppice::cli {
namespace {

// How many trees a live page shows of those within a gap.
constexpr std::int64_t kTreesWithinGap = 50;

std::string caption_of(const DecodingOptions& decoding) {
  const Request& asked = decoding.request;
  std::string caption = asked.k ? fmt::format("{} best", *asked.k) : std::string("all trees");
  if (decoding.distance > 0)
    caption += fmt::format(" of which any two differ in {}", counted(decoding.distance, "head"));
  if (asked.max_gap) caption += fmt::format(" within {} of the best", *asked.max_gap);
  for (const Rule& rule : decoding.problem.rules) caption += ", " + rule.name();
  if (!decoding.root_given) return caption;  // as is usual for sentences, or for graphs with names
  return caption + (decoding.problem.root == RootRule::single ? ", one root edge"
                                                              : ", any number of root edges");
}

int write_page(const ViewCommand& command, std::ostream& log) {
  Input input(command.input);
  OutputFile output(command.output);
  Progress progress(input.total(), 0, output.on_terminal());
  view::PageWriter page({.title = title_of(command.input, command.title),
                         .caption = caption_of(command.decoding),
                         .annotate = false,
                         .problem = command.decoding.problem,
                         .k = command.decoding.request.k.value_or(kTreesWithinGap),
                         .from_text = false,
                         .promise = promise_of(command.input),
                         .distance = command.decoding.distance,
                         .ignored_labels = command.decoding.ignored_labels});
  PictureMaker pictures(command.input);
  std::string html;
  page.begin(html);
  Totals totals;
  decode_all(input, command.decoding, log, totals,
             {.handle =
                  [&](const Decoded& decoded) {
                    page.add(pictures.make_live(decoded), html);
                    output.write(html);
                    html.clear();
                  },
              .end_of_batch = [&] { progress.update(totals.sentences); }});
  page.end(html);
  output.write(html);
  output.finish();
  return kOk;
}

// The sentence with this id or, where there is none, this index; the first one for "".
io::Sentence find_sentence(const ViewCommand& command) {
  Input input(command.input);
  io::Sentence sentence;
  while (input.next(sentence)) {
    if (command.sentence.empty() || command.sentence == sentence.id ||
        command.sentence == fmt::to_string(sentence.index)) {
      return sentence;
    }
  }
  throw UsageError(fmt::format("there is no sentence '{}'", command.sentence));
}

int write_svg(const ViewCommand& command) {
  const io::Sentence sentence = find_sentence(command);
  const BatchEntry result = decode_one(sentence, command.decoding);
  const auto trees = static_cast<std::int64_t>(result.trees.size());
  if (!result.ok())
    throw io::FormatError(fmt::format("sentence {}: {}", sentence.id, result.failure.text));
  if (command.rank < 1 || command.rank > trees) {
    throw UsageError(fmt::format("--rank {}: sentence {} has {} here", command.rank, sentence.id,
                                 counted(trees, "tree")));
  }
  PictureMaker pictures(InputOptions{});
  const Problem problem = which_of(sentence, command.decoding.problem, command.decoding.root_given);
  const Decoded decoded{sentence, result.trees, result.failure.text, false, problem};
  OutputFile output(command.output);
  const auto rank = static_cast<std::size_t>(command.rank - 1);
  output.write(sentence.named() ? view::tree_svg(pictures.make(decoded), rank)
                                : view::svg(pictures.make(decoded), rank));
  output.finish();
  return kOk;
}

}  // namespace

int view(const ViewCommand& typed, std::ostream& log) {
  ViewCommand command = typed;
  command.input = resolved(std::move(command.input), command.decoding.problem);
  if (command.input.keep_labels)
    throw UsageError("the page keeps heads alone: leave out --keep-labels, or use decode");
  if (command.input.guarantee)
    promise_root(*command.input.guarantee, command.decoding.problem, command.decoding.root_given);
  refuse_clashes(command.input, {command.output});
  command.output = page_path(command.output, command.open);
  const int code = command.svg ? write_svg(command) : write_page(command, log);
  if (command.open) open_in_browser(command.output, log);
  return code;
}

}  // namespace coppice::cli
