# N-Queens with bitwise operations, in MIPS32 assembly.
#
# The program reads n, counts the ways to place n queens on an n by n board so that
# none attacks another, and prints
#
#     n-Queens has K solutions
#
# A second input of 1 makes it print every solution as well, as a tuple: the column of
# the queen in row 1, in row 2, ... with columns counted from 1.
#
# The idea: a row of the board is an integer, one bit per column. Bit 0, the lowest, is
# column 1; a binary number is written with its lowest bit last, so in binary the first
# column stands at the right. Three such integers say which squares of a row are attacked:
#
#     down    from straight above
#     left    along diagonals that go one bit to the left with every row
#     right   along diagonals that go one bit to the right with every row
#
# A square in none of the three is a possible place for the queen of this row. Going down
# one row shifts `left` one bit to the left and `right` one bit to the right, which moves
# all attacks along their diagonals at once. docs/mips.md explains this with pictures.
#
# How to read this file: the comment beside each instruction says what it does. A line that
# begins with `#|` quotes the Rust of the library's `bitmask` engine, from the file
# crates/queens/src/board/bitmask.rs; the instructions below it do the same. Where the
# engine goes another way, for speed, a note says how. SPIM assembles this file as it is,
# and so does GNU as, with asm/mips/linux.s before it.
#
# REGISTERS
#
#     $zero      always 0
#     $at        belongs to the assembler, which needs it to build pseudo-instructions
#     $v0 $v1    what a function returns; a 64-bit result has its low half in $v0, its
#                high half in $v1. $v0 also selects the system call
#     $a0..$a3   the first four arguments of a function or of a system call
#     $t0..$t9   scratch: any function called may change them
#     $s0..$s7   kept: a function that uses one must restore it before it returns
#     $sp        the stack pointer; the stack grows towards lower addresses
#     $ra        the return address, written by `jal`
#
#     inside `queens`:   at its entry                  after `search`
#     left               $a0                           $s0
#     down               $a1                           $s1
#     right              $a2                           $s2
#     row                $a3, the rows filled so far   $s3
#     mask               in memory, n ones             $s7
#     possible                                         $s4, the places not yet tried
#     place                                            $t0, the one bit being tried
#     count                                            $s5 low half, $s6 high half
#
# CALLING CONVENTION
#
# The usual one for 32-bit MIPS (o32): arguments in $a0..$a3, results in $v0 and $v1, $s0
# to $s7 and $ra preserved, $sp a multiple of 8. A function that calls another one makes
# a frame, whose lowest 16 bytes belong to the functions it calls (room for their four
# arguments, whether they use it or not). A system call is treated as a function call:
# nothing in $v, $a or $t is expected to survive it.
#
# DELAY SLOTS
#
# A real MIPS executes the instruction after a branch or jump before it arrives at the
# target; SPIM and MARS do so only when asked. Here a `nop` follows every branch and jump,
# and no instruction uses a register that the instruction before it loaded from memory. So
# the program does the same with delayed branches and delayed loads on or off.
#
# SYSTEM CALLS, each explained where it is first used: 4 print_string, 8 read_string,
# 17 exit2.

        .data
ask_n:      .asciiz "How many queens (0 to 27)?\n"
ask_list:   .asciiz "Print every solution (1) or only count them (0)?\n"
usage_line: .asciiz "usage: n [list], where n is 0 to 27 and list is 0 or 1\n"
queens_has: .asciiz "-Queens has "
solutions:  .asciiz " solutions\n"

line:       .space 80           # the line just read, ended by a zero byte
text:       .space 120          # a number or a tuple, written from its last byte backwards
text_end:   .byte 0             # the zero byte that ends it

        .align 2                # words start at multiples of 4
mask:       .word 0             # n ones
list:       .word 0             # 1: print every solution
places:     .space 108          # 27 words: places[row] is the bit of the queen in that row

        .text
        .globl main             # where SPIM starts; the other names are global so that a
        .globl queens           #   debugger can stop there: at every call,
        .globl chosen           #   at every queen placed,
        .globl solution         #   at every solution,
        .globl return           #   at every return from a row that was searched,
        .globl back             #   and when its caller goes on

# main: ask, count, answer.
#
# Keeps:   $s0 n   $s1 count, low half   $s2 count, high half
# Frame, 16 bytes: only the room for the functions called. main ends the program and never
# returns, so it has nothing to save.

main:
        addiu $sp, $sp, -16     # make the frame

# Read n.
        la    $a0, ask_n        # argument: the question
        jal   read_line         # ask it and read a line
        nop                     # delay slot
        move  $a0, $v0          # argument: where the line starts
        jal   parse_number      # $v0 = the number, $v1 = where it ends
        nop                     # delay slot
        bltz  $v0, bad_input    # negative: there was no number
        nop                     # delay slot
        li    $t0, 27           # largest n whose count is known; it fits in 64 bits
        bgt   $v0, $t0, bad_input # too large
        nop                     # delay slot
        move  $s0, $v0          # n

# Read whether to list: the rest of the same line, or else another line.
        move  $a0, $v1          # argument: the character after n
        jal   parse_number      # is there a second number on this line?
        nop                     # delay slot
        li    $t0, -1           # -1 means: nothing more on the line
        bne   $v0, $t0, have_list # there was something: a number, or -2 for nonsense
        nop                     # delay slot
        la    $a0, ask_list     # argument: the question
        jal   read_line         # ask it and read a line
        nop                     # delay slot
        move  $a0, $v0          # argument: where the line starts
        jal   parse_number      # the second number
        nop                     # delay slot
        li    $t0, -1           # -1 means: an empty line, or the end of the input
        bne   $v0, $t0, have_list # something was typed
        nop                     # delay slot
        li    $v0, 0            # nothing typed: only count
have_list:
        bltz  $v0, bad_input    # -2: not a number
        nop                     # delay slot
        li    $t0, 1            # the largest sensible answer
        bgt   $v0, $t0, bad_input # neither 0 nor 1
        nop                     # delay slot
        sw    $v0, list         # remember the choice
        move  $a0, $v1          # argument: the character after the number
        jal   parse_number      # a third number?
        nop                     # delay slot
        li    $t0, -1           # -1 means: nothing more on the line, as it should be
        bne   $v0, $t0, bad_input # anything else is a mistake
        nop                     # delay slot

# Count.

#| let mask = ((1u64 << n) - 1) as u32;
        li    $t0, 1            # a single one ...
        sllv  $t0, $t0, $s0     # ... moved up n places: 2 to the power n ...
        addiu $t0, $t0, -1      # ... less 1: n ones. For n = 4: 10000 - 1 = 1111
        sw    $t0, mask         # the whole row, for `queens` to find

#| self.queens(open, bits.left, bits.right, possible, 0, stage)
        li    $a0, 0            # left: no queen, no attack
        li    $a1, 0            # down: none
        li    $a2, 0            # right: none
        li    $a3, 0            # row: none filled
        jal   queens            # $v1:$v0 = the number of solutions
        nop                     # delay slot
        move  $s1, $v0          # count, low half
        move  $s2, $v1          # count, high half

# Answer.
        move  $a0, $s0          # n, low half
        li    $a1, 0            # n, high half
        jal   print_u64         # print n
        nop                     # delay slot
        la    $a0, queens_has   # "-Queens has "
        li    $v0, 4            # system call 4, print_string: shows the characters from
        syscall                 #   address $a0 up to the first zero byte
        move  $a0, $s1          # count, low half
        move  $a1, $s2          # count, high half
        jal   print_u64         # print the count
        nop                     # delay slot
        la    $a0, solutions    # " solutions"
        li    $v0, 4            # print_string
        syscall                 # show it

        li    $a0, 0            # exit status 0: answered
        li    $v0, 17           # system call 17, exit2: ends the program with status $a0
        syscall                 #   (not `jr $ra`, since in MARS nothing has called main)

# Bad input: print the usage line, end with exit status 1.
bad_input:
        la    $a0, usage_line   # the usage line
        li    $v0, 4            # print_string
        syscall                 # show it
        li    $a0, 1            # exit status 1
        li    $v0, 17           # exit2
        syscall                 # end

# queens(left, down, right, row): how many ways there are to fill the remaining rows.
#
# Takes:   $a0 left   $a1 down   $a2 right   $a3 row
# Returns: $v0 count, low half   $v1 count, high half
# Frame, 56 bytes:  52 $ra   48 $s7 ... 20 $s0   (16 unused)   0..15 for functions called

queens:
#| } else if open == 0 {
# (`open` is `mask` without the ones of `down`: it is 0 when `down` equals `mask`.)
        lw    $t0, mask         # the whole row
        nop                     # load delay: $t0 is ready after this instruction
        bne   $a1, $t0, search  # some column is still without a queen: go on searching
        nop                     # delay slot

#| stage.tell_solution(self);
#| count += 1;
solution:
        lw    $t1, list         # all n columns taken: a solution. Is it to be printed?
        li    $v0, 1            # it counts 1: low half
        li    $v1, 0            # high half
        beqz  $t1, counted      # not to be printed
        nop                     # delay slot
        addiu $sp, $sp, -24     # a small frame, since this path calls a function
        sw    $ra, 20($sp)      # save the return address
        move  $a0, $a3          # argument: the number of rows filled, now n
        jal   print_tuple       # print places[0] to places[n - 1]
        nop                     # delay slot
        lw    $ra, 20($sp)      # restore the return address
        addiu $sp, $sp, 24      # give the frame back
        li    $v0, 1            # count 1 again, since the call changed $v0 and $v1
        li    $v1, 0            # high half
counted:
        jr    $ra               # return 1
        nop                     # delay slot

search:
        addiu $sp, $sp, -56     # make the frame
        sw    $ra, 52($sp)      # save the return address
        sw    $s7, 48($sp)      # save the registers of the caller, which in all calls but
        sw    $s6, 44($sp)      #   the first is this same function, one row higher: its
        sw    $s5, 40($sp)      #   left, down, right, possible, ... wait here until the
        sw    $s4, 36($sp)      #   rows below have been searched
        sw    $s3, 32($sp)      # save $s3
        sw    $s2, 28($sp)      # save $s2
        sw    $s1, 24($sp)      # save $s1
        sw    $s0, 20($sp)      # save $s0
        move  $s0, $a0          # left
        move  $s1, $a1          # down
        move  $s2, $a2          # right
        move  $s3, $a3          # row
        move  $s7, $t0          # mask
        li    $s5, 0            # count = 0: low half
        li    $s6, 0            # high half

#| !(self.down | self.left | self.right) & mask
        or    $t1, $s1, $s0     # attacked by down or left ...
        nor   $t1, $t1, $s2     # ... or right; `nor` also flips the bits: not attacked
        and   $s4, $t1, $s7     # possible: of those, the n bits that are on the board

#| while possible != 0 {
        beqz  $s4, return       # nowhere to go: a dead end, the count is 0
        nop                     # delay slot
try:
#| let place = possible & possible.wrapping_neg();
        negu  $t0, $s4          # -possible: all bits flipped, plus 1. What x and -x have
        and   $t0, $s4, $t0     #   in common is the lowest one of x: place

#| possible ^= place;
# (Done here before the call, not after it, so that `place` need not outlive the call.)
chosen:
        xor   $s4, $s4, $t0     # take that place out of possible

#| self.rows[row + 1] = RowBits {
# (The engine keeps all vectors of each row, for views of the search; here `place` is enough.)
        sll   $t1, $s3, 2       # row times 4, since a word has 4 bytes
        sw    $t0, places($t1)  # places[row] = place, for print_tuple

#| left: (self.left | place) << 1 & mask,
        or    $a0, $s0, $t0     # left with the new queen's attack ...
        sll   $a0, $a0, 1       # ... one column further in the next row ...
        and   $a0, $a0, $s7     # ... unless that is off the board
#| down: self.down | place,
        or    $a1, $s1, $t0     # down with the new queen's attack: stays in its column
#| right: (self.right | place) >> 1,
        or    $a2, $s2, $t0     # right with the new queen's attack ...
        srl   $a2, $a2, 1       # ... one column back in the next row

#| count = self.queens(open, left, right, below, count, stage);
# (The engine passes the count down, and each call adds to it. Here each call counts from 0
# and its caller adds the result, as in the function of the recitation on bit vectors.)
        addiu $a3, $s3, 1       # the next row
        jal   queens            # search it: $v1:$v0 solutions
        nop                     # delay slot
back:
        addu  $s5, $s5, $v0     # add the low halves; the sum may exceed 32 bits ...
        sltu  $t0, $s5, $v0     # ... and then it is less than what was added: carry 1
        addu  $s6, $s6, $v1     # add the high halves ...
        addu  $s6, $s6, $t0     # ... and the carry

#| while possible != 0 {
        bnez  $s4, try          # another possible place in this row?
        nop                     # delay slot

#| count
return:
        move  $v0, $s5          # the count, low half
        move  $v1, $s6          # high half
        lw    $s0, 20($sp)      # give the caller its registers back
        lw    $s1, 24($sp)      # $s1
        lw    $s2, 28($sp)      # $s2
        lw    $s3, 32($sp)      # $s3
        lw    $s4, 36($sp)      # $s4
        lw    $s5, 40($sp)      # $s5
        lw    $s6, 44($sp)      # $s6
        lw    $s7, 48($sp)      # $s7
        lw    $ra, 52($sp)      # and the address to return to
        addiu $sp, $sp, 56      # give the frame back
        jr    $ra               # return
        nop                     # delay slot

# print_tuple(n): print places[0] to places[n - 1] as "(2, 4, 1, 3)" and a newline.
#
# The line is written backwards, from the last character to the first, since that is
# the order in which put_decimal finds the digits of a number.
#
# Takes:   $a0 n
# Frame, 24 bytes:  20 $ra   16 $s0   0..15 for the functions called
# Keeps:   $s0 row

print_tuple:
        addiu $sp, $sp, -24     # make the frame
        sw    $ra, 20($sp)      # save the return address
        sw    $s0, 16($sp)      # save the kept register used here
        move  $s0, $a0          # row = n: one past the last
        la    $v0, text_end     # write before this address
        li    $t0, 10           # newline
        sb    $t0, -1($v0)      # the last character
        li    $t0, 41           # ')'
        sb    $t0, -2($v0)      # the one before it
        addiu $v0, $v0, -2      # where the text starts so far
        beqz  $s0, opened       # n = 0: the empty tuple ()
        nop                     # delay slot
column:
        addiu $s0, $s0, -1      # the row before
        sll   $t0, $s0, 2       # row times 4
        lw    $t0, places($t0)  # place: one bit
        nop                     # load delay
        clz   $t0, $t0          # zeros above that bit: 31 for bit 0, 30 for bit 1, ...
        li    $t1, 32           # so 32 less that many ...
        subu  $a0, $t1, $t0     # ... is the column, counted from 1: low half
        li    $a1, 0            # high half
        move  $a2, $v0          # write before this address
        jal   put_decimal       # $v0 = where the text starts now
        nop                     # delay slot
        beqz  $s0, opened       # that was row 0: no comma before it
        nop                     # delay slot
        li    $t0, 32           # ' '
        sb    $t0, -1($v0)      # before the number
        li    $t0, 44           # ','
        sb    $t0, -2($v0)      # before the blank
        addiu $v0, $v0, -2      # the text starts two characters earlier
        b     column            # next, the row above
        nop                     # delay slot
opened:
        li    $t0, 40           # '('
        sb    $t0, -1($v0)      # the first character
        addiu $a0, $v0, -1      # the text starts there
        li    $v0, 4            # print_string
        syscall                 # show the line
        lw    $s0, 16($sp)      # restore the kept register
        lw    $ra, 20($sp)      # restore the return address
        addiu $sp, $sp, 24      # give the frame back
        jr    $ra               # return
        nop                     # delay slot

# print_u64(low, high): print a 64-bit number in decimal. (System call 1, print_int, will
# not do: it prints 32 bits, and as a signed number. From n = 19 counts are larger.)
#
# Takes:   $a0 low half   $a1 high half
# Frame, 24 bytes:  20 $ra   (16 unused)   0..15 for the functions called

print_u64:
        addiu $sp, $sp, -24     # make the frame
        sw    $ra, 20($sp)      # save the return address
        la    $a2, text_end     # write before this address
        jal   put_decimal       # $v0 = where the digits start
        nop                     # delay slot
        move  $a0, $v0          # that is what to print
        li    $v0, 4            # print_string
        syscall                 # show it
        lw    $ra, 20($sp)      # restore the return address
        addiu $sp, $sp, 24      # give the frame back
        jr    $ra               # return
        nop                     # delay slot

# put_decimal(low, high, end): write a 64-bit number in decimal, its last digit just
# before the address `end`, and return the address of its first digit.
#
# Each step divides the number by 10: the remainder is the next digit from the right.
# `divu` divides 32 bits, so a 64-bit number is divided as on paper, from the left, with
# the remainder of each piece carried in front of the next one. The pieces are high (32
# bits), the upper half of low (16 bits) and the lower half of low (16 bits): a remainder
# of at most 9 in front of 16 bits is a number of at most 20 bits.
#
# Takes:   $a0 low half   $a1 high half   $a2 end
# Returns: $v0 the address of the first digit
# A leaf function: it calls nothing and keeps nothing, so it needs no frame.
# (GNU as makes `divu $t0, $t1` leave the quotient in $t0 as well, so $t0 is not used
# again after it.)

put_decimal:
        li    $t1, 10           # the divisor
digit:
        move  $t0, $a1          # first piece: the high half
        divu  $t0, $t1          # LO = quotient, HI = remainder
        mflo  $a1               # high half of the quotient
        mfhi  $t2               # remainder, 0 to 9
        sll   $t2, $t2, 16      # put it in front of ...
        srl   $t0, $a0, 16      # ... the second piece, the upper 16 bits of low
        or    $t0, $t2, $t0     # both together
        divu  $t0, $t1          # divide
        mflo  $t3               # quotient: the upper 16 bits of low, from now on
        mfhi  $t2               # remainder
        sll   $t2, $t2, 16      # put it in front of ...
        andi  $t0, $a0, 0xffff  # ... the third piece, the lower 16 bits of low
        or    $t0, $t2, $t0     # both together
        divu  $t0, $t1          # divide
        mflo  $t4               # quotient: the lower 16 bits of low
        mfhi  $t2               # remainder: the digit
        sll   $t3, $t3, 16      # put the two pieces of low ...
        or    $a0, $t3, $t4     # ... together again
        addiu $t2, $t2, 48      # '0' is character 48, '1' is 49, ...
        addiu $a2, $a2, -1      # one place further to the left
        sb    $t2, 0($a2)       # write the digit there
        or    $t0, $a0, $a1     # is anything left of the number?
        bnez  $t0, digit        # then another digit
        nop                     # delay slot
        move  $v0, $a2          # the first digit
        jr    $ra               # return
        nop                     # delay slot

# read_line(question): print the question, read a line, return its address.
#
# Takes:   $a0 the question
# Returns: $v0 the address of the line; a line too long for `line` ends the program as bad
#          input
# A leaf: no frame.

read_line:
        li    $v0, 4            # print_string
        syscall                 # show the question
        la    $t0, line         # the buffer of 80 bytes
        sb    $zero, 78($t0)    # byte 78 stays zero unless the line is very long
        move  $a0, $t0          # where to put the line
        li    $a1, 80           # the size of the buffer
        li    $v0, 8            # system call 8, read_string: reads up to $a1 - 1 characters
        syscall                 #   to address $a0, stops after a newline, adds a zero byte
        la    $v0, line         # what is returned
        lb    $t1, 78($v0)      # the last character that fits
        li    $t2, 10           # newline
        beqz  $t1, line_fits    # the line is shorter
        nop                     # delay slot
        bne   $t1, $t2, bad_input # the line has no end
        nop                     # delay slot
line_fits:
        jr    $ra               # return
        nop                     # delay slot

# parse_number(text): skip blanks, then read a number without sign.
#
# Takes:   $a0 where to start
# Returns: $v0 the number, at most 999; or -1 if the line has nothing more; or -2 if what
#          follows is not a number or is larger     $v1 the address after the number
# A leaf: no frame.

parse_number:
        li    $t1, 32           # ' '
        li    $t2, 9            # tab
        li    $t3, 13           # carriage return: ends lines written on Windows
        b     skip              # look at the first character
        nop                     # delay slot
blank:
        addiu $a0, $a0, 1       # the next character
skip:
        lb    $t0, 0($a0)       # the character here
        li    $t4, 10           # newline
        beq   $t0, $t1, blank   # skip blanks
        nop                     # delay slot
        beq   $t0, $t2, blank   # skip tabs
        nop                     # delay slot
        beq   $t0, $t3, blank   # skip carriage returns
        nop                     # delay slot
        li    $v0, -1           # -1, in case there is nothing here
        move  $v1, $a0          # where it ends, in that case
        beqz  $t0, parsed       # zero byte: the end of the text
        nop                     # delay slot
        beq   $t0, $t4, parsed  # newline: the end of the line
        nop                     # delay slot

        li    $v0, 0            # the number so far
        li    $t5, 10           # the base of the digits
        li    $t6, 1000         # too large
value:
        addiu $t0, $t0, -48     # '0' becomes 0, '9' becomes 9
        bgeu  $t0, $t5, nonsense # anything else becomes 10 or more, read as unsigned
        nop                     # delay slot
        sll   $t7, $v0, 3       # 8 times the number ...
        sll   $v0, $v0, 1       # ... plus 2 times the number ...
        addu  $v0, $v0, $t7     # ... is 10 times the number ...
        addu  $v0, $v0, $t0     # ... plus the digit
        bge   $v0, $t6, nonsense # before it can overflow
        nop                     # delay slot
        addiu $a0, $a0, 1       # the next character
        lb    $t0, 0($a0)       # read it
        move  $v1, $a0          # where the number ends, if it ends here
        beq   $t0, $t1, parsed  # a blank ends it
        nop                     # delay slot
        beq   $t0, $t2, parsed  # so does a tab
        nop                     # delay slot
        beq   $t0, $t3, parsed  # or a carriage return
        nop                     # delay slot
        beq   $t0, $t4, parsed  # or the end of the line
        nop                     # delay slot
        bnez  $t0, value        # or the end of the text; anything else must be a digit
        nop                     # delay slot
        b     parsed            # the end of the text
        nop                     # delay slot
nonsense:
        li    $v0, -2           # -2: not a number
        move  $v1, $a0          # the character that is wrong
parsed:
        jr    $ra               # return
        nop                     # delay slot
