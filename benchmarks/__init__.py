"""What is measured: as ratios within one run, for machines differ."""
