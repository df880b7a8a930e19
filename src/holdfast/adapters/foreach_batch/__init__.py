"""A folder for PYTHONPATH: programs under audit tell when their foreachBatch function is called."""
