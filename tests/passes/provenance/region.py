import pypto.language as pl


@pl.jit.inline
def normalised(t: pl.Tensor[[256, 64], pl.FP32]):
    return pl.recip(pl.row_sum(t))  #> AIV: tile.create tile.row_sum tile.reshape tile.recip tile.reshape


@pl.jit
def blocks(
    a: pl.Tensor[[256, 64], pl.BF16],
    b: pl.Tensor[[64, 64], pl.BF16],
    c: pl.Tensor[[64, 64], pl.BF16],
    x: pl.Tensor[[256, 64], pl.FP32],  #> AIV: tile.load
    z: pl.Out[pl.Tensor[[256, 1], pl.FP32]],
    y: pl.Out[pl.Tensor[[256, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="blocks"):  #> Orchestration: tensor.create; AIC: system.reserve_buffer system.import_peer_buffer system.aic_initialize_pipe; AIV: system.import_peer_buffer system.reserve_buffer system.aiv_initialize_pipe
        for i in pl.range(4):
            p = pl.matmul(a[i * 64 : i * 64 + 64, :], b, out_dtype=pl.FP32)  #> AIC: tile.load tile.load tile.move tile.move tile.matmul
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                h = pl.aiv_shard(p)  #> AIC: tile.tpush_to_aiv; AIV: tile.tpop_from_aic system.tfree_to_aic
                act = pl.cast(pl.maximum(h, 0.0), pl.BF16)  #> AIV: tile.maximums tile.cast
                joined = pl.aic_gather(act)  #> AIC: tile.tpop_from_aiv system.tfree_to_aiv; AIV: tile.tpush_to_aic
            y[i * 64 : i * 64 + 64, :] = pl.matmul(joined, c, out_dtype=pl.FP32)  #> AIC: tile.load tile.move tile.move tile.matmul tile.store
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="sums"):
        inv = normalised(x)
        z[:, :] = inv  #> AIV: tile.store
    return z, y
