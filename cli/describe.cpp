#include "describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <coppice/version.hpp>
#include <utility>
#include <vector>

namespace coppice::cli {
namespace {

struct Opt {
  std::vector<std::string> names;  // with dashes; empty for positionals
  std::string positional;
  std::string value;                 // what stands behind it, empty for flags
  std::vector<std::string> choices;  // words it may be
  std::string help;

  bool is_file() const { return value == "FILE"; }
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Opt describe(const CLI::Option& option) {
  Opt result;
  for (const auto& name : option.get_snames()) result.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) result.names.push_back("--" + name);
  if (option.get_positional()) result.positional = option.get_name(true);
  if (option.get_items_expected_max() > 0) result.value = option.get_type_name();
  if (result.value.find('|') != std::string::npos) result.choices = split(result.value, '|');
  result.help = option.get_description();
  return result;
}

std::vector<Opt> options_of(const CLI::App& app) {
  std::vector<Opt> options;
  for (const CLI::Option* option : app.get_options()) options.push_back(describe(*option));
  return options;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Inside single quotes of a shell.
std::string quoted(const std::string& text) { return replaced(text, "'", "'\\''"); }

// Inside troff text: hyphens of options are minus signs, a dot must not begin a line.
std::string troff(const std::string& text) {
  return replaced(replaced(text, "\\", "\\e"), "-", "\\-");
}

std::string synopsis(const CLI::App& command) {
  std::string text = "coppice " + command.get_name();
  for (const Opt& option : options_of(command)) {
    if (!option.positional.empty()) text += ' ' + option.positional;
  }
  return text;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const Opt& option : options_of(app)) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string bash_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : commands_of(app)) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    std::string values, words;
    for (const Opt& option : options_of(*command)) {
      if (option.choices.empty()) continue;
      if (!option.positional.empty()) words += fmt::format(" {}", fmt::join(option.choices, " "));
      if (!option.names.empty()) {
        values +=
            fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                        fmt::join(option.names, "|"), fmt::join(option.choices, " "));
      }
    }
    cases += fmt::format(
        "    {0})\n      case $previous in\n{1}        -*) ;;\n      esac\n      words='{2}{3}' "
        ";;\n",
        command->get_name(), values, fmt::join(option_names(*command), " "), words);
  }
  return fmt::format(
      R"(# bash completion for coppice, made by: coppice completions bash
_coppice() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=''
  COMPREPLY=()
  case ${{COMP_WORDS[1]}} in
{}    *) words='{} --help --version' ;;
  esac
  if [[ $current == -* || $COMP_CWORD -eq 1 || ${{COMP_WORDS[1]}} == completions ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -o bashdefault -F _coppice coppice
)",
      cases, commands);
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands, cases;
  // In a specification of _arguments brackets and colons mean something.
  const auto plain = [](const std::string& text) {
    return quoted(replaced(replaced(replaced(text, "[", "("), "]", ")"), ":", "\\:"));
  };
  for (const CLI::App* command : commands_of(app)) {
    commands +=
        fmt::format("    '{}:{}'\n", command->get_name(), plain(command->get_description()));
    std::string arguments;
    for (const Opt& option : options_of(*command)) {
      std::string action = option.is_file() ? "_files" : "";
      if (!option.choices.empty()) action = fmt::format("({})", fmt::join(option.choices, " "));
      if (!option.positional.empty()) {
        arguments += fmt::format(" \\\n        '*:{}:{}'", option.positional,
                                 action.empty() ? "_files" : action);
      }
      for (const std::string& name : option.names) {
        arguments += fmt::format(
            " \\\n        '*{}[{}]{}'", name, plain(option.help),
            option.value.empty() ? "" : fmt::format(":{}:{}", plain(option.value), action));
      }
    }
    cases += fmt::format("    {})\n      _arguments{} ;;\n", command->get_name(), arguments);
  }
  return fmt::format(
      R"(#compdef coppice
# zsh completion for coppice, made by: coppice completions zsh
_coppice() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_coppice "$@"
)",
      commands, cases);
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# fish completion for coppice, made by: coppice completions fish\n";
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format("complete -c coppice -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command->get_name(), quoted(command->get_description()));
    for (const Opt& option : options_of(*command)) {
      std::string line = fmt::format("complete -c coppice -n '__fish_seen_subcommand_from {}'",
                                     command->get_name());
      if (!option.choices.empty()) {
        line += fmt::format(" -f -{} '{}'", option.names.empty() ? "a" : "xa",
                            fmt::join(option.choices, " "));
      } else if (!option.value.empty()) {
        line += option.is_file() ? " -r" : " -x";
      }
      if (option.names.empty() && option.choices.empty()) continue;
      for (const std::string& name : option.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2)
                                       : (name.size() == 2 ? " -s " : " -o ") + name.substr(1);
      }
      text += line + fmt::format(" -d '{}'\n", quoted(option.help));
    }
  }
  return text;
}

std::string manual_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH COPPICE 1 \"\" \"coppice {0}\" \"User Commands\"\n.SH NAME\ncoppice \\- the K best "
      "trees of "
      "directed graphs\n.SH SYNOPSIS\n",
      COPPICE_VERSION);
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format(".B {}\n[options]\n.br\n", troff(synopsis(*command)));
  }
  text += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", troff(app.get_description()));
  for (const CLI::App* command : commands_of(app)) {
    text +=
        fmt::format(".SS {}\n{}.\n", troff(synopsis(*command)), troff(command->get_description()));
    for (const Opt& option : options_of(*command)) {
      const std::string names = option.names.empty()
                                    ? option.positional
                                    : fmt::format("{}", fmt::join(option.names, ", "));
      text +=
          fmt::format(".TP\n.B {}{}\n{}.\n", troff(names),
                      option.value.empty() || option.names.empty() ? "" : " " + troff(option.value),
                      troff(option.help));
    }
    text += fmt::format(".PP\n.nf\n{}\n.fi\n", troff(command->get_footer()));
  }
  return text +
         ".SH EXIT STATUS\n"
         ".TP\n.B 0\nAll is done. Broken sentences that were skipped are reported, but no "
         "failure.\n"
         ".TP\n.B 1\nverify found a fault, or no sentence at all could be decoded.\n"
         ".TP\n.B 2\nThe command line asks for what cannot be.\n"
         ".TP\n.B 3\nA file cannot be read, or a sentence is broken and \\-\\-strict was given.\n"
         ".TP\n.B 4\nThe output cannot be written.\n"
         ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nSet: no colours in \\-\\-format text unless "
         "\\-\\-color always.\n";
}

}  // namespace coppice::cli
