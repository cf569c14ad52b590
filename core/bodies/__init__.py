"""Retargeting of clips to bodies with other joints, rest poses and proportions, by body roles.

Method: Body roles and retargeting.
"""
