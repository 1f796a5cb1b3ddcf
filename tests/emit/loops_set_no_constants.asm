program Program platform=a2a3sim ranks=4
entry host

incore step: 11 registers, 64 bytes on the core
  param x: tensor FP32 [4, 64] in
  param y: tensor FP32 [4, 64] inout
  param n: scalar INT32
  t0 = FP32 [1, 16] in Vec at 0, 64 bytes (a)
     0  ldi      r1, 1
     1  ldi      r2, 64
     2  ldi      r3, 16
     3  ldi      r5, 0
     4  ldi      r6, 0
     5  forprep  r6, r0, r1, ->20
     6  ldi      r7, 0
     7  forprep  r7, r2, r3, ->19
     8  mov      r8, r6
     9  mov      r9, r7
    10  load     t0, m0, r8..r9, -, 0
    11  bin      r10, r6, r1, INDEX, gt
    12  jz       r10, ->15
    13  store    t0, m1, r8..r9, None_
    14  jmp      ->18
    15  tbink    t0, t0, add, 1.0
    16  mov      r4, r6
    17  store    t0, m1, r4..r5, None_
    18  forloop  r7, r2, r3, ->8
    19  forloop  r6, r0, r1, ->6
    20  ret      -

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
