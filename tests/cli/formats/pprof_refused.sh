# Malformed files are refused with status 1, nothing on stdout, the place and the words of pprof.
# Not among them: no_types_no_samples, which pprof reads, and gzip_trailing, which is read with a
# warning.
for f in "$TESTDATA"/cases/pprof/malformed/*.pb; do
	case $f in */ok_* | */no_types_no_samples.pb | */gzip_trailing.pb) continue ;; esac
	"$CPUPROF" info "$f" >out 2>err
	rc=$?
	[ -s out ] && echo "$f: wrote to stdout"
	[ "$(wc -l <err)" = 1 ] || echo "$f: $(wc -l <err) lines"
	echo "$rc $(sed "s|$TESTDATA/cases/pprof/malformed/||" err)"
done
