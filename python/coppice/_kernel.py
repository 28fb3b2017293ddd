"""The distribution over the trees of a batch as one Triton kernel: docs/distribution.md, section 9.

A program has a sentence and a block of its words. It eliminates all other words one by one, then,
in a copy for each word of the block, the words of the block but that one, and walks back to the
probability with which each head reaches the root without visiting that word. Numbers are weights
first. A program whose weights are too far apart for that begins again with their logarithms.
"""

from __future__ import annotations

import triton
import triton.language as tl

_NOTHING: tl.constexpr = tl.constexpr(float("-inf"))
# Logarithms that docs/distribution.md, section 9, explains: what may be lost, and how far apart
# weights may be.
_LOST_64: tl.constexpr = tl.constexpr(-668.0)
_LOST_32: tl.constexpr = tl.constexpr(-68.6)
_FAR_64: tl.constexpr = tl.constexpr(-690.0)
_FAR_32: tl.constexpr = tl.constexpr(-80.0)


@triton.jit
def _zero(log: tl.constexpr):
    """The number that stands for a missing edge."""
    return _NOTHING if log else 0.0


@triton.jit
def _times(a, b, log: tl.constexpr):
    return a + b if log else a * b


@triton.jit
def _over(a, b, log: tl.constexpr):
    """Nothing over nothing is nothing."""
    if log:
        return tl.where(a == _NOTHING, _NOTHING, a - b)
    else:
        return tl.where(a == 0.0, 0.0, a / b)


@triton.jit
def _plus(a, b, log: tl.constexpr):
    if log:
        high = tl.maximum(a, b)
        apart = tl.where(high == _NOTHING, 0.0, tl.minimum(a, b) - high)
        return high + tl.log(1.0 + tl.exp(apart))
    else:
        return a + b


@triton.jit
def _total(values, axis: tl.constexpr, log: tl.constexpr):
    if log:
        high = tl.max(values, axis)
        base = tl.where(high == _NOTHING, 0.0, high)
        return base + tl.log(tl.sum(tl.exp(values - tl.expand_dims(base, axis)), axis))
    else:
        return tl.sum(values, axis)


@triton.jit
def _exp(high, low):
    """exp(high + low), right to the last digits also where `high` is far below 0."""
    if high.dtype == tl.float64:
        return tl.exp(high) * (1.0 + low)
    else:
        # 2^steps * exp(rest); ln 2 is split so that the product of its first part is exact.
        steps = tl.floor(tl.maximum(high, -200.0) * 1.4426950408889634 + 0.5)
        rest = (tl.maximum(high, -200.0) - steps * 0.693359375) + steps * 2.12194440e-4
        return tl.exp2((rest + low) * 1.4426950408889634) * tl.exp2(steps)


@triton.jit
def _minus(a, b):
    """The difference, and what rounding took away from it."""
    high = a - b
    back = high - a
    low = (a - (high - back)) - (b + back)
    return high, tl.where(high > _NOTHING, low, 0.0)


@triton.jit
def _scores(scores, rows, columns, row_pitch, column_pitch, n, number: tl.constexpr):
    """Scores [heads, dependents] as numbers, minus infinity for all that is no edge."""
    edge = (rows[:, None] <= n) & (columns[None, :] <= n) & (columns[None, :] > 0)
    edge = edge & (rows[:, None] != columns[None, :])
    places = rows[:, None] * row_pitch + columns[None, :] * column_pitch
    return tl.load(scores + places, mask=edge, other=_NOTHING).to(number)


@triton.jit
def _shifts(
    scores, row_pitch, column_pitch, n, single: tl.constexpr, number: tl.constexpr,
    size: tl.constexpr, rows: tl.constexpr,
):  # fmt: skip
    """What is subtracted from each column and from the root's row, and how many scores are bad."""
    node = tl.arange(0, size)
    shift = tl.full([size], _NOTHING, number)
    bad = tl.zeros([size], tl.int32)
    for begin in range(0, n + 1, rows):
        row = begin + tl.arange(0, rows)
        values = _scores(scores, row, node, row_pitch, column_pitch, n, number)
        bad += tl.sum((~(values < float("inf"))).to(tl.int32), 0)
        if single:
            values = tl.where(row[:, None] == 0, _NOTHING, values)
        shift = tl.maximum(shift, tl.max(values, 0))
    shift = tl.where(shift == _NOTHING, 0.0, shift)
    root_shift = tl.zeros([], number)
    if single:
        edge = (node > 0) & (node <= n)
        root = tl.load(scores + node * column_pitch, mask=edge, other=_NOTHING).to(number)
        root_shift = tl.max(root - shift, 0)
        root_shift = tl.where(root_shift == _NOTHING, 0.0, root_shift)
    return shift, root_shift, tl.sum(bad, 0)


@triton.jit
def _weigh(
    weights, scores, row_pitch, column_pitch, n, shift, root_shift, cut, single: tl.constexpr,
    log: tl.constexpr, number: tl.constexpr, size: tl.constexpr, rows: tl.constexpr,
):  # fmt: skip
    """Stores the scaled weights, and gives their sums over the heads that count."""
    node = tl.arange(0, size)
    sums = tl.full([size], _zero(log), number)
    for begin in range(0, n + 1, rows):
        row = begin + tl.arange(0, rows)
        values = _scores(scores, row, node, row_pitch, column_pitch, n, number)
        is_root = row[:, None] == 0
        high, low = _minus(values, shift[None, :])
        if single:
            less, lower = _minus(high, root_shift + tl.zeros_like(high))
            high, low = tl.where(is_root, less, high), tl.where(is_root, low + lower, low)
        if log:
            values = high + low
            values = tl.where(values < -cut, _NOTHING, values)
            if single:  # a root edge costs as much as what is left out
                values = tl.where(is_root, values - cut, values)
        else:
            values = _exp(high, low)
        inside = row[:, None] <= n
        tl.store(weights + row[:, None] * size + node[None, :], values, mask=inside)
        if single:
            values = tl.where(is_root, _zero(log), values)
        sums = _plus(sums, _total(values, 0, log), log)
    return sums


@triton.jit
def _eliminated(step, n, begin, end):
    """The words after the block, the last one first; then those before it."""
    return tl.where(step < n + 1 - end, n - step, begin - 1 - (step - (n + 1 - end)))


@triton.jit
def _eliminate(
    weights, paths, rows_left, pivots, n, begin, end, single: tl.constexpr, log: tl.constexpr,
    number: tl.constexpr, size: tl.constexpr, chunk: tl.constexpr,
):  # fmt: skip
    """Eliminates the words that are not in [begin, end).

    What is left of the weights is never stored: paths[step] are the probabilities p(h -> v) of the
    word v of that step, rows_left[step] are its weights w(v -> d), and the weights at any time are
    those of the start and the products of all such columns and rows so far.
    """
    node = tl.arange(0, size)
    step_of = tl.where(node >= end, n - node, n + begin - end - node)
    step_of = tl.where((node == 0) | ((node >= begin) & (node < end)), size, step_of)
    for step in range(0, n - (end - begin)):
        word = _eliminated(step, n, begin, end)
        here = (step_of > step) & (node <= n)
        column = tl.load(weights + node * size + word, mask=here, other=_zero(log))
        row = tl.load(weights + word * size + node, mask=here, other=_zero(log))
        into_word = tl.full([chunk, size], _zero(log), number)
        out_of_word = tl.full([chunk, size], _zero(log), number)
        for first in range(0, step, chunk):
            before = first + tl.arange(0, chunk)
            known = before < step
            both = known[:, None] & here[None, :]
            places = before[:, None] * size + node[None, :]
            path = tl.load(paths + places, mask=both, other=_zero(log))
            entry = tl.load(rows_left + before * size + word, mask=known, other=_zero(log))
            into_word = _plus(into_word, _times(path, entry[:, None], log), log)
            onward = tl.load(rows_left + places, mask=both, other=_zero(log))
            exit = tl.load(paths + before * size + word, mask=known, other=_zero(log))
            out_of_word = _plus(out_of_word, _times(onward, exit[:, None], log), log)
        column = _plus(column, _total(into_word, 0, log), log)
        row = _plus(row, _total(out_of_word, 0, log), log)
        column = tl.where(here, column, _zero(log))
        heads = tl.where(node == 0, _zero(log), column) if single else column
        pivot = _total(heads, 0, log)
        tl.store(paths + step * size + node, _over(column, pivot, log))
        tl.store(rows_left + step * size + node, tl.where(here, row, _zero(log)))
        tl.store(pivots + step, pivot)
        tl.debug_barrier()
    return step_of


@triton.jit
def _block_weights(
    weights, paths, rows_left, n, begin, end, log: tl.constexpr, number: tl.constexpr,
    size: tl.constexpr, block: tl.constexpr, chunk: tl.constexpr,
):  # fmt: skip
    """What elimination left: [heads, dependents], the root before the words of the block."""
    place = tl.arange(0, block)
    node = tl.where(place == 0, 0, begin + place - 1)
    real = node < end
    both = real[:, None] & real[None, :]
    left = tl.load(weights + node[:, None] * size + node[None, :], mask=both, other=_zero(log))
    more = tl.full([chunk, block, block], _zero(log), number)
    for first in range(0, n - (end - begin), chunk):
        before = first + tl.arange(0, chunk)
        wanted = (before < n - (end - begin))[:, None] & real[None, :]
        places = before[:, None] * size + node[None, :]
        path = tl.load(paths + places, mask=wanted, other=_zero(log))
        row = tl.load(rows_left + places, mask=wanted, other=_zero(log))
        more = _plus(more, _times(path[:, :, None], row[:, None, :], log), log)
    left = _plus(left, _total(more, 0, log), log)
    return left


@triton.jit
def _solve_block(
    left, words, single: tl.constexpr, log: tl.constexpr, number: tl.constexpr,
    block: tl.constexpr,
):  # fmt: skip
    """In copy j all words of the block but j are eliminated.

    Gives the probabilities [j, head] to reach the root without visiting j, the logarithm of the
    product of the pivots of each copy, and the last pivot.
    """
    copy = tl.arange(0, block)[:, None, None]
    head = tl.arange(0, block)[None, :, None]
    dependent = tl.arange(0, block)[None, None, :]
    copies, heads = tl.arange(0, block)[:, None], tl.arange(0, block)[None, :]
    parts = tl.broadcast_to(left[None, :, :], [block, block, block])
    logs = tl.zeros([block], tl.float64)
    for step in range(0, words):
        word = words - step
        here = (heads < word) | (heads == copies)
        column = tl.sum(tl.where(dependent == word, parts, 0.0), 2)
        column = tl.where(here, column, _zero(log))
        row = tl.sum(tl.where(head == word, parts, 0.0), 1)
        counted = tl.where(heads == 0, _zero(log), column) if single else column
        pivot = _total(counted, 1, log)
        path = _over(column, pivot[:, None], log)
        gone = tl.arange(0, block) != word
        pivot = pivot.to(tl.float64)
        logs += tl.where(gone, pivot if log else tl.log(pivot), 0.0)
        more = _plus(parts, _times(path[:, :, None], row[:, None, :], log), log)
        staying = ((head < word) | (head == copy)) & ((dependent < word) | (dependent == copy))
        parts = tl.where(staying & (copy != word), more, parts)
        parts = tl.where((dependent == word) & (copy != word), path[:, :, None], parts)
    last = tl.sum(tl.sum(tl.where((head == 0) & (dependent == copy), parts, 0.0), 2), 1)
    reach = tl.full([block, block], _zero(log), number)
    reach = tl.where(heads == 0, 0.0 if log else 1.0, reach)
    for word in range(1, words + 1):
        path = tl.sum(tl.where(dependent == word, parts, 0.0), 2)
        path = tl.where(heads < word, path, _zero(log))
        found = _total(_times(path, reach, log), 1, log)
        reach = tl.where((heads == word) & (copies != word), found[:, None], reach)
    return reach, logs, last


@triton.jit
def _walk_back(
    paths, block_reach, reach, step_of, n, begin, end, log: tl.constexpr, number: tl.constexpr,
    size: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    """From the words of the block to those that were eliminated: [heads, words of the block]."""
    place = tl.arange(0, block)
    tl.store(block_reach + place[None, :] * block + place[:, None], reach)
    tl.debug_barrier()
    node = tl.arange(0, size)
    local = tl.where(node == 0, 0, node - begin + 1)
    inside = (node == 0) | ((node >= begin) & (node < end))
    places = local[:, None] * block + place[None, :]
    found = tl.load(block_reach + places, mask=inside[:, None], other=_zero(log))
    for back in range(0, n - (end - begin)):
        step = n - (end - begin) - 1 - back
        here = (step_of > step) & (node <= n)
        path = tl.load(paths + step * size + node, mask=here, other=_zero(log))
        row = _total(_times(path[:, None], found, log), 0, log)
        found = tl.where(node[:, None] == _eliminated(step, n, begin, end), row[None, :], found)
    return found


@triton.jit
def _in_range(pivots, sums, logs, last, n, gone, place, real, cut, single: tl.constexpr,
              log: tl.constexpr, number: tl.constexpr, size: tl.constexpr):  # fmt: skip
    """Log Z of the scaled weights, and whether the numbers sufficed: section 4."""
    node = tl.arange(0, size)
    outer = tl.load(pivots + node, mask=node < gone, other=0.0 if log else 1.0).to(tl.float64)
    outer = tl.sum(outer if log else tl.log(outer), 0)
    last = last.to(tl.float64)
    if log:
        total = tl.where(real, outer + logs + last, float("inf"))
        total = tl.min(total, 0) + (cut if single else 0.0)
        words = n.to(tl.float64)
        return total, total > words * tl.log(words) + 40.0 - cut
    else:
        last = tl.log(last)
        total = tl.sum(tl.where(place == 1, outer + logs + last, 0.0), 0)
        weighed = tl.where((node > 0) & (node <= n), sums, 1.0).to(tl.float64)
        kept = outer + logs - tl.sum(tl.maximum(tl.log(weighed), 0.0), 0)
        words = tl.log(n.to(tl.float64))
        lost = (_LOST_64 if number == tl.float64 else _LOST_32) + 4.0 * words
        far = (_FAR_64 if number == tl.float64 else _FAR_32) + 2.0 * words
        # Comparisons with what is no number are false.
        good = (kept + last > lost) & (kept > far)
        fine = tl.sum((real & ~good).to(tl.int32), 0) == 0
        return total, fine


@triton.jit
def _put(
    marginals, row_pitch, column_pitch, heads, root_in_heads, weights, reach, exists, n, width,
    begin, end, gold: tl.constexpr, log: tl.constexpr, number: tl.constexpr, size: tl.constexpr,
    block: tl.constexpr,
):  # fmt: skip
    """Stores the columns of the block; those of the first one with the root's, which is empty."""
    node, place = tl.arange(0, size), tl.arange(0, block)
    dependent = begin + place - 1
    edge = (node[:, None] <= n) & (node[:, None] != dependent[None, :])
    edge = edge & ((place > 0) & (dependent < end))[None, :]
    places = node[:, None] * size + dependent[None, :]
    weight = tl.load(weights + places, mask=edge, other=_zero(log))
    found = tl.where(edge, _times(weight, reach, log), _zero(log))
    found = _over(found, _total(found, 0, log)[None, :], log)
    found = tl.exp(found) if log else found
    found = tl.where(exists, found, 0.0)
    if gold:
        real = (place > 0) & (dependent < end)
        head = tl.load(heads + dependent - 1 + root_in_heads, mask=real, other=-1)
        found -= tl.where(node[:, None] == head[None, :], 1.0, 0.0).to(number)
    wanted = (place > 0) | (dependent == 0)
    wanted = wanted[None, :] & (dependent <= width)[None, :] & (node <= width)[:, None]
    places = node[:, None] * row_pitch + dependent[None, :] * column_pitch
    tl.store(marginals + places, found, mask=wanted)


@triton.jit
def _attempt(
    scores, row_pitch, column_pitch, marginals, out_row_pitch, out_column_pitch, heads,
    root_in_heads, scratch, n, width, begin, end, shift, root_shift, cut, final,
    single: tl.constexpr, gold: tl.constexpr, log: tl.constexpr, number: tl.constexpr,
    size: tl.constexpr, block: tl.constexpr, chunk: tl.constexpr,
):  # fmt: skip
    """Log Z of the scaled weights and whether that is all; stores the marginals if so."""
    weights, paths, rows_left = scratch, scratch + size * size, scratch + 2 * size * size
    pivots = scratch + 3 * size * size
    block_reach = pivots + size
    first_order: tl.constexpr = single and not log
    gone = n - (end - begin)
    sums = _weigh(
        weights, scores, row_pitch, column_pitch, n, shift.to(number), root_shift.to(number), cut,
        single, log, number, size, chunk,
    )  # fmt: skip
    tl.debug_barrier()
    step_of = _eliminate(
        weights, paths, rows_left, pivots, n, begin, end, first_order, log, number, size, chunk
    )
    left = _block_weights(
        weights, paths, rows_left, n, begin, end, log, number, size, block, block // 4
    )
    reach, logs, last = _solve_block(left, end - begin, first_order, log, number, block)
    place = tl.arange(0, block)
    real = (place > 0) & (begin + place - 1 < end)
    total, fine = _in_range(
        pivots, sums, logs, last, n, gone, place, real, cut, single, log, number, size
    )
    if fine | final:
        everywhere = _walk_back(
            paths, block_reach, reach, step_of, n, begin, end, log, number, size, block
        )
        _put(
            marginals, out_row_pitch, out_column_pitch, heads, root_in_heads, weights, everywhere,
            fine, n, width, begin, end, gold, log, number, size, block,
        )  # fmt: skip
    tl.debug_barrier()
    return total, fine


@triton.jit
def _fill(
    marginals, row_pitch, column_pitch, begin, width, value, size: tl.constexpr,
    block: tl.constexpr,
):  # fmt: skip
    """Of a block without words, or of a sentence that is none: NaN where there are edges."""
    node, place = tl.arange(0, size), tl.arange(0, block)
    dependent = begin + place - 1
    wanted = (place > 0) | (dependent == 0)
    wanted = wanted[None, :] & (dependent <= width)[None, :] & (node <= width)[:, None]
    places = node[:, None] * row_pitch + dependent[None, :] * column_pitch
    tl.store(marginals + places, tl.zeros([size, block], tl.float32) + value, mask=wanted)


@triton.jit
def _gold_score(
    scores, row_pitch, column_pitch, heads, root_in_heads, n, shift, root_shift,
    single: tl.constexpr, number: tl.constexpr, size: tl.constexpr,
):  # fmt: skip
    """Of the gold tree, scaled as the weights are; NaN if a head is none."""
    node = tl.arange(0, size)
    word = (node > 0) & (node <= n)
    head = tl.load(heads + node - 1 + root_in_heads, mask=word, other=0)
    legal = word & (head >= 0) & (head <= n) & (head != node)
    places = head * row_pitch + node * column_pitch
    score = tl.load(scores + places, mask=legal, other=float("nan")).to(number)
    high, low = _minus(score, shift)
    gold = tl.sum(tl.where(word, high.to(tl.float64) + low.to(tl.float64), 0.0), 0)
    if single:
        gold -= root_shift.to(tl.float64)
    return gold


_PLAIN = [
    "sentence_pitch", "row_pitch", "column_pitch", "heads_pitch", "root_in_heads",
    "out_row_pitch", "out_column_pitch", "first", "width", "blocks", "least",
]  # fmt: skip


# Nothing is compiled anew because a number happens to be 1 or a multiple of 16.
@triton.jit(do_not_specialize=_PLAIN, do_not_specialize_on_alignment=["scores", "lengths", "heads"])
def describe(
    scores, lengths, heads, log_partition, marginals, scratch, sentence_pitch, row_pitch,
    column_pitch, heads_pitch, root_in_heads, out_row_pitch, out_column_pitch, first, width,
    blocks, least, single: tl.constexpr, gold: tl.constexpr, number: tl.constexpr,
    size: tl.constexpr, block: tl.constexpr, chunk: tl.constexpr,
):  # fmt: skip
    """Log Z and marginals of the sentences of `least` or more and less than `size` words.

    With gold heads: log Z less the score of the gold tree, and the marginals less its arcs.
    """
    program = tl.program_id(0)
    sentence = (first + program // blocks).to(tl.int64)
    begin = 1 + (program % blocks) * (block - 1)
    n = tl.load(lengths + sentence).to(tl.int32)
    legal = (n > 0) & (n <= width)
    if ((n < least) | (n >= size)) & legal:
        return
    n = tl.where(legal, n, 0)
    end = tl.minimum(n + 1, begin + block - 1)
    scores += sentence * sentence_pitch
    marginals += sentence * (width + 1) * (width + 1)
    heads += sentence * heads_pitch
    scratch += program.to(tl.int64) * (3 * size * size + size + block * block)
    shift, root_shift, bad = _shifts(
        scores, row_pitch, column_pitch, n, single, number, size, chunk
    )
    if (begin > n) | (bad > 0):
        fill = tl.where(legal & (bad == 0), 0.0, float("nan"))
        _fill(marginals, out_row_pitch, out_column_pitch, begin, width, fill, size, block)
        if begin == 1:
            tl.store(log_partition + sentence, float("nan"))
        return
    cut = tl.full([], 8192.0, tl.float64)
    total, fine = _attempt(
        scores, row_pitch, column_pitch, marginals, out_row_pitch, out_column_pitch, heads,
        root_in_heads, scratch.to(tl.pointer_type(number)), n, width, begin, end, shift,
        root_shift, cut, False, single, gold, False, number, size, block, chunk,
    )  # fmt: skip
    for again in range(0, 3):
        if fine == 0:
            total, fine = _attempt(
                scores, row_pitch, column_pitch, marginals, out_row_pitch, out_column_pitch, heads,
                root_in_heads, scratch, n, width, begin, end, shift, root_shift, cut, again == 2,
                single, gold, True, tl.float64, size, block, chunk // 4,
            )  # fmt: skip
            cut = cut * 512.0
    if begin == 1:
        if gold:
            total -= _gold_score(
                scores, row_pitch, column_pitch, heads, root_in_heads, n, shift, root_shift,
                single, number, size,
            )  # fmt: skip
        else:
            total += tl.sum(shift.to(tl.float64), 0) + root_shift.to(tl.float64)
        tl.store(
            log_partition + sentence, tl.where(fine, total, float("nan") if gold else _NOTHING)
        )
