"""The Kafka sink: rows and the mark of their batch in one Kafka transaction."""
