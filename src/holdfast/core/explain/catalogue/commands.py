"""The next commands that explanations name, spelled once."""

from typing import Final

SHOW: Final = "holdfast show CHECKPOINT"
VERIFY: Final = "holdfast show CHECKPOINT --verify"
STATE: Final = "holdfast show CHECKPOINT --state"
CONF: Final = "holdfast show CHECKPOINT --conf"
FILES: Final = "holdfast show CHECKPOINT --files"
FLEET: Final = "holdfast fleet FOLDER-OF-CHECKPOINTS"
DIFF: Final = "holdfast diff BACKUP CHECKPOINT"
DOCTOR: Final = "holdfast doctor"
STATUS: Final = "holdfast status"
HISTORY: Final = "holdfast history JOB"
AUDIT: Final = "holdfast audit JOB"
RUN: Final = "holdfast run JOB"
