"""The runs that Trac's tests share, and the table at the end of a soak."""

from collections import Counter
from statistics import median

import pytest
from tests.trac.recorded import Recorded, recorded


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """After a soak: each way with its outcomes, how often it had them, and how long it took."""
    found: dict[str, list[tuple[pytest.TestReport, dict[str, object]]]] = {}
    for report in (item for items in terminalreporter.stats.values() for item in items):
        if isinstance(report, pytest.TestReport) and report.when == "call" and report.user_properties:
            told = dict(report.user_properties)
            found.setdefault(str(told.get("way")), []).append((report, told))
    if not found:
        return
    terminalreporter.section("every way, its outcomes, and seconds (median, longest)")
    for way in sorted(found):
        runs = found[way]
        good = sum(report.passed for report, _ in runs)
        outcomes = Counter(str(told.get("outcome", "no verdict")) for _, told in runs)
        seconds = [float(str(told.get("seconds", 0))) for _, told in runs]
        said = ", ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items()))
        terminalreporter.write_line(
            f"{'✓' if good == len(runs) else '✗'} {way:<36} {good:>3}/{len(runs):<3} {said:<24} "
            f"{median(seconds):6.1f} {max(seconds):6.1f}",
            red=good < len(runs),
        )


@pytest.fixture(scope="session")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The right run of a task after a look around: it has every kind of noise that a tour of all pages has."""
    return recorded(tmp_path_factory, "trac-rename-component", "look", "good")


@pytest.fixture(scope="session")
def signed_out(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A right run of another task, at whose end nobody is signed in."""
    return recorded(tmp_path_factory, "trac-close-1", "seen")


@pytest.fixture(scope="session")
def recreated(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A component deleted and added under the other name instead of renamed."""
    return recorded(tmp_path_factory, "trac-rename-component", "recreated")
