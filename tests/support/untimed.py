"""How tests that make up their examples are run."""

from hypothesis import HealthCheck, settings

# A busy machine takes hundreds of milliseconds for what takes two, and no test is about that.
UNTIMED = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
