"""Is every file of the package in the wheel, and every licence? `wheel_files.py WHEEL SOURCE`"""

import sys
import zipfile
from pathlib import Path

wheel, source = sys.argv[1], Path(sys.argv[2])
names = set(zipfile.ZipFile(wheel).namelist())
files = [path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
missing = {str(path.relative_to(source.parent)) for path in files} - names
licences = ["LICENSE", *(f"src/{p.relative_to(source.parent)}" for p in source.rglob("LICENSE"))]
for licence in licences:
    if not any(name.endswith(f".dist-info/licenses/{licence}") for name in names):
        missing.add(licence)
if missing:
    sys.exit(f"{wheel} lacks {', '.join(sorted(missing))}")
print(f"{Path(wheel).name}: {len(files)} files and {len(licences)} licences")
