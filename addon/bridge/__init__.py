"""The only code that reads or writes bones and F-curves; callers exchange Skeleton, Clip and plain values with it."""
