"""Operations on a checkpoint and its sink: planned, carried out under the lease, undone."""
