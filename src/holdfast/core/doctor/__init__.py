"""What `doctor` says of a machine and a declaration: pure judgements over gathered facts."""
