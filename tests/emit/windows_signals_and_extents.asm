program Program platform=a2a3sim ranks=4
entry host
window buf align=512 zero
window sig align=512 zero

incore step: 7 registers, 256 bytes on the core
  param x: tensor FP32 [((3 * NR) + 2), 64] in
  param data: window FP32 [NR, 64] inout
  param signal: window INT32 [NR, 1] inout signal
  r0 = NR = (x.shape[0] - 2) / 3
  t0 = FP32 [1, 64] in Vec at 0, 256 bytes (t)
     0  ldi      r1, 0
     1  ldi      r3, 0
     2  ldi      r4, 1
     3  rank     r5, m1
     4  fence    Release
     5  mov      r2, r5
     6  notify   m2, r1, r2..r3, r4, AtomicAdd
     7  ldi      r6, 0
     8  forprep  r6, r0, r4, ->12
     9  mov      r2, r6
    10  wait     m2, r2..r3, r4, Ge
    11  forloop  r6, r0, r4, ->9
    12  fence    Acquire
    13  mov      r2, r5
    14  rload    t0, m1, r1, r2..r3, -
    15  store    t0, m1, r2..r3, None_
    16  ret      -

orchestration chip: 1 registers, 0 bytes on the core
  param x: tensor FP32 [((3 * NR) + 2), 64] in
  param data: window FP32 [NR, 64] inout
  param signal: window INT32 [NR, 1] inout signal
  r0 = NR = (x.shape[0] - 2) / 3
     0  call     step(m0, m1, m2)
     1  ret      -

host host: 13 registers, 0 bytes on the core
  param x: tensor FP32 [((3 * NR) + 2), 64] in
  r0 = NR = (x.shape[0] - 2) / 3
  m1 = buffer
  m2 = buffer
  m3 = window FP32, rank 2
  m4 = window INT32, rank 2
     0  ldi      r1, 256
     1  ldi      r2, 4096
     2  ldi      r3, 511
     3  ldi      r4, 512
     4  ldi      r5, 0
     5  ldi      r6, 4
     6  ldi      r7, 1
     7  ldi      r9, 64
     8  ldi      r11, 1
     9  bin      r12, r0, r1, INDEX, mul
    10  bin      r12, r12, r2, INDEX, max
    11  bin      r12, r12, r3, INDEX, add
    12  bin      r12, r12, r4, INDEX, div
    13  bin      r12, r12, r4, INDEX, mul
    14  alloc    m1, r12, r5, buf
    15  bin      r5, r0, r6, INDEX, mul
    16  bin      r5, r5, r2, INDEX, max
    17  bin      r5, r5, r3, INDEX, add
    18  bin      r5, r5, r4, INDEX, div
    19  bin      r5, r5, r4, INDEX, mul
    20  bin      r1, r0, r1, INDEX, mul
    21  bin      r1, r1, r2, INDEX, max
    22  bin      r1, r1, r3, INDEX, add
    23  bin      r1, r1, r4, INDEX, div
    24  bin      r1, r1, r4, INDEX, mul
    25  alloc    m2, r5, r1, sig
    26  world    r1
    27  ldi      r2, 0
    28  forprep  r2, r1, r7, ->35
    29  mov      r8, r0
    30  view     m3, m1, r8..r9, FP32
    31  mov      r10, r0
    32  view     m4, m2, r10..r11, INT32
    33  dispatch chip(m0, m3, m4), r2, r7
    34  forloop  r2, r1, r7, ->29
    35  ret      -
