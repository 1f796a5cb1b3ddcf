# Checks a file against the trace event format; prints one line a mistake.
def bad($what): "\($what): \(tojson)";
def near($a; $b): ($a - $b) < 2e-6 and ($b - $a) < 2e-6;

(if (.traceEvents | type) != "array" then "no traceEvents" else empty end),
(.traceEvents[]
 | if (has("ph") and has("pid") and has("tid") and has("name")) | not then bad("fields") else empty end,
   if .ph != "M" and ((.ts | type) != "number" or .ts < 0) then bad("ts") else empty end,
   if .ph == "X" and ((.dur | type) != "number" or .dur < 0) then bad("dur") else empty end,
   if .ph == "X" and ((.args.at // "") | test(":[0-9]+:[0-9]+$") | not) then bad("no source line") else empty end,
   if (.ph | IN("X", "M", "s", "f", "i", "C")) | not then bad("phase") else empty end),
# slices of a thread nest
([.traceEvents[] | select(.ph == "X")] | group_by([.pid, .tid])[]
 | sort_by([.ts, -.dur])
 | foreach .[] as $e ([]; [.[] | select(.ts + .dur > $e.ts + 1e-6)] + [$e];
     . as $s | if ($s | length) > 1 and $e.ts + $e.dur > $s[-2].ts + $s[-2].dur + 2e-6
               then "not nested: \($e | tojson) in \($s[-2] | tojson)" else empty end)),
# arrows have two ends, the first not after the second, and lie in slices
([.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.id)[]
 | if (map(.ph) | sort) != ["f", "s"] then bad("ends") else empty end,
   if (map(select(.ph == "s"))[0].ts) > (map(select(.ph == "f"))[0].ts) + 1e-6 then bad("backwards") else empty end),
([.traceEvents[] | select(.ph == "X")] as $x | [.traceEvents[] | select(.ph == "s" or .ph == "f")][:200][]
 | . as $f | if any($x[]; .pid == $f.pid and .tid == $f.tid and .ts <= $f.ts + 1e-6 and .ts + .dur >= $f.ts - 1e-6)
             then empty else bad("no slice") end)
