program Program platform=a2a3sim ranks=4
entry host

orchestration chip: 3 registers, 0 bytes on the core
  param x: tensor FP32 [4, 8] in
  param y: tensor FP32 [4, 8] inout
  param k: scalar INT32
     0  ldi      r1, 0
     1  ldi      r2, 0
     2  read     r0, m0, r1..r2
     3  write    m1, r1..r2, r0, FP32
     4  ret      -

host host: 3 registers, 0 bytes on the core
  param x: tensor FP32 [4, 8] in
  param y: tensor FP32 [4, 8] inout
  param k: scalar INT32
     0  ldi      r1, 0
     1  ldi      r2, 1
     2  dispatch chip(m0, m1, r0), r1, r2
     3  ret      -

init x: 5 registers, 0 bytes on the core
  param i: scalar INDEX
  param j: scalar INDEX
     0  ldi      r2, 3
     1  ldi      r3, 2
     2  jmp      ->7
     3  pbin     r4, r0, r2, eq
     4  jz       r4, ->6
     5  jmp      ->9
     6  pbin     r0, r0, r3, mul
     7  pbin     r4, r0, r1, lt
     8  loop     r4, ->3
     9  ret      r0
