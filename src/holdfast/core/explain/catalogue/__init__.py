"""Every explanation, one file for each topic; the texts are ours, the names are theirs."""
