from tests.adapters.browser.conftest import site, stage, whole_stage

__all__ = ["site", "stage", "whole_stage"]  # one real browser for the rules that speak of pages
