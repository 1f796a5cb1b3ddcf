#!/bin/bash
# A row of a table that the code does not know, or that says what does not exist, is an error of the
# build. usage: tests/e2e/tables.sh BUILD
. "$(dirname "$0")/lib.bash"
mkdir -p "$tmp/cli" "$tmp/ir"

# compiles FILE: with the tables in $tmp before those of the tree
compiles() {
    "${CC:-cc}" -std=c17 -D_GNU_SOURCE -fsyntax-only -Wall -Werror=switch -I"$tmp" -I. -I"$build/gen" \
        "$1" 2>"$tmp/err"
}
# breaks WHAT TABLE SED FILE MESSAGE: the file compiles, but not with the table edited
breaks() {
    local what=$1 table=$2
    if compiles "$4"; then ok; else bad "$what: $4 does not compile as it is: $(head -n 2 "$tmp/err")"; fi
    sed "$3" "$table" >"$tmp/$table"
    cmp -s "$table" "$tmp/$table" && bad "$what: the edit changes nothing"
    if compiles "$4"; then bad "$what: it compiles"; else ok; fi
    says "$what" "$5"
    rm "$tmp/$table"
}

add_option='/^#undef/i PLD_OPTION(NEWCOMER, "newcomer", 0, ARG_NONE, NULL, "new")'
breaks 'an option of pldc without a case' cli/pldc_options.def "$add_option" cli/pldc.c \
    "error: enumeration value .O_NEWCOMER. not handled"
breaks 'an option of pldrun without a case' cli/pldrun_options.def "$add_option" cli/run_options.c \
    "error: enumeration value .O_NEWCOMER. not handled"
breaks 'a tile operation without a kernel' ir/tileop.def 's/^PLD_TILEOP(NEG.*/PLD_TILEOP(NEG, "neg", 1)/' \
    sim/machine/kernels_portable.c 'error:.*(PLD_TILEOP|OPERAND|undeclared|expected)'
breaks 'an op by a tile operation that is none' ir/ops.def 's/^PLD_UNARY(NEG, "neg", NEG/PLD_UNARY(NEG, "neg", NEGATE/' \
    ir/op.c 'error:.*TOP_NEGATE'
breaks 'an op without its twin' ir/ops.def '/^PLD_BINARY_ROWS(RSUB/d' ir/op.c 'error:.*OP_TILE_RSUB'
breaks 'an operand that the row lacks' ir/ops.def 's/PLD_ARG(peer, "", PEER, 0, OPND_NAMED)/PLD_ARG(rank, "", PEER, 0, OPND_NAMED)/' \
    codegen/emit_op.c "error:.*no member named .peer"
breaks 'a type rule that is none' ir/ops.def 's/LEVEL_I, LOAD, TILE_SHAPE/LEVEL_I, LOAD_MORE, TILE_SHAPE/' \
    ir/op.c 'error:.*RULE_LOAD_MORE'
finish
