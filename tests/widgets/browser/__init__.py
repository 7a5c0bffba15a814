"""Tests in a real Chromium: on a real JupyterLab, or with the bundle alone in a bare page."""
