import numpy as np
import pytest

import coppice
from coppice import adapters
from support import random_scores

torch = pytest.importorskip("torch")
from coppice.torch import log_partition  # noqa: E402

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
    from support import load

    example = load("examples/biaffine_torch.py")
    assert example.main(epochs=3, most=120) > 0.4
    assert "tree 3: heads" in capsys.readouterr().out
