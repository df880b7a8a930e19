"""`python -m holdfast`; also the file to give to spark-submit."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # spark-submit puts the folder of this file first, where our modules would hide others.
    sys.path[:] = [path for path in sys.path if path != str(Path(__file__).parent)]
    from holdfast.surfaces.cli.main import main

    main()
