"""Runs a command and prints what it took, as JSON.

usage: measure.py time|peak COMMAND [ARGUMENT...]

time: wall and processor seconds.
peak: the most memory that it had, mapped pages of files included. The kernel's final count (ru_maxrss) also counts
what the parent had when it started the command, so the command's own mark (VmHWM) is read while it runs.
"""
import json
import os
import shutil
import sys
import time

mode, command = sys.argv[1], shutil.which(sys.argv[2])
silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
begun = time.perf_counter()
child = os.posix_spawn(command, sys.argv[2:], os.environ, file_actions=silent)
result = {}
if mode == "time":
    _, status, used = os.wait4(child, 0)
    result = {"seconds": time.perf_counter() - begun, "cpu_seconds": used.ru_utime + used.ru_stime}
else:
    peak = ended = 0
    while not ended:
        with open(f"/proc/{child}/status") as file:
            lines = [line.split() for line in file]
        # While the command is being started, what runs is still this script.
        name = next((line[1] for line in lines if line[0] == "Name:"), "")
        mark = next((int(line[1]) for line in lines if line[0] == "VmHWM:"), 0)
        if name == os.path.basename(command)[:15]:
            peak = max(peak, mark)
        ended, status, _ = os.wait4(child, os.WNOHANG)
        time.sleep(0.0005)
    result = {"seconds": time.perf_counter() - begun, "peak_bytes": peak * 1024}
print(json.dumps(result))
sys.exit(os.waitstatus_to_exitcode(status))
