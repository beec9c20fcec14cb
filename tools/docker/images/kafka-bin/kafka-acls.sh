#!/bin/sh
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dlog4j2.level=ERROR -cp '/opt/kafka/libs/*' org.apache.kafka.tools.AclCommand "$@"
