"""A Spark application that runs the scripts it is handed, each in a session of its own.

It stands in for `spark-sql`, whose start takes longer than most jobs of a test. It writes the port on which it listens, and answers a
line with the path of a script with what it says of it; the last line is the exit code.
"""

import socket
import sys
import threading

from pyspark.sql import SparkSession

builder = SparkSession.builder.appName("tieout tests")
for setting in sys.argv[1:]:
    name, value = setting.split("=", 1)
    builder = builder.config(name, value)
spark = builder.getOrCreate()


def run(connection):
    with connection, connection.makefile("rw") as talk:
        path = talk.readline().strip()
        spark.sparkContext.setJobGroup(path, path, interruptOnCancel=True)
        try:
            session = spark.newSession()
            with open(path) as script:
                for statement in script.read().split(";\n"):
                    if statement.strip():
                        session.sql(statement)
            talk.write("0\n")
        except Exception as problem:
            talk.write(f"{problem}\n1\n")


server = socket.create_server(("127.0.0.1", 0))
print(f"port {server.getsockname()[1]}", flush=True)
while True:
    connection, _ = server.accept()
    threading.Thread(target=run, args=(connection,), daemon=True).start()
