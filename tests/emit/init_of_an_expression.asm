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

init x: 3 registers, 0 bytes on the core
  param i: scalar INDEX
  param j: scalar INDEX
     0  ldf      r2, 2.5
     1  pbin     r0, r0, r2, mul
     2  pbin     r0, r0, r1, sub
     3  ret      r0
