"""Tests of paired differences, one file each: is the mean difference more than chance?"""
