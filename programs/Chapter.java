/*
 * The solution that BACS2063 chapter 6 prepares, in Java: backtracking with the array queensInRow
 * and the test for diagonals that the chapter derives.
 *
 *     java Chapter.java 8          the number of solutions
 *     java Chapter.java -v 8       every solution, then their number
 *
 * queensInRow[k] is the column of the queen in row k; both count from 0. The partial solution at
 * any moment is the tuple (queensInRow[0], ..., queensInRow[row - 1]). The printed solutions count
 * columns from 1, as the first half of the chapter does.
 */
public class Chapter {
    private final int[] queensInRow;
    private final boolean verbose;
    private final StringBuilder found = new StringBuilder();

    Chapter(int n, boolean verbose) {
        this.queensInRow = new int[n];
        this.verbose = verbose;
    }

    /* Whether queens at (i, j) and (k, l) are on the same diagonal. */
    static boolean sameDiagonal(int i, int j, int k, int l) {
        return Math.abs(j - l) == Math.abs(i - k);
    }

    /* Whether a queen can be placed at (row, column): no queen in the rows above attacks her. */
    boolean canPlace(int row, int column) {
        for (int k = 0; k < row; k++) {
            if (queensInRow[k] == column || sameDiagonal(k, queensInRow[k], row, column)) {
                return false;
            }
        }
        return true;
    }

    /* Returns the number of ways to complete the partial solution in the rows above this one. */
    long extend(int row) {
        if (row == queensInRow.length) {
            if (verbose) {
                record();
            }
            return 1;
        }
        long solutions = 0;
        for (int column = 0; column < queensInRow.length; column++) {
            if (canPlace(row, column)) {
                queensInRow[row] = column;
                solutions += extend(row + 1);
            }
        }
        return solutions;
    }

    /* Adds the tuple (x1, ..., xn), with columns from 1, to the output. */
    void record() {
        found.append('(');
        for (int k = 0; k < queensInRow.length; k++) {
            found.append(k > 0 ? ", " : "").append(queensInRow[k] + 1);
        }
        found.append(")\n");
        if (found.length() > 60_000) {
            System.out.print(found);
            found.setLength(0);
        }
    }

    public static void main(String[] args) {
        boolean verbose = args.length == 2 && args[0].equals("-v");
        if (args.length != (verbose ? 2 : 1) || !args[args.length - 1].matches("[0-9]{1,3}")) {
            System.err.println("usage: Chapter [-v] number, from 0 to 999");
            System.exit(2);
        }
        int n = Integer.parseInt(args[args.length - 1]);
        Chapter search = new Chapter(n, verbose);
        long solutions = search.extend(0);
        System.out.print(search.found);
        System.out.println(n + "-Queens has " + solutions + " solutions");
    }
}
