"""The kernel for GPUs, in Triton's interpreter where there is no GPU, against the CPU's digits."""

import numpy as np
import pytest

import coppice

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
from coppice import _device  # noqa: E402
from coppice.torch import cross_entropy, entropy, kbest, kl, log_partition, nll  # noqa: E402

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")


def launch(scores, lengths, root, block=8, **how):
    """As `_device.launch`, of small matrices and quick in the interpreter."""
    words = torch.as_tensor(lengths, device=DEVICE)
    sizes = tuple(_device.Size(nodes, block, 8, 1) for nodes in (8, 16, 32))
    found = _device.launch(
        scores.to(DEVICE), words, how.pop("heads", None), root == "single",
        sizes=_device._SIZES if CUDA else sizes, **how,
    )  # fmt: skip
    return [values.cpu() for values in found]


def compare(scores, lengths, root, **how):
    exact = coppice.distribution_batch(scores.double().numpy(), lengths=lengths, root=root)
    log_partition, marginals = launch(scores, lengths, root, **how)
    precise = scores.dtype == torch.float64
    assert log_partition.dtype == marginals.dtype == _device.result_type(scores)
    np.testing.assert_allclose(
        log_partition, exact.log_partition, rtol=1e-12 if precise else 1e-6, atol=1e-6
    )
    np.testing.assert_allclose(marginals, exact.marginals, rtol=0, atol=1e-12 if precise else 1e-6)
    return marginals


def batch(lengths, seed=0, spread=3.0):
    random = np.random.default_rng(seed)
    nodes = max(lengths) + 1
    scores = random.normal(size=(len(lengths), nodes, nodes)) * spread
    for matrix, words in zip(scores, lengths, strict=True):
        matrix[words + 1 :] = matrix[:, words + 1 :] = np.nan  # what must not be looked at
    return torch.from_numpy(scores)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_all_lengths(root, dtype):
    lengths = list(range(1, 21))
    compare(batch(lengths).to(dtype), lengths, root)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single(root, dtype):
    compare(batch([6, 4]).to(dtype), [6, 4], root)


def test_many_blocks(root):
    compare(batch([9, 7, 2]).float(), [9, 7, 2], root, block=4)


def test_digits_do_not_depend_on_the_batch(root):
    lengths = [5, 12, 7]
    scores = batch(lengths).float()
    _, together = launch(scores, lengths, root)
    for i, words in enumerate(lengths):
        alone = scores[i : i + 1, : words + 1, : words + 1].clone()
        _, marginals = launch(alone, [words], root)
        assert torch.equal(marginals[0], together[i, : words + 1, : words + 1])


def test_other_axes(root):
    lengths = [5, 3]
    scores = batch(lengths).float()
    expected = launch(scores, lengths, root)
    turned = launch(scores.transpose(1, 2).contiguous(), lengths, root, head_first=False)
    assert torch.equal(expected[0], turned[0])
    assert torch.equal(expected[1], turned[1].transpose(1, 2))


def test_the_same_shape_laid_out_otherwise(root):
    scores = batch([5, 3]).float()
    expected = launch(scores, [5, 3], root)
    found = launch(scores.transpose(1, 2).contiguous().transpose(1, 2), [5, 3], root)
    assert all(torch.equal(*both) for both in zip(expected, found, strict=True))


def hard():
    """Scores that leave the range of float32 and float64, masks, sentences without a tree."""
    scores = batch([5] * 11, spread=1.0).nan_to_num()
    scores[0, 0] = scores[0, :, 0] = -2000
    scores[1, 1, 2] = -torch.inf
    scores[2, 2:, 1] = -torch.inf  # only the root is left for word 1
    scores[3, 1:, 2] = scores[3, 1:, 3] = -torch.inf  # two words that need the root
    scores[4, 0, 2:] = -1e9
    scores[5, 1:, 2] = scores[5, 1:, 3] = -1e6
    scores[6, :, 4] = -torch.inf
    scores[7] = -40 * torch.rand(6, 6, generator=torch.Generator().manual_seed(1)) - 20
    scores[7, 1, 2] = scores[7, 2, 1] = scores[7, 3, 4] = scores[7, 4, 3] = 0
    scores[8, :, 1:3] = -300  # what float32 has no digits for decides
    scores[8, [0, 5], 1], scores[8, [0, 5], 2] = -102.25, -102.75
    scores[8, 1, 2] = scores[8, 2, 1] = 0
    for i, unlikely in ((9, -60), (10, -95)):  # sure of the root and of all heads
        scores[i] += unlikely
        scores[i, [0, 1, 2, 2, 3], [1, 2, 3, 4, 5]] = 0
        scores[i, 2, 1] = unlikely / 2
    return scores


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_weights_far_apart(root, dtype):
    marginals = compare(hard().to(dtype), [5] * 11, root)
    assert (marginals[6] == 0).all()


@pytest.mark.parametrize("mask", [-1e4, -1e6, -1e9])
def test_masks_that_no_tree_avoids(root, mask):
    scores = batch([5], spread=1.0)
    scores[0, [0, 1, 4, 5], 2] = scores[0, [0, 1, 4, 5], 3] = mask
    compare(scores.float(), [5], root)


def test_bad_scores_and_lengths_are_nan(root):
    scores = batch([4] * 5).nan_to_num()
    scores[1, 2, 3] = torch.nan
    scores[2, 0, 1] = torch.inf
    log_partition, marginals = launch(scores, [4, 4, 4, 0, 5], root)
    bad = torch.tensor([False, True, True, True, True])
    assert torch.equal(log_partition.isnan(), bad)
    assert torch.equal(marginals.isnan().any(dim=2).any(dim=1), bad)


def test_covariances_by_differences(root):
    lengths = [4, 2]
    scores = batch(lengths).nan_to_num()
    values = batch(lengths, seed=1).nan_to_num()
    exact = _device.covariances_on_cpu(
        scores, torch.tensor(lengths), values, root == "single", True, 1
    )
    words = torch.tensor(lengths, device=DEVICE)
    found = _device.covariances_by_differences(
        scores.to(DEVICE), words, values.to(DEVICE), root == "single", True
    )
    np.testing.assert_allclose(found.cpu(), exact, rtol=0, atol=1e-9)


def test_gold_trees(root):
    """Log Z less the score of the gold tree, marginals less its arcs; not a word's head: NaN."""
    lengths = [9, 4, 4]
    scores = batch(lengths).float().nan_to_num()
    plain = launch(scores, lengths, root)
    heads = torch.full((3, 10), -100)
    heads[0, 1:] = torch.arange(9)
    heads[1, 1:5] = heads[2, 1:5] = torch.tensor([2, 0, 2, 2])
    heads[2, 3] = 7
    for given in (heads, heads[:, 1:].contiguous()):
        found = launch(scores, lengths, root, heads=given.to(DEVICE))
        for i in range(2):
            words = torch.arange(1, lengths[i] + 1)
            gold = scores[i][heads[i, words], words].double().sum()
            assert found[0][i].item() == pytest.approx((plain[0][i] - gold).item(), abs=1e-5)
            arcs = torch.zeros(10, 10).index_put_((heads[i, words], words), torch.tensor(1.0))
            assert torch.equal(found[1][i], plain[1][i] - arcs)
        assert found[0][2].isnan()


needs_gpu = pytest.mark.skipif(not CUDA, reason="needs a GPU")


@needs_gpu
@pytest.mark.filterwarnings("ignore:Synchronization debug mode:UserWarning")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_on_a_gpu(root, dtype):
    lengths = [*range(1, 71), 100, 127]
    if dtype == torch.float32:
        lengths += [128, 140, 255, 256, 300]
    scores = batch(lengths).to(dtype)
    compare(scores, lengths, root)
    device, words = scores.cuda().requires_grad_(), torch.tensor(lengths).cuda()
    torch.cuda.set_sync_debug_mode("error")  # nothing waits for the GPU
    try:
        log_partition(device, words, root=root).sum().backward()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    exact = coppice.distribution_batch(scores.double().numpy(), lengths=lengths, root=root)
    np.testing.assert_allclose(device.grad.cpu(), exact.marginals, rtol=0, atol=1e-6)


@needs_gpu
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch.compile
def test_losses_on_a_gpu(root):
    """As on the CPU, with gradients, under autocast and compiled."""
    scores, other = (batch([6, 4], seed=i).nan_to_num() for i in range(2))
    heads = torch.tensor([[2, 0, 2, 2, 6, 2], [0, 1, 1, 1, 0, 0]])
    lengths = torch.tensor([6, 4])

    def losses(scores, other, heads, lengths):
        both = log_partition(scores, lengths, root=root) + entropy(other, lengths, root=root)
        apart = kl(scores, other, lengths, root=root)
        gold = nll(other, heads, lengths, root=root)
        return (both + apart + cross_entropy(other, scores, lengths, root=root) + gold).sum()

    found = []
    for device, function in (
        ("cpu", losses),
        ("cuda", losses),
        ("cuda", torch.compile(losses, fullgraph=True)),
    ):
        tensors = [x.to(device, copy=True).requires_grad_() for x in (scores, other)]
        with torch.autocast(device, torch.bfloat16):
            loss = function(*tensors, heads.to(device), lengths.to(device))
        loss.backward()
        found.append([loss.detach().cpu(), *(x.grad.cpu() for x in tensors)])
    for values in found[1:]:
        for value, exact in zip(values, found[0], strict=True):
            np.testing.assert_allclose(value, exact, rtol=1e-8, atol=1e-8)


@needs_gpu
def test_decoding_beside_a_gpu(root):
    scores, lengths = batch([6, 4]).nan_to_num(), torch.tensor([6, 4])
    future = kbest(scores.cuda(), 3, lengths.cuda(), root=root)
    expected = coppice.kbest_batch(scores, 3, lengths=lengths, root=root)
    assert (future.result().heads == expected.heads).all()
