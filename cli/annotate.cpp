#include "annotate.hpp"

#include <optional>
#include <utility>

#include "errors.hpp"
#include "output.hpp"
#include "page_file.hpp"
#include "paths.hpp"
#include "pictures.hpp"
#include "progress.hpp"

namespace coppice::cli {
namespace {

void add_sentences(const AnnotateCommand& command, Input& input, view::PageWriter& page,
                   OutputFile& output, std::string& html, std::ostream& log) {
  Progress progress(input.total(), 0, output.on_terminal());
  PictureMaker pictures(command.input);
  // The page finds the trees; here the best one says how doubtful a sentence is.
  DecodingOptions decoding = command.decoding;
  decoding.request.k = 1;
  Totals totals;
  decode_all(input, decoding, log, totals,
             {.handle =
                  [&](const Decoded& decoded) {
                    view::Picture picture = pictures.make_live(decoded);
                    picture.trees = nullptr;
                    page.add(picture, html);
                    output.write(std::exchange(html, {}));
                  },
              .end_of_batch = [&] { progress.update(totals.sentences); }});
}

}  // namespace

int annotate(const AnnotateCommand& typed, std::ostream& log) {
  AnnotateCommand command = typed;
  command.input = resolved(std::move(command.input), command.decoding.problem);
  const bool empty = command.input.paths.empty();
  if (empty && !command.input.text_path.empty())
    throw UsageError("--text goes with score files; an empty page is made without it");
  if (command.input.guarantee)
    promise_root(*command.input.guarantee, command.decoding.problem, command.decoding.root_given);
  refuse_clashes(command.input, {command.output});
  command.output = page_path(command.output, command.open);
  std::optional<Input> input;
  if (!empty) input.emplace(command.input);
  OutputFile output(command.output);
  view::PageWriter page({.title = empty ? "coppice" : title_of(command.input, command.title),
                         .caption = {},
                         .annotate = true,
                         .problem = command.decoding.problem,
                         .k = command.decoding.request.k.value_or(1),
                         .from_text = command.from_text,
                         .promise = promise_of(command.input)});
  std::string html;
  page.begin(html);
  if (input) add_sentences(command, *input, page, output, html, log);
  page.end(html);
  output.write(html);
  output.finish();
  if (command.open) open_in_browser(command.output, log);
  return kOk;
}

}  // namespace coppice::cli
