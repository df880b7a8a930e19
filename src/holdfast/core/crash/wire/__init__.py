"""Conversations with servers as bytes: cut into messages, each with a name that holds no value."""
