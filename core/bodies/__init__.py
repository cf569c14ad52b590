"""Clips on bodies of other joints, rest poses and proportions, by what plays which part of the body.

Method: Body roles and retargeting.
"""
