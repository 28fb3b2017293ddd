// Sentences and their trees as pictures for the page.
#pragma once

#include <coppice/view.hpp>
#include <optional>
#include <string>
#include <vector>

#include "decoding.hpp"
#include "raw_text.hpp"

namespace coppice::cli {

class PictureMaker {
 public:
  // Of the text (CoNLL-U) and the guarantee, where there are any.
  explicit PictureMaker(const InputOptions& input);

  // With the words, and of every tree its probability. Good until the next call.
  view::Picture make(const Decoded& decoded);
  // The same with all that a live page needs: scores, text, how doubtful the best tree is.
  view::Picture make_live(const Decoded& decoded);

 private:
  void take_words(const io::Sentence& sentence);
  void take_weights(const io::Sentence& sentence);
  double doubt(const Decoded& decoded) const;

  std::optional<RawText> text_;
  std::optional<Guarantee> guarantee_;
  std::vector<Arc> settled_;
  std::vector<std::string> words_, tags_;
  std::vector<double> probabilities_, weights_;
};

// What a page is called where nobody says: the names of the files.
std::string title_of(const InputOptions& input, const std::string& title);
// What a page says of the guarantee, or "".
std::string promise_of(const InputOptions& input);

}  // namespace coppice::cli
