import numpy as np
import pytest

import coppice
from coppice import adapters
from support import load, random_scores

torch = pytest.importorskip("torch")
from coppice import _device  # noqa: E402
from coppice.torch import cross_entropy, entropy, kl, log_partition, marginals  # noqa: E402

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


def test_the_elimination_of_the_device(root):
    """What is done on a GPU, on the CPU."""
    random = np.random.default_rng(3)
    scores = torch.from_numpy(random.normal(size=(9, 8, 8)) * 4)
    scores[3, 0] = scores[3, :, 0] = -2000  # out of float64's range
    scores[4, 1, 2] = -torch.inf
    scores[5, 2:, 1] = -torch.inf
    lengths = torch.tensor([7, 1, 2, 6, 3, 4, 5, 7, 6])
    left = []
    for axes in ("head,dep", "dep,head"):

        def on_cpu(part, words, axes=axes):
            left.append(len(part))
            found = coppice.distribution_batch(part, lengths=words, root=root, axes=axes)
            return torch.from_numpy(found.log_partition), torch.from_numpy(found.marginals.copy())

        found = _device.describe(scores, lengths, root, axes, on_cpu)
        exact = coppice.distribution_batch(scores, lengths=lengths, root=root, axes=axes)
        np.testing.assert_allclose(found[0], exact.log_partition, rtol=1e-12)
        np.testing.assert_allclose(found[1], exact.marginals, rtol=1e-11, atol=1e-100)
    assert left
    assert max(left) < 9


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
    example = load("examples/biaffine_torch.py")
    assert example.main(epochs=3, most=120) > 0.4
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
