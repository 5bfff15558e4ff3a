"""Parsers of headers that others wrote, in any language: asked from outside, and judged."""
