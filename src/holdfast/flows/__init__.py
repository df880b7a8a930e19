"""One verb per file: where adapters meet the core. Flows return values and print nothing."""
