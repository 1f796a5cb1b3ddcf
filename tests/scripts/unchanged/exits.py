"""What python3 does at the end of a script: its exit status, argv, __file__, sys.path."""
# args: --code 7 rest
# expect: 7
# says: ^True True
import os
import sys

print(os.path.basename(sys.argv[0]) == "exits.py" and sys.argv[1:] == ["--code", "7", "rest"],
      __name__ == "__main__" and sys.path[0] == os.path.dirname(os.path.abspath(__file__)) and sys.modules["__main__"].__file__ == __file__)
sys.exit(int(sys.argv[2]))
