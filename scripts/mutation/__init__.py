"""Changes the judge's own code, one small change at a time, and tells which changes no test notices."""
