// The JavaScript of a question and answer on bitwise n-queens in MIPS, as a program.
//
//     node question.js 8           the number of solutions
//     node question.js -v 8        every solution, then their number
//
// col holds the columns that are taken; leftDia and rightDia hold the squares of the current row
// that the diagonals of the queens above cross. done has a 1 for every column: 11111 for n = 5. The
// lowest bit, written last, is column 1 of the tuples.
//
// Three things differ from the answer. Both functions are declared here, because strict mode
// refuses undeclared names. n comes from the command line and is at most 31: with 32 columns, col
// would be -1 and never equal done. And for -v, bits keeps the bit chosen in each row, and the
// function found gets bits at every solution.
"use strict";

const countNQueensSolutions = (n, found = () => {}) => {
  let count = 0;
  const done = Math.pow(2, n) - 1;
  const bits = []; // the bit chosen in each row, for -v

  const innerRecursion = (leftDia, col, rightDia) => {
    // Every column is taken, so every row has its queen.
    if (col === done) {
      count++;
      found(bits);
      return;
    }
    // A 1 wherever no queen attacks, and in all bits beyond the board.
    let poss = ~(leftDia | rightDia | col);
    while (poss & done) {
      let bit = poss & -poss; // the lowest 1
      poss -= bit; // it becomes 0: it is not tried again
      bits.push(bit);
      innerRecursion((leftDia | bit) >> 1, col | bit, (rightDia | bit) << 1);
      bits.pop();
    }
  };

  innerRecursion(0, 0, 0);
  return count;
};

const args = process.argv.slice(2);
const verbose = args[0] === "-v";
const [number, ...rest] = verbose ? args.slice(1) : args;
if (rest.length > 0 || !/^\d+$/.test(number ?? "") || Number(number) > 31) {
  console.error("usage: question.js [-v] number, from 0 to 31");
  process.exit(2);
}
const n = Number(number);
const print = bits => console.log(`(${bits.map(bit => Math.log2(bit) + 1).join(", ")})`);
const solutions = countNQueensSolutions(n, verbose ? print : undefined);
console.log(`${n}-Queens has ${solutions} solutions`);
