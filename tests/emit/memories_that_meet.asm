program Program platform=a2a3sim ranks=4
entry host

incore step: 4 registers, 256 bytes on the core
  param a: tensor FP32 [4, 64] in
  param b: tensor FP32 [4, 64] in
  param y: tensor FP32 [4, 64] out
  param n: scalar INT32
  t0 = FP32 [1, 64] in Vec at 0, 256 bytes (y)
     0  ldi      r1, 2
     1  ldi      r2, 0
     2  ldi      r3, 0
     3  bin      r0, r0, r1, INT32, gt
     4  jz       r0, ->7
     5  mmov     m0, m0
     6  jmp      ->8
     7  mmov     m0, m1
     8  load     t0, m0, r2..r3, -, 0
     9  store    t0, m2, r2..r3, None_
    10  ret      -

orchestration chip: 1 registers, 0 bytes on the core
  param a: tensor FP32 [4, 64] in
  param b: tensor FP32 [4, 64] in
  param y: tensor FP32 [4, 64] out
     0  ldi      r0, 1
     1  call     step(m0, m1, m2, r0)
     2  ret      -

host host: 2 registers, 0 bytes on the core
  param a: tensor FP32 [4, 64] in
  param b: tensor FP32 [4, 64] in
  param y: tensor FP32 [4, 64] out
     0  ldi      r0, 0
     1  ldi      r1, 1
     2  dispatch chip(m0, m1, m2), r0, r1
     3  ret      -
