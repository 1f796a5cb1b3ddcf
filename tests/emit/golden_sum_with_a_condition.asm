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

golden y: 9 registers, 0 bytes on the core
  param x: tensor FP32 [4, 8] in
  param k: scalar INT32
  param i: scalar INDEX
  param j: scalar INDEX
     0  ldi      r3, 4
     1  ldi      r4, 1
     2  ldi      r5, 0
     3  ldi      r6, 1
     4  forprep  r6, r3, r4, ->12
     5  pbin     r7, r6, r1, ne
     6  jz       r7, ->11
     7  mov      r7, r6
     8  mov      r8, r2
     9  read     r7, m0, r7..r8
    10  pbin     r5, r5, r7, add
    11  forloop  r6, r3, r4, ->5
    12  pbin     r0, r5, r0, mul
    13  ret      r0
