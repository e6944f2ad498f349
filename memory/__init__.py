"""What is remembered, and how it is kept."""
