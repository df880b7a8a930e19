"""What people, scripts and agents see. Surfaces call flows and render what they return."""
