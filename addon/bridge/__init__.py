"""The only code that reads or writes bones and F-curves; what crosses it is Skeleton, Clip and plain values."""
