# The I/O shim: what queens.s needs to be a Linux program.
#
# queens.s uses the system calls of SPIM and MARS: 4 prints a string, 8 reads a line, 17
# ends the program. The Linux kernel has other numbers and other arguments. This file goes
# in front of queens.s, which stays as it is:
#
#     mips-linux-gnu-as -o queens.o asm/mips/linux.s asm/mips/queens.s
#     mips-linux-gnu-ld -o queens-mips queens.o
#     qemu-mips ./queens-mips
#
# (GNU as treats several files as one text.) This file does three things. It teaches the
# assembler that `syscall` is no longer an instruction but a call of the function
# `spim_syscall` below. It provides `__start`, where Linux enters a program. And it sets
# how the assembler works: MIPS32 instructions, and `noreorder`, which leaves delay slots
# as they are written. The assembler's own default is `reorder`: it fills delay slots by
# itself. --defsym REORDER=1 chooses that. The program is correct then too, since a `nop`
# follows every branch and jump of queens.s.

        .set mips32
        .ifndef REORDER
        .set noreorder
        .endif

        .data
spim_byte:  .space 1            # one character, on its way from the kernel

        .text
        .globl __start

# __start: Linux jumps here, with $sp on the program's arguments. Make a frame and call
# main. main ends the program itself; should it return, end with status $v0.
__start:
        addiu $sp, $sp, -24     # room for the arguments of main
        jal   main              # the program
        nop                     # delay slot
        move  $a0, $v0          # its result is the exit status
        li    $v0, 4001         # Linux system call 4001: exit(status)
        syscall                 # the real instruction: the macro comes later

# spim_syscall: do what SPIM's system call $v0 does, with $a0 and $a1.
#
# Frame, 16 bytes: 8 $ra   4 $s1   0 $s0. It calls only the kernel, not a function, so it
# needs no room for arguments.
spim_syscall:
        addiu $sp, $sp, -16     # make the frame
        sw    $ra, 8($sp)       # save the return address
        sw    $s1, 4($sp)       # save the kept registers used here
        sw    $s0, 0($sp)       # the other one
        li    $t0, 4            # print_string?
        beq   $v0, $t0, spim_print # yes
        nop                     # delay slot
        li    $t0, 8            # read_string?
        beq   $v0, $t0, spim_read # yes
        nop                     # delay slot
        li    $t0, 17           # exit2?
        beq   $v0, $t0, spim_exit # yes
        nop                     # delay slot
        li    $a0, 2            # no other call is known: end with status 2
spim_exit:
        li    $v0, 4001         # exit(status); the status is in $a0 already
        syscall                 # does not return

# Print: find the length, then write(1, text, length) until all of it is written.
spim_print:
        move  $s0, $a0          # the text
        move  $s1, $a0          # its end, to be found
spim_length:
        lb    $t0, 0($s1)       # a character
        nop                     # load delay
        beqz  $t0, spim_write   # zero: the end
        nop                     # delay slot
        addiu $s1, $s1, 1       # the next one
        b     spim_length       # go on
        nop                     # delay slot
spim_write:
        beq   $s0, $s1, spim_done # all written
        nop                     # delay slot
        li    $a0, 1            # standard output
        move  $a1, $s0          # from here
        subu  $a2, $s1, $s0     # this many bytes
        li    $v0, 4004         # Linux system call 4004: write(file, text, length)
        syscall                 # $v0 = bytes written; $a3 is not zero if that failed
        bnez  $a3, spim_fail    # a closed pipe, a full disk
        nop                     # delay slot
        addu  $s0, $s0, $v0     # skip the bytes written
        b     spim_write        # the rest
        nop                     # delay slot
spim_fail:
        li    $a0, 2            # status 2: failed
        b     spim_exit         # end
        nop                     # delay slot

# Read: one character at a time, so that nothing beyond the line is taken.
spim_read:
        move  $s0, $a0          # where to put the next character
        addu  $s1, $a0, $a1     # the end of the buffer ...
        addiu $s1, $s1, -1      # ... less one byte for the zero
spim_next:
        beq   $s0, $s1, spim_ended # full
        nop                     # delay slot
        li    $a0, 0            # standard input
        la    $a1, spim_byte    # to here
        li    $a2, 1            # one byte
        li    $v0, 4003         # Linux system call 4003: read(file, buffer, length)
        syscall                 # $v0 = bytes read: 0 at the end of the input
        bnez  $a3, spim_fail    # it failed
        nop                     # delay slot
        beqz  $v0, spim_ended   # end of the input
        nop                     # delay slot
        lb    $t0, spim_byte    # the character
        li    $t1, 10           # newline
        sb    $t0, 0($s0)       # into the buffer
        addiu $s0, $s0, 1       # the next goes after it
        bne   $t0, $t1, spim_next # more, unless the line has ended
        nop                     # delay slot
spim_ended:
        sb    $zero, 0($s0)     # the zero byte that ends a text
spim_done:
        lw    $s0, 0($sp)       # restore the kept registers
        lw    $s1, 4($sp)       # the other one
        lw    $ra, 8($sp)       # restore the return address
        addiu $sp, $sp, 16      # give the frame back
        jr    $ra               # return
        nop                     # delay slot

# From here on, `syscall` means: call spim_syscall. SPIM's instruction leaves $ra alone,
# so functions that only use `syscall` do not save $ra, and the macro does it for them.
        .macro syscall
        addiu $sp, $sp, -24     # a frame for this call
        sw    $ra, 20($sp)      # save the return address
        jal   spim_syscall      # do it
        nop                     # delay slot
        lw    $ra, 20($sp)      # restore the return address
        addiu $sp, $sp, 24      # give the frame back
        .endm
