"""python3 recompute/main.py SNAPSHOT…: computes every document of the snapshots again, from books/ alone."""
import os
import sys

import compare
import snapshot


def main(folders):
    report = compare.Report()
    for folder in folders:
        before, report.shown = report.differences, 0
        print('== ' + os.path.basename(os.path.normpath(folder)))
        snapshot.check(report, folder)
        if report.differences == before:
            print('no differences')
    print('%d figures in %d documents of %d snapshots compared, %d differences'
          % (report.figures, report.documents, len(folders), report.differences))
    return 1 if report.differences else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
