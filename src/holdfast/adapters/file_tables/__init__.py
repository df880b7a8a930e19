"""Tables of plain files: where their parts lie, their ledger, and what readers may see of them."""
