#!/usr/bin/env bash
# Registers a schedule with curl; ONTHEDOT_URL and ONTHEDOT_API_KEY are as `make run` printed them.
set -euo pipefail

name=month-end
cron='0 18 L * *'
zone=Europe/Paris

# When will it fire? This asks no server.
onthedot next "$cron" --timezone "$zone" --count 3

ask() { # METHOD PATH [BODY]
  curl --silent --show-error --request "$1" "$ONTHEDOT_URL$2" \
    --header "Authorization: Bearer $ONTHEDOT_API_KEY" \
    --header 'Content-Type: application/json' \
    --header 'If-None-Match: *' \
    --data "${3-}" --output /dev/null --write-out '%{http_code}'
}

# With `If-None-Match: *` only a new schedule is made, so a second call changes nothing.
status=$(ask PUT "/v1/schedules/$name" '{
  "cron": "'"$cron"'",
  "timezone": "'"$zone"'",
  "target": {"type": "python", "handler": "hello"},
  "payload": {"who": "the month"}
}')

case $status in
  201) echo "$name is registered" ;;
  412) echo "$name was there already" ;;
  *) echo "the API answered $status" >&2 && exit 1 ;;
esac
