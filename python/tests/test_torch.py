import shlex

import numpy as np
import pytest

import coppice
from coppice import adapters
from support import load, random_scores

torch = pytest.importorskip("torch")
from coppice.torch import (  # noqa: E402
    cross_entropy,
    entropy,
    kbest,
    kl,
    log_partition,
    marginals,
    nll,
)

SCORES = np.stack([random_scores(5, seed) for seed in range(3)])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int32", "int64"])
def test_tensors(dtype, root):
    tensor = (torch.from_numpy(SCORES) * 100).to(getattr(torch, dtype))
    expected = coppice.kbest_batch(tensor.double().numpy(), k=4, root=root)
    for values in (tensor, list(tensor)):
        result = coppice.kbest_batch(values, k=4, root=root)
        assert (result.heads == expected.heads).all()
        np.testing.assert_array_equal(result.scores, expected.scores)
    assert (coppice.best(tensor[0], root=root).heads == expected.heads[0, 0]).all()


def test_tensors_are_read_in_place():
    tensor = torch.from_numpy(SCORES.copy())
    array = coppice._arrays.as_scores(tensor)
    assert array.ctypes.data == tensor.data_ptr()
    turned = coppice._arrays.as_scores(tensor.transpose(1, 2))
    assert turned.ctypes.data == tensor.data_ptr()


def test_tensors_of_a_graph_in_training():
    tensor = torch.from_numpy(SCORES.copy()).requires_grad_()
    result = coppice.kbest_batch(tensor * 2, k=2, root="single")
    assert (result.heads == coppice.kbest_batch(SCORES, k=2, root="single").heads).all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_tensors_on_a_gpu(root):
    tensor = torch.from_numpy(SCORES).cuda()
    expected = coppice.kbest_batch(SCORES, k=3, root=root)
    mask = torch.ones(3, 5, dtype=torch.bool, device="cuda")
    result = coppice.kbest_batch(tensor.requires_grad_(), 3, lengths=mask, root=root)
    assert (result.heads == expected.heads).all()
    assert (result.scores == expected.scores).all()
    heads = adapters.supar(tensor, mask)
    assert heads.device == tensor.device
    value = log_partition(tensor, root=root)
    assert value.device == tensor.device
    value.sum().backward()
    assert tensor.grad.device == tensor.device
    assert tensor.grad.sum().item() == pytest.approx(12)


def test_masks_and_lengths():
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2, [True] * 4 + [False]])
    lengths = torch.tensor([4, 2, 3])
    results = [
        coppice.kbest_batch(SCORES, 3, lengths=words, root="any") for words in (mask, lengths)
    ]
    assert (results[0].heads == results[1].heads).all()
    assert results[0].lengths.tolist() == [4, 2, 3]


def test_adapters_give_tensors_back():
    tensor = torch.from_numpy(SCORES)
    mask = torch.ones(3, 5, dtype=torch.bool)
    heads = adapters.supar(tensor, mask)
    assert heads.dtype == torch.int64
    assert heads.tolist() == adapters.supar(SCORES, mask.numpy()).tolist()
    assert adapters.torch_struct(tensor, root="any").dtype == torch.int64


@pytest.mark.parametrize("axes", ["head,dep", "dep,head"])
def test_gradient_of_log_partition(root, axes):
    scores = torch.from_numpy(SCORES.copy()).requires_grad_()
    lengths = [4, 2, 3]

    def function(values):
        return log_partition(values, lengths, root=root, axes=axes)

    assert torch.autograd.gradcheck(function, (scores,))
    function(scores).sum().backward()
    marginals = coppice.distribution_batch(SCORES, lengths=lengths, root=root, axes=axes).marginals
    np.testing.assert_allclose(scores.grad.numpy(), marginals)
    # Every word has one head.
    assert scores.grad.sum().item() == pytest.approx(sum(lengths))


@pytest.mark.parametrize("axes", ["head,dep", "dep,head"])
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_second_derivatives(root, axes, scale):
    scores = (torch.from_numpy(SCORES[:, :4, :4].copy()) * scale).requires_grad_()
    lengths = [3, 2, 3]

    def total(values):
        return log_partition(values, lengths, root=root, axes=axes)

    def arcs(values):
        return marginals(values, lengths, root=root, axes=axes)

    assert torch.autograd.gradcheck(arcs, (scores,))
    assert torch.autograd.gradgradcheck(total, (scores,))
    (gradient,) = torch.autograd.grad(total(scores).sum(), scores, create_graph=True)
    assert torch.equal(gradient, arcs(scores))


def test_losses(root):
    scores = torch.from_numpy(SCORES.copy()).requires_grad_()
    other = torch.from_numpy(SCORES[::-1].copy()).requires_grad_()
    lengths = [4, 2, 3]
    ones = [
        coppice.TreeDistribution(s[: n + 1, : n + 1], root=root)
        for s, n in zip(SCORES, lengths, strict=True)
    ]
    others = [
        coppice.TreeDistribution(s[: n + 1, : n + 1], root=root)
        for s, n in zip(SCORES[::-1], lengths, strict=True)
    ]
    found = entropy(scores, lengths, root=root)
    np.testing.assert_allclose(found.detach(), [d.entropy() for d in ones])
    found = kl(scores, other, lengths, root=root)
    np.testing.assert_allclose(found.detach(), [p.kl(q) for p, q in zip(ones, others, strict=True)])
    found = cross_entropy(scores, other, lengths, root=root)
    expected = [p.cross_entropy(q) for p, q in zip(ones, others, strict=True)]
    np.testing.assert_allclose(found.detach(), expected)
    for function in (
        lambda p: entropy(p, lengths, root=root),
        lambda p: kl(p, other.detach(), lengths, root=root),
        lambda q: kl(scores.detach(), q, lengths, root=root),
        lambda p: cross_entropy(p, other.detach(), lengths, root=root),
    ):
        assert torch.autograd.gradcheck(function, (scores,))
    assert entropy(scores[0], root=root).shape == ()
    assert kl(scores[0], other[0], root=root).shape == ()


def test_losses_with_masks(root):
    scores = torch.from_numpy(SCORES[:1].copy())
    masked = scores.clone()
    masked[0, 2, 1] = -torch.inf
    for mask in (-1e4, -1e9, -1e15):
        finite = masked.masked_fill(masked == -torch.inf, mask).requires_grad_()
        for function in (entropy, log_partition):
            exact = function(masked, root=root)
            assert function(finite, root=root).item() == pytest.approx(exact.item(), rel=1e-13)
            (gradient,) = torch.autograd.grad(function(finite, root=root).sum(), finite)
            assert torch.isfinite(gradient).all()


GOLD = torch.tensor([[0, 0, 1, 2, 2], [0, 2, 0, 9, -1], [0, 2, 0, 2, -100]])


def test_nll(root):
    """Log Z less the score of the gold tree, with and without an entry for the root."""
    scores = torch.from_numpy(SCORES.copy()).requires_grad_()
    lengths = [4, 2, 3]
    gold = torch.stack(
        [sum(scores[i, GOLD[i, d], d] for d in range(1, n + 1)) for i, n in enumerate(lengths)]
    )
    expected = log_partition(scores, lengths, root=root) - gold
    mask = torch.arange(5) <= torch.tensor(lengths)[:, None]
    for heads, words in ((GOLD, lengths), (GOLD[:, 1:], mask)):
        assert torch.allclose(nll(scores, heads, words, root=root), expected)
    turned = nll(scores.transpose(1, 2), GOLD, lengths, root=root, axes="dep,head")
    assert torch.equal(turned, nll(scores, GOLD, lengths, root=root))
    assert torch.autograd.gradcheck(lambda s: nll(s, GOLD, lengths, root=root), (scores,))
    assert torch.autograd.gradgradcheck(lambda s: nll(s, GOLD, lengths, root=root), (scores,))
    assert nll(scores[0], GOLD[0], root=root).shape == ()
    bad = GOLD.clone()
    bad[2, 3] = 3
    with pytest.raises(
        ValueError, match="sentence 2: the head of word 3 is 3; need another of 0 to 3"
    ):
        nll(scores, bad, lengths, root=root)
    with pytest.raises(ValueError, match="heads has shape"):
        nll(scores, GOLD[:, 2:], lengths, root=root)


def test_nll_with_labels(root):
    """That of the tree among all trees with labels, which are parallel edges."""
    random = torch.Generator().manual_seed(1)
    scores = torch.from_numpy(SCORES.copy()).requires_grad_()
    label_scores = torch.randn(3, 5, 5, 4, generator=random, dtype=torch.float64)
    label_scores.requires_grad_()
    labels = torch.randint(0, 4, (3, 5), generator=random)
    lengths = [4, 2, 3]

    def loss(scores, label_scores, axes="head,dep"):
        return nll(
            scores, GOLD, lengths, root=root, axes=axes, labels=label_scores, gold_labels=labels
        )

    found = loss(scores, label_scores)
    for i, n in enumerate(lengths):
        words = torch.arange(1, n + 1)
        heads = GOLD[i, words]
        every = (scores[i, ..., None] + label_scores[i])[: n + 1, : n + 1].logsumexp(dim=2)
        gold = scores[i, heads, words] + label_scores[i, heads, words, labels[i, words]]
        expected = log_partition(every, root=root) - gold.sum()
        assert found[i].item() == pytest.approx(expected.item(), rel=1e-12)
    assert torch.autograd.gradcheck(loss, (scores, label_scores))
    turned = loss(scores.transpose(1, 2), label_scores.transpose(1, 2), "dep,head")
    assert torch.allclose(turned, found)
    with pytest.raises(ValueError, match="labels and gold_labels go together"):
        nll(scores, GOLD, lengths, root=root, gold_labels=labels)


def test_what_is_no_tensor_of_floats_is_refused(root):
    functions = (log_partition, marginals, entropy, lambda s, root: kbest(s, 2, root=root))
    for function in functions:
        for dtype in (torch.int64, torch.int32, torch.bool):
            with pytest.raises(TypeError, match=f"scores has dtype {dtype}; need floats"):
                function(torch.zeros(4, 4, dtype=dtype), root=root)
        with pytest.raises(TypeError, match=r"scores is a numpy\.ndarray; need a torch tensor"):
            function(np.zeros((4, 4)), root=root)
    with pytest.raises(TypeError, match=r"other is a numpy\.ndarray"):
        kl(torch.zeros(4, 4), np.zeros((4, 4)), root=root)
    with pytest.raises(ValueError, match=r"scores has shape \(1, 2, 3\)"):
        log_partition(torch.zeros(2, 3)[None], root=root)
    with pytest.raises(ValueError, match=r"lengths has shape \(2,\)"):
        log_partition(torch.zeros(3, 4, 4), [1, 2], root=root)
    with pytest.raises(ValueError, match="mask has shape"):
        log_partition(torch.zeros(3, 4, 4), torch.ones(3, 6, dtype=torch.bool), root=root)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_gives_single(root, dtype):
    scores = (torch.from_numpy(SCORES) * 30).to(dtype).requires_grad_()
    exact = log_partition(scores.detach().double(), root=root)
    with torch.autocast("cpu", dtype):
        found = log_partition(scores, root=root)
    assert found.dtype == marginals(scores, root=root).dtype == torch.float32
    np.testing.assert_allclose(found.detach(), exact, rtol=1e-6)
    found.sum().backward()
    assert scores.grad.dtype == dtype


def test_compiled_and_transformed(root):
    """In one graph, with the same digits."""
    scores = torch.from_numpy(SCORES.copy()).requires_grad_()
    lengths = torch.tensor([4, 2, 3])

    def loss(scores):
        apart = kl(scores, scores.detach() / 2, lengths, root=root)
        gold = nll(scores, GOLD, lengths, root=root)
        return (apart + gold + entropy(scores, lengths, root=root)).sum()

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    (found,) = torch.autograd.grad(compiled(scores), scores)
    (expected,) = torch.autograd.grad(loss(scores), scores)
    assert torch.equal(found, expected)

    def total(values):
        return log_partition(values, lengths, root=root).sum()

    gradient = torch.func.grad(total)(scores.detach())
    assert torch.equal(gradient, marginals(scores, lengths, root=root))


def test_decoding_in_the_background(root):
    scores, lengths = torch.from_numpy(SCORES.copy()), torch.tensor([4, 2, 3])
    future = kbest(scores, 3, lengths, root=root, threads=2)
    first = kbest(scores, 1, [4, 2, 3], root=root)
    expected = coppice.kbest_batch(scores.clone(), 3, lengths=lengths, root=root)
    scores.zero_()  # a copy was taken
    assert (future.result().heads == expected.heads).all()
    assert (first.result().heads == expected.heads[:, :1]).all()
    with pytest.raises(ValueError, match="length 9"):
        kbest(scores, 1, [4, 2, 9], root=root).result()


def test_log_partition_of_one_sentence_in_single_precision(root):
    scores = torch.from_numpy(SCORES[0]).float().requires_grad_()
    value = log_partition(scores, root=root)
    assert value.shape == ()
    assert value.dtype == torch.float32
    exact = coppice.TreeDistribution(SCORES[0], root=root).log_partition
    assert value.item() == pytest.approx(exact, rel=1e-5)
    value.backward()
    assert scores.grad.dtype == torch.float32


def test_the_example_learns(capsys):
    example = load("examples/train_parser.py")
    torch.set_num_threads(1)
    arguments = shlex.split("--device cpu --epochs 6 --most 160 --batch 8 --width 32")
    assert example.main(arguments) > 0.3
    assert "tree 3: heads" in capsys.readouterr().out


def test_the_reranker_runs(capsys):
    reranker = load("examples/reranker.py")
    reranker.main(["--limit", "40", "--folds", "2", "--epochs", "1", "--k", "10"])
    said = capsys.readouterr().out
    assert said.startswith("40 sentences,")
    best, reranked, oracle = (float(line.split()[-1]) for line in said.splitlines()[1:4])
    assert best <= oracle
    assert reranked <= oracle


def test_features_of_whole_trees():
    """Trees with the same arcs have the same features; a change shows in those that it touches."""
    reranker = load("examples/reranker.py")
    tags = np.array([0, 1, 2, 3])
    heads, labels = np.array([[2, 0, 2], [2, 0, 2], [3, 0, 2]]), np.zeros((3, 3), int)
    one, same, other = reranker.only_what_differs(reranker.tree_features(heads, labels, tags))
    assert sorted(one) == sorted(same)
    assert len(one) > 0
    assert sorted(one) != sorted(other)
    assert not set(one) & set(other)
