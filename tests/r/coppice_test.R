# Tests of r/coppice.R, in the folder of the repository, COPPICE being the program.
options(warn = 1)
source("r/coppice.R")

is_error <- function(expression, text) {
  said <- tryCatch({ expression; "no error" }, error = conditionMessage)
  if (!grepl(text, said, fixed = TRUE)) stop("expected: ", text, "\n     found: ", said)
}

edges <- data.frame(
  from = c("normal", "normal", "A", "B", "A"), to = c("A", "B", "B", "C", "C"),
  weight = c(5, 3, 4, 2, 2))

# --- data frames ---
trees <- coppice_kbest(edges, k = 9, root = "normal")
stopifnot(
  identical(names(trees), c("rank", "score", "gap", "source", "target", "weight")),
  identical(unique(trees$score), c(11, 10)), nrow(trees) == 4 * 3,
  identical(trees$rank, rep(1:4, each = 3)),
  sum(trees$weight[trees$rank == 1]) == 11)
stopifnot(max(coppice_kbest(edges, k = NULL, max_gap = 0, root = "normal")$rank) == 2)
stopifnot(all(coppice_kbest(edges, root = "normal", minimize = TRUE)$score == 10))
labelled <- coppice_kbest(cbind(edges, label = letters[1:5]), root = "normal")
stopifnot(all(labelled$label %in% letters))
dated <- coppice_kbest(edges, root = "normal", dates = c(A = 2, B = 1, C = 3))
stopifnot(!any(dated$source == "A" & dated$target == "B"))
days <- as.Date("2024-03-01") + c(1, 0, 2)
same <- coppice_kbest(edges, root = "normal", dates = data.frame(c("A", "B", "C"), days))
stopifnot(identical(same, dated))
forbidden <- coppice_kbest(edges, options = c("--forbid", "A:B"), root = "normal")
stopifnot(identical(forbidden$score[1], 10))

# Names may be anything that a line can hold, and numbers are names.
odd <- c("it's; $(touch x) `y` \"q\"", "a, b", "ß %s \\n", "-k", "#1")
path <- data.frame(from = odd[-5], to = odd[-1], weight = 1:4)
stopifnot(identical(coppice_kbest(path, root = odd[1])$target, odd[-1]))
stopifnot(identical(coppice_kbest(path)$source[1], odd[1]))
stopifnot(identical(coppice_kbest(data.frame(from = c(101, 102), to = c(102, 103), cost = 1:2))$source,
                    c("101", "102")))
stopifnot(!file.exists("x"))

# --- matrices ---
distance <- matrix(c(0, 1, 4, 1, 0, 2, 4, 2, NA), 3, dimnames = rep(list(c("x", "y", "z")), 2))
of_matrix <- coppice_kbest(distance, k = 9, minimize = TRUE, undirected = TRUE)
stopifnot(identical(unique(of_matrix$score), c(3, 5, 6)))
stopifnot(identical(coppice_kbest(as.dist(distance), k = 9, minimize = TRUE), of_matrix))
unnamed <- coppice_kbest(unname(distance), root = 1, minimize = TRUE)
stopifnot(identical(unnamed$source, c("1", "2")))
tenths <- matrix(c(NA, NA, 0.1, NA), 2)  # not rounded on the way
stopifnot(identical(coppice_kbest(tenths)$weight, 0.1))

# --- ties ---
ties <- coppice_ties(edges, root = "normal")
stopifnot(identical(ties$count, "2"), ties$score == 11, abs(ties$log10_count - log10(2)) < 1e-12,
          identical(ties$support$support, c(1, 1, 0.5, 0.5)))
stopifnot(identical(substr(coppice_ties(as.dist(matrix(1, 30, 30)))$count, 1, 9), "228767924"))
stopifnot(anyNA(coppice_ties(edges)$support$source))

# --- trees of ape ---
phylo <- coppice_phylo(trees)
stopifnot(inherits(phylo, "multiPhylo"), length(phylo) == 4)
first <- phylo[[1]]
stopifnot(first$Nnode + length(first$tip.label) == 4, nrow(first$edge) == 3,
          identical(first$node.label[1], "normal"), first$edge[1, 1] == length(first$tip.label) + 1,
          sum(first$edge.length) == 11, first$score == 11)
all_tips <- coppice_phylo(trees, tips = "all")[[1]]
stopifnot(setequal(all_tips$tip.label, c("normal", "A", "B", "C")),
          nrow(all_tips$edge) == 3 + first$Nnode, sum(all_tips$edge.length) == 11,
          all(table(all_tips$edge[, 1]) >= 2))
if (requireNamespace("ape", quietly = TRUE)) {
  for (tree in unclass(coppice_phylo(trees, tips = "all"))) {
    said <- capture.output(ape::checkValidPhylo(tree))
    if (any(grepl("FATAL|MODERATE", said))) stop(paste(said, collapse = "\n"))
  }
  stopifnot(ape::has.singles(first), !ape::has.singles(all_tips),
            identical(ape::write.tree(first), "(((C:2)B:4)A:5)normal;"))
  stopifnot(identical(ape::write.tree(all_tips), ape::write.tree(ape::read.tree(
    text = ape::write.tree(all_tips)))))
}

# --- what is wrong is said ---
is_error(coppice_kbest(1:3), "x is of class integer; need a matrix, a data frame")
is_error(coppice_kbest(matrix(1, 2, 3)), "x is a matrix of 2 rows and 3 columns")
is_error(coppice_kbest(transform(edges, weight = c(1, NA, 3, 4, 5))), "weight is NA (number 2)")
is_error(coppice_kbest(transform(edges, from = NA_character_)), "row 1: the name NA")
is_error(coppice_kbest(edges, k = 0), "k is 0; need a whole number of at least 1")
is_error(coppice_kbest(edges, root = "nobody"), "'nobody' is not in the graph")
is_error(coppice_kbest(edges, dates = c(A = 1, b = 2)), "'b' has a date, and there is no such node")
is_error(coppice_kbest(edges, options = "--nonsense"), "--nonsense")
is_error(coppice_phylo(edges), "trees is not what coppice_kbest() gives")
warned <- NULL
none <- withCallingHandlers(coppice_kbest(edges, root = "C"), warning = function(w) {
  warned <<- conditionMessage(w)
  invokeRestart("muffleWarning")
})
stopifnot(nrow(none) == 0, grepl("no tree: ", warned, fixed = TRUE))
left <- list.files(tempdir(), "^coppice-")
if (length(left)) stop("left behind: ", toString(left))
Sys.setenv(COPPICE = "/nowhere/coppice")
is_error(coppice_kbest(edges), "there is no program '/nowhere/coppice'")
