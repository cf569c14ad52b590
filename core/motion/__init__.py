"""What a clip is: rotations, skeletons, clips, their kinematics and their files."""
