"""The pure core: bytes and names in, frozen values out. Standard library only."""
