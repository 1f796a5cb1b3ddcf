"""An exception that is not of pld prints as python3 prints it."""
# expect: 1
# says: ^Traceback \(most recent call last\):$
# says: ^  File ".*traceback_of_others.py", line 14, in <module>$
# says: ^ZeroDivisionError: division by zero$
# lacks: __main__\.py
import pypto.language as pl  # noqa: F401


def divide(a, b):
    return a / b


divide(1, 0)
