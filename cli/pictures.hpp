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
  // text_path: CoNLL-U, or empty.
  explicit PictureMaker(const std::string& text_path);

  // With the words, and of every tree its probability. Good until the next call.
  view::Picture make(const Decoded& decoded);
  // The same with all that a live page needs: scores, text, how doubtful the best tree is.
  view::Picture make_live(const Decoded& decoded);

 private:
  void take_words(const io::Sentence& sentence);
  void take_weights(const io::Sentence& sentence);
  double doubt(const Decoded& decoded) const;

  std::optional<RawText> text_;
  std::vector<std::string> words_, tags_;
  std::vector<double> probabilities_, weights_;
};

// What a page is called where nobody says: the names of the files.
std::string title_of(const InputOptions& input, const std::string& title);

}  // namespace coppice::cli
