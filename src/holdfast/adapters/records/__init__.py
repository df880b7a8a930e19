"""Holdfast's own records beside a checkpoint, on a disk or in a store."""
