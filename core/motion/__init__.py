"""What a clip is: rotations, skeletons, clips, and their kinematics."""
