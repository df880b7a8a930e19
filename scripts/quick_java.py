"""Print the options with which a Spark that lives for seconds starts quickest.

    SPARK_SUBMIT_OPTS="$(python -m scripts.quick_java)"

Makes the archive of Spark's classes in the cache where it is not there yet. Tests and campaigns
start Spark a hundred times, and most of their time is that.
"""

import os
import sys

from holdfast.adapters.surroundings.java_archive import quick_java_options

if __name__ == "__main__":
    print(quick_java_options(sys.executable, os.environ))
