"""Fuzz targets without arguments, for OSS-Fuzz and ClusterFuzzLite (`.clusterfuzzlite`)."""
