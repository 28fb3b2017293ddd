#!/usr/bin/env bash
# A sample of the tests and of the program under valgrind: reads of memory that nobody has written,
# which the sanitizers do not see.
set -euo pipefail
cd "$(dirname "$0")/../build"
# The exit code is none of the program's own. One test counts allocations by an operator new of its
# own, which valgrind would take for a mismatch; the sanitizers see real ones.
check() {
  echo "valgrind: $*"
  valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
    --show-mismatched-frees=no "$@" >/dev/null
}
check tests/engine_test --gtest_filter='Problem.AllCooptimalTrees:Certificate.*:Labels.*:Stream.*:Numbers.Denormals'
check tests/core_test --gtest_filter='WorkedExample.*:PaperNotes.*:Input.*'
check tests/distribution/distribution_test --gtest_filter='Exact.NoTree:Exact.AnyStridesAndScalars:Sample.IsReproducible'
check tests/io/io_test --gtest_filter='JsonLines.*:EdgeList.*:Conllu.*:Jsonl.*:Arrays.*'
scores=../data/ud-scores
check ./coppice decode $scores/Marathi-UFAL.npz -k 20 --threads 2
check ./coppice decode $scores/English-EWT.npz --labels $scores/English-EWT.labels.npz -k 5 --shard 1/300
check ./coppice view $scores/English-EWT.npz --text ../data/en_ewt-ud-test.conllu --shard 1/100
for target in engines options npz json_lines edge_list trees; do
  check fuzz/fuzz_$target ../fuzz/corpus/$target
done
echo "valgrind: no errors"
