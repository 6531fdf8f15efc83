#!/bin/sh
# Certificates of a cluster, by the command openssl: an authority of its own, and of each process a key with its word.
#
#   sh certificates.sh FOLDER NAME HOST...     NAME.pem and NAME.key in FOLDER, for the hosts named so, as "IP:10.0.0.1" or "DNS:a.example"
#
# The authority is ours.pem and ours.key, made by the first call. Its key stays where it is made; a process needs the other three.
set -eu
folder=$1
name=$2
shift 2
hosts=$(IFS=,; echo "$*")
make_key="openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
umask 077
mkdir -p "$folder"
cd "$folder"
[ -e ours.pem ] || $make_key -keyout ours.key -x509 -days 3650 -subj "/CN=authority of our cluster" -out ours.pem
$make_key -keyout "$name.key" -subj "/CN=$name" -out "$name.request"
echo "subjectAltName=$hosts" > "$name.hosts"
openssl x509 -req -days 365 -in "$name.request" -extfile "$name.hosts" -CA ours.pem -CAkey ours.key -CAcreateserial -out "$name.pem"
rm "$name.request" "$name.hosts"
