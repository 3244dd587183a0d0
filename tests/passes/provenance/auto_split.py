import pypto.language as pl


@pl.jit
def scaled_scores(
    q: pl.Tensor[[64, 128], pl.BF16],
    k: pl.Tensor[[128, 64], pl.BF16],
    scale: pl.Tensor[[64, 1], pl.FP32],  #> AIV: tile.get_subblock_idx tile.load
    y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
):
    with pl.at(  #> Orchestration: tensor.create; AIC: system.import_peer_buffer system.aic_initialize_pipe; AIV: system.reserve_buffer system.aiv_initialize_pipe
        level=pl.Level.CORE_GROUP,
        optimizations=[pl.split(pl.SplitMode.UP_DOWN)],
    ):
        scores = pl.matmul(q, k, out_dtype=pl.FP32)  #> AIC: tile.load tile.load tile.move tile.move tile.matmul
        scaled = pl.mul(scores, scale)  #> AIC: tile.tpush_to_aiv; AIV: tile.tpop_from_aic tile.row_expand_mul system.tfree_to_aic
        if pl.read(scale, [0, 0]) > 1.0:  #> AIV: tile.read
            scaled = pl.exp(scaled)  #> AIV: tile.exp
        y[:, :] = pl.row_expand_sub(scaled, pl.row_max(scaled))  #> AIV: tile.create tile.row_max tile.row_expand_sub tile.store
    return y
