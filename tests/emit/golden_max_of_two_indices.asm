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
  param i: scalar INDEX
  param j: scalar INDEX
     0  ldi      r2, 4
     1  ldi      r3, 1
     2  ldi      r4, 8
     3  ldi      r0, 0
     4  ldi      r1, 0
     5  ldi      r5, 0
     6  forprep  r5, r2, r3, ->19
     7  ldi      r6, 0
     8  forprep  r6, r4, r3, ->18
     9  mov      r7, r5
    10  mov      r8, r6
    11  read     r7, m0, r7..r8
    12  jz       r1, ->15
    13  pbin     r0, r0, r7, max
    14  jmp      ->17
    15  mov      r0, r7
    16  ldi      r1, 1
    17  forloop  r6, r4, r3, ->9
    18  forloop  r5, r2, r3, ->7
    19  check    r1, "max of nothing"
    20  ret      r0
