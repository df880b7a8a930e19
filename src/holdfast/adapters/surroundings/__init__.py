"""What is around the jobs: Java, installed packages, the master, the folders of checkpoints."""
