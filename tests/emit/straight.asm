program Program platform=a2a3sim ranks=4
entry host

incore step: 5 registers, 512 bytes on the core
  param x: tensor FP32 [4, 64] in
  param y: tensor FP32 [4, 64] inout
  param n: scalar INT32
  t0 = FP32 [1, 64] in Vec at 0, 256 bytes (a)
  t1 = FP32 [1, 64] in Vec at 256, 256 bytes (b)
     0  ldi      r1, 0
     1  ldi      r2, 0
     2  ldi      r3, 1
     3  ldi      r4, 0
     4  load     t0, m0, r1..r2, -, 0
     5  tbink    t1, t0, mul, 0.5
     6  tbin     t0, t1, t0, add
     7  store    t0, m1, r3..r4, None_
     8  ret      -

orchestration chip: 1 registers, 0 bytes on the core
  param x: tensor FP32 [4, 64] in
  param y: tensor FP32 [4, 64] inout
     0  ldi      r0, 3
     1  call     step(m0, m1, r0)
     2  ret      -

host host: 2 registers, 0 bytes on the core
  param x: tensor FP32 [4, 64] in
  param y: tensor FP32 [4, 64] inout
     0  ldi      r0, 0
     1  ldi      r1, 1
     2  dispatch chip(m0, m1), r0, r1
     3  ret      -
