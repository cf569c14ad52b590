"""Changes to one clip: planted feet, filters, warps, key poses, inverse kinematics, fewer keys."""
