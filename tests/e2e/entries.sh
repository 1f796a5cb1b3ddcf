#!/bin/bash
# quick
# Entries without a host function: which one, on which device, and where its types come from.
. "$(dirname "$0")/lib.bash"
f=tests/kernels/scopes_without_a_host.pld
types=(--tensor 'a=FP32[64,64]' --tensor 'b=FP32[64,64]' -D n=64)
exits "further devices stay idle" 0 "$build/pldrun" "$f" "${types[@]}" --input f=3 -d 3,4,5
says "further devices stay idle" 'warning: idle: devices 4, 5: .*, 3 here \[-Widle-device\]'
prints_ok "without the warning" "$f" "${types[@]}" --input f=3 -d 3,4 -Wno-idle-device
exits "bytecode" 0 "$build/pldc" "$f" "${types[@]}" -o "$tmp/a.pldb"
prints_ok "bytecode runs on one device" "$tmp/a.pldb" --input f=1
exits "types are not known" 1 "$build/pldc" "$f" -D n=64 -o "$tmp/x.pldb"
says "types are not known" 'of a are not known: give --input a=F.npy, --golden a=F.npy or --tensor a=FP32\[64,64\]'
exits "a type that is none" 1 "$build/pldc" "$f" "${types[@]:2}" --tensor 'a=FP32[64' -o "$tmp/x.pldb"
says "a type that is none" 'wanted a dtype and extents'
exits "output as a file" 0 "$build/pldrun" "$f" "${types[@]}" --input f=3 --output "b=$tmp/b.npy"
prints_ok "types of a file" "$f" --golden "b=$tmp/b.npy" "${types[@]:0:2}" -D n=64 --input f=3

# Bytecode remembers the types that it was compiled for.
"$build/pldc" "$f" "${types[@]}" -o "$tmp/typed.pldb"
exits "bytecode with its types" 0 "$build/pldrun" "$tmp/typed.pldb" --tensor 'a=FP32[64,64]' --input f=3
exits "bytecode with other types" 2 "$build/pldrun" "$tmp/typed.pldb" --tensor 'a=FP16[64,32]' --input f=3
says "bytecode with other types" 'is compiled for a=FP32\[64,64\], not FP16\[64,32\]: compile it again with pldc --tensor a=FP16\[64,32\]'
finish
