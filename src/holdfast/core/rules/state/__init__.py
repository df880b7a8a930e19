"""Rules about the state of stateful operators."""
