"""From values to text and JSON; the only place that puts words before people."""
