# Spanning trees in R: the K best, how many tie for the best, and which edges those share.
#
# One file for source(). It calls the program `coppice` and needs no package. Where the program is
# not on the PATH, say where it is: Sys.setenv(COPPICE = "/path/to/coppice").
#
#   source("r/coppice.R")
#   trees <- coppice_kbest(edges, k = 10, root = "case 1", minimize = TRUE)
#   coppice_ties(edges, root = "case 1", minimize = TRUE)$count
#   plot(coppice_phylo(trees)[[1]])                               # with the package ape
#
# A graph is one of
#   a data frame with columns such as source, target, weight (or from, to, cost; see
#   docs/formats.md), a row for every edge;
#   a square matrix: row a, column b weighs the edge from a to b, NA is no edge, the names are those
#   of the rows, or else 1, 2, ...;
#   an object of class "dist", which is undirected.
#
# Arguments of coppice_kbest() and coppice_ties():
#   x           the graph
#   root        the name of the node from which all others are to be reached; without it any node
#               may be the root (of an undirected graph trees hang from the first node)
#   minimize    weights are costs
#   undirected  edges have no directions
#   dates       no edge leads to an earlier node: dates (or numbers) whose names are those of nodes,
#               or a data frame of nodes and dates
#   options     other options of the program, as typed: c("--max-weight", "12")
# and of coppice_kbest() alone:
#   k           how many trees; NULL: all within max_gap
#   max_gap     only trees that are no more than this worse than the best
#
# Names are those of nodes even where they are numbers. The program refuses what is no number, and
# parallel edges are different choices. A graph without a tree gives a warning that says why.

# A data frame with a row for every edge of every tree, the best tree first: rank, score, gap,
# source, target, weight and, where the edges have one, label. Scores are numbers of R, so that
# integers beyond 2^53 are rounded.
coppice_kbest <- function(x, k = 1, root = NULL, minimize = FALSE, undirected = FALSE,
                          max_gap = NULL, dates = NULL, options = character()) {
  asked <- options
  if (!is.null(k)) asked <- c("-k", .coppice_count(k, "k"), asked)
  if (!is.null(max_gap)) asked <- c("--max-gap", .coppice_number(max_gap, "max_gap"), asked)
  lines <- .coppice_run("decode", x, root, minimize, undirected, dates,
                        c(asked, "--format", "tsv"))
  trees <- .coppice_table(lines)[-1]  # without the graph
  numbers <- c("rank", "score", "gap", "weight")
  trees[numbers] <- lapply(trees[numbers], as.numeric)
  trees$rank <- as.integer(trees$rank)
  if (all(trees$label == "")) trees$label <- NULL
  trees
}

# A list: `count`, the number of trees that share the best score, as text since it may have
# thousands of digits (NA where it would take more than about a minute), its logarithm
# `log10_count`, the `score`, and `support`, a data frame with the share of these trees that have
# each edge. Where any node may be the root, edges from NA are the roots.
coppice_ties <- function(x, root = NULL, minimize = FALSE, undirected = FALSE, dates = NULL,
                         options = character()) {
  run <- function(...) .coppice_run("ties", x, root, minimize, undirected, dates, c(options, ...))
  json <- paste(run(), collapse = "")
  found <- function(key, pattern) {
    match <- regmatches(json, regexec(paste0("\"", key, "\": \"?(", pattern, ")[\",}]"), json))[[1]]
    if (length(match) == 2 && match[2] != "null") match[2] else NA_character_
  }
  support <- .coppice_table(run("--format", "tsv"))[-1]
  support$source[support$source == ""] <- NA
  support[c("weight", "support")] <- lapply(support[c("weight", "support")], .coppice_numbers)
  if (all(support$label == "")) support$label <- NULL
  list(count = found("count", "[0-9]+|null"),
       log10_count = as.numeric(found("log10_count", "[-+.0-9e]+|null")),
       score = as.numeric(found("score", "[-+.0-9e]+|null")), support = support)
}

# What coppice_kbest() found as trees of the package ape: a list of class "multiPhylo", whose trees
# have `score` and `gap`, too. Weights are branch lengths.
#
# The nodes of a spanning tree are all observed, the inner ones, too. With tips = "leaves" these
# keep their names in node.label, and functions that look at tips alone do not see them; a node with
# one child is a "single" node (ape::has.singles), which ape does not draw. With tips = "all" each
# inner node gets one more child, a tip of its own name at distance 0, so that every case is a tip
# and no node is single.
coppice_phylo <- function(trees, tips = c("leaves", "all")) {
  tips <- match.arg(tips)
  needed <- c("rank", "score", "gap", "source", "target", "weight")
  if (!is.data.frame(trees) || !all(needed %in% names(trees)))
    stop("trees is not what coppice_kbest() gives: a data frame with columns ", toString(needed))
  made <- lapply(split(trees, trees$rank), .coppice_phylo, tips = tips)
  structure(unname(made), class = "multiPhylo")
}

.coppice_phylo <- function(tree, tips) {
  names <- unique(c(tree$source, tree$target))
  parent <- match(tree$source, names)
  child <- match(tree$target, names)
  root <- setdiff(parent, child)
  if (length(root) != 1 || anyDuplicated(child)) stop("rank ", tree$rank[1], " is no tree")
  below <- split(seq_along(child), factor(parent, seq_along(names)))
  order <- integer(length(child))  # the edges as a walk from the root down meets them
  stack <- rev(below[[root]])
  for (i in seq_along(order)) {
    last <- length(stack)
    order[i] <- stack[last]
    stack <- c(stack[-last], rev(below[[child[order[i]]]]))
  }
  visited <- c(root, child[order])
  inner <- lengths(below) > 0
  is_tip <- if (tips == "all") rep(TRUE, length(names)) else !inner
  shown <- visited[is_tip[visited]]
  within <- visited[inner[visited]]
  tip <- match(seq_along(names), shown)
  node <- ifelse(inner, length(shown) + match(seq_along(names), within), tip)
  edge <- cbind(node[parent[order]], node[child[order]])
  length_of <- tree$weight[order]
  if (tips == "all") {  # behind the edge into an inner node the one to its own tip
    own <- cbind(node[within], tip[within])
    place <- c(seq_along(order), match(within, visited) - 0.5)
    edge <- rbind(edge, own)[order(place), , drop = FALSE]
    length_of <- c(length_of, rep(0, length(within)))[order(place)]
  }
  storage.mode(edge) <- "integer"
  structure(list(edge = edge, edge.length = length_of, Nnode = length(within),
                 node.label = names[within], tip.label = names[shown],
                 score = tree$score[1], gap = tree$gap[1]),
            class = "phylo", order = "cladewise")
}

# --- below: how the program is called ---

.coppice_run <- function(command, x, root, minimize, undirected, dates, asked) {
  program <- Sys.getenv("COPPICE", "coppice")
  if (!nzchar(Sys.which(program)))
    stop("there is no program '", program, "': install coppice, or name it with ",
         "Sys.setenv(COPPICE = \"/path/to/coppice\")", call. = FALSE)
  folder <- tempfile("coppice-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  path <- function(name) file.path(folder, name)
  .coppice_write(x, path("graph.csv"))
  asked <- c(command, path("graph.csv"), asked,
             if (is.null(root)) "--any-root" else c("--root-node", .coppice_name(root)),
             if (isTRUE(minimize)) "--minimize",
             if (isTRUE(undirected) || inherits(x, "dist")) "--undirected")
  if (!is.null(dates)) {
    .coppice_write_dates(dates, path("dates.csv"))
    asked <- c(asked, "--dates", path("dates.csv"))
  }
  status <- system2(program, shQuote(asked), stdout = path("out"), stderr = path("said"))
  said <- gsub(paste0(folder, "/"), "", readLines(path("said"), warn = FALSE), fixed = TRUE)
  said <- paste(sub("^coppice: ", "", said), collapse = "\n")
  if (status != 0) stop("coppice: ", if (nzchar(said)) said else paste("exit", status),
                        call. = FALSE)
  lines <- readLines(path("out"), warn = FALSE, encoding = "UTF-8")
  why <- sub("^# *", "", grep("^#", lines, value = TRUE))
  if (nzchar(said)) warning("coppice: ", said, call. = FALSE)
  else if (length(why)) warning("coppice: ", paste(why, collapse = "\n"), call. = FALSE)
  lines[!startsWith(lines, "#")]
}

.coppice_table <- function(lines) {
  fields <- strsplit(paste0(lines, "\t."), "\t", fixed = TRUE)  # the last field may be empty
  columns <- fields[[1]][-length(fields[[1]])]
  rows <- do.call(rbind, fields[-1])
  if (is.null(rows)) rows <- matrix(character(), 0, length(columns) + 1)
  table <- as.data.frame(rows[, seq_along(columns), drop = FALSE], stringsAsFactors = FALSE)
  stats::setNames(table, columns)
}

.coppice_write <- function(x, path) {
  if (inherits(x, "dist")) x <- as.matrix(x)
  if (is.matrix(x)) {
    if (nrow(x) != ncol(x)) stop("x is a matrix of ", nrow(x), " rows and ", ncol(x), " columns")
    names <- rownames(x)
    if (is.null(names)) names <- colnames(x)
    if (is.null(names)) names <- as.character(seq_len(nrow(x)))
    if (!is.null(colnames(x)) && !identical(colnames(x), names))
      stop("rows and columns of x have different names")
    if (!is.numeric(x)) stop("x is a matrix of ", typeof(x), ", not of numbers")
    diag(x) <- NA
    cells <- matrix(.coppice_number(x, "x", missing = ""), nrow(x))
    header <- paste(c("", .coppice_quoted(names)), collapse = ",")
    lines <- c(header, paste(.coppice_quoted(names), apply(cells, 1, paste, collapse = ","),
                             sep = ","))
  } else if (is.data.frame(x)) {
    cells <- lapply(names(x), function(name) {
      if (is.numeric(x[[name]]) && !is.factor(x[[name]])) .coppice_number(x[[name]], name)
      else .coppice_quoted(as.character(x[[name]]))
    })
    lines <- c(paste(.coppice_quoted(names(x)), collapse = ","),
               if (nrow(x)) do.call(paste, c(cells, sep = ",")))
  } else {
    stop("x is of class ", class(x)[1], "; need a matrix, a data frame or a \"dist\"")
  }
  .coppice_save(lines, path)
}

.coppice_write_dates <- function(dates, path) {
  if (!is.data.frame(dates)) {
    if (is.null(names(dates))) stop("dates have no names: of which nodes are they?")
    dates <- data.frame(node = names(dates), date = unname(dates))
  }
  if (ncol(dates) != 2) stop("dates has ", ncol(dates), " columns; need nodes and their dates")
  date <- dates[[2]]
  text <- if (inherits(date, c("Date", "POSIXt"))) format(date, "%Y-%m-%d")
          else if (is.numeric(date)) .coppice_number(date, "dates")
          else as.character(date)
  known <- !is.na(date)  # a node without a date may be anywhere
  node <- as.character(dates[[1]])[known]
  .coppice_save(c("node,date", paste(.coppice_quoted(node), .coppice_quoted(text[known]),
                                     sep = ",")), path)
}

.coppice_save <- function(lines, path) {
  file <- file(path, "wb")
  on.exit(close(file))
  writeLines(enc2utf8(lines), file, useBytes = TRUE)
}

.coppice_name <- function(name) {
  if (length(name) != 1 || is.na(name)) stop("root is the name of one node")
  enc2utf8(as.character(name))
}

.coppice_quoted <- function(names) {
  bad <- which(is.na(names) | grepl("[[:cntrl:]]", names))
  if (length(bad))
    stop("row ", bad[1], ": the name ", encodeString(names[bad[1]], quote = "'", na.encode = TRUE),
         " is missing, or has a control character")
  paste0("\"", gsub("\"", "\"\"", names, fixed = TRUE), "\"")
}

# As text that reads back as the same number.
.coppice_number <- function(values, what, missing = NULL) {
  if (!is.numeric(values)) stop(what, " is ", class(values)[1], ", not a number")
  bad <- which(is.nan(values) | values == Inf | (is.na(values) & is.null(missing)))
  if (length(bad)) stop(what, " is ", values[bad[1]], " (number ", bad[1], "); need a finite number")
  text <- sprintf("%.17g", as.vector(values))
  if (!is.null(missing)) text[is.na(values)] <- missing
  sub("-Inf", "-inf", text, fixed = TRUE)
}

.coppice_count <- function(k, what) {
  if (!is.numeric(k) || length(k) != 1 || is.na(k) || k < 1 || k != floor(k))
    stop(what, " is ", toString(k), "; need a whole number of at least 1")
  sprintf("%.0f", k)
}

.coppice_numbers <- function(text) as.numeric(replace(text, text == "", NA))
