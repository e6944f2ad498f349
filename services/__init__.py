"""The outside world, with none of our business in it."""
