//! The player in a real pseudo-terminal, driven through tmux.
//!
//! Every test starts a tmux server of its own, presses keys, reads the screen, and looks
//! at how the terminal was left: the modes of the line discipline as `stty` reports them,
//! the alternate screen and the cursor as tmux does. Waiting is for a text to appear,
//! never for a time to pass.

mod support;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use support::{folder, tool};

/// A terminal with a shell that runs the player and then says how it ended.
struct Terminal {
    socket: PathBuf,
    folder: PathBuf,
}

impl Terminal {
    /// Starts `queens play ARGS` in a terminal of 80 by 24.
    fn play(name: &str, args: &str) -> Terminal {
        Terminal::play_with("", name, args)
    }

    /// The same, with a variable of the environment set, like `TERM=dumb `.
    fn play_with(environment: &str, name: &str, args: &str) -> Terminal {
        let folder = folder(&format!("play-{name}"));
        let script = format!(
            "stty -g > before\n{environment}{} play {args} 2> stderr\necho \"the player ended with $?\"\n\
             stty -g > after\nexec sleep 600\n",
            env!("CARGO_BIN_EXE_queens")
        );
        std::fs::write(folder.join("script"), script).expect("written");
        // A socket's path may not be long, and the target folder's may be.
        let socket = std::env::temp_dir().join(format!("queens-{name}-{}", std::process::id()));
        let terminal = Terminal { socket, folder };
        let status = terminal
            .tmux(&[
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "80",
                "-y",
                "24",
                // tmux runs two words as they are; one would go through the user's own shell.
                "sh",
                "script",
            ])
            .status()
            .expect("tmux runs");
        assert!(status.success(), "tmux cannot start a session");
        terminal
    }

    fn tmux(&self, args: &[&str]) -> Command {
        let mut command = tool("tmux");
        command
            .arg("-S")
            .arg(&self.socket)
            .args(args)
            .current_dir(&self.folder)
            .env_remove("TMUX");
        command
    }

    fn output(&self, args: &[&str]) -> String {
        let output = self.tmux(args).output().expect("tmux runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {args:?}: {said}");
        String::from_utf8(output.stdout).expect("the screen is UTF-8")
    }

    fn screen(&self) -> String {
        self.output(&["capture-pane", "-p"])
    }

    fn press(&self, keys: &[&str]) {
        self.output(&[&["send-keys"], keys].concat());
    }

    /// Waits until `text` is on the screen, and returns the screen.
    fn wait_for(&self, text: &str) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return screen;
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{text:?} does not appear:\n{screen}"
            );
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits for the end of the player, and checks that the terminal is as it was.
    fn left_clean(&self, code: i32) {
        self.wait_for(&format!("the player ended with {code}"));
        let start = Instant::now();
        let modes = |name| std::fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        while !modes("after").ends_with('\n') && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(30));
        }
        assert_eq!(modes("before"), modes("after"), "the modes of the terminal");
        let flags = self.output(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]);
        assert_eq!(flags.trim(), "0 1", "alternate screen off, cursor on");
    }

    fn stderr(&self) -> String {
        std::fs::read_to_string(self.folder.join("stderr")).unwrap_or_default()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]).status();
        let _ = std::fs::remove_file(&self.socket);
    }
}

#[test]
fn the_player_steps_jumps_and_goes_back() {
    let terminal = Terminal::play("steps", "8 --style bits");
    let start = terminal.wait_for("an empty board of 8 by 8");
    assert!(start.contains("8-queens  style bits  step 0"), "{start}");
    assert!(start.contains("queens(down, left, right):"), "{start}");
    terminal.press(&["n", "n", "Right"]);
    terminal.wait_for("place queen 0 in row 0, col 0: (0)");
    terminal.press(&["b"]);
    terminal.wait_for("try row 0, col 0: free");
    terminal.press(&["d"]);
    let dead = terminal.wait_for("dead end: no square of row 5 is free");
    assert!(dead.contains("tuple (0, 2, 4, 1, 3)"), "{dead}");
    assert!(
        dead.contains("  4  00010111  01110100  00000101  10001000  00001000"),
        "{dead}"
    );
    terminal.press(&["s"]);
    let solved = terminal.wait_for("solution 1: (0, 4, 7, 5, 2, 6, 1, 3)");
    assert!(
        solved.contains("tried 876  placed 113  dead ends 42"),
        "{solved}"
    );
    assert!(solved.contains("  0 Q . . . . . . ."), "{solved}");
    terminal.press(&["End"]);
    let end = terminal.wait_for("row 0 is done: 92 solutions below ()");
    assert!(end.contains("the search is complete"), "{end}");
    terminal.press(&["Home"]);
    terminal.wait_for("an empty board of 8 by 8");
    terminal.press(&["q"]);
    terminal.left_clean(0);
}

#[test]
fn the_player_runs_changes_style_and_board_and_explains_its_keys() {
    let terminal = Terminal::play("runs", "4");
    terminal.wait_for("4-queens  style tuple");
    terminal.press(&["?"]);
    terminal.wait_for("next dead end");
    terminal.press(&["x"]);
    for style in [
        "steps",
        "box",
        "attackers",
        "lines",
        "grid",
        "bits",
        "tuple",
    ] {
        terminal.press(&["t"]);
        terminal.wait_for(&format!("style {style}"));
    }
    terminal.press(&["]"]);
    terminal.wait_for("5-queens");
    terminal.press(&["[", "["]);
    terminal.wait_for("3-queens");
    terminal.press(&["Up", "Up", "Up", "Up", "Up", "Up", "Space"]);
    let end = terminal.wait_for("the search is complete");
    assert!(end.contains("solutions 0"), "{end}");
    terminal.press(&["Escape"]);
    terminal.left_clean(0);
}

#[test]
fn the_player_follows_the_size_of_its_window() {
    let terminal = Terminal::play("resize", "8 --style box");
    terminal.wait_for("8-queens");
    terminal.output(&["resize-window", "-x", "50", "-y", "12"]);
    terminal.wait_for("the player needs 60 by 16");
    terminal.output(&["resize-window", "-x", "110", "-y", "40"]);
    terminal.press(&["s"]);
    let large = terminal.wait_for("solution 1");
    assert!(large.contains(" 8 -2 -2 -3  Q -2 -2 -1 -2"), "{large}");
    // The squares have grown: row 1 stands lines below row 0, with its marks further apart.
    assert!(
        large.contains("  2   .     .     .  ") || large.contains("   x     x   "),
        "{large}"
    );
    terminal.press(&["q"]);
    terminal.left_clean(0);
}

#[test]
fn a_terminal_without_a_cursor_is_refused_in_one_line() {
    let terminal = Terminal::play_with("TERM=dumb ", "dumb", "8");
    terminal.left_clean(2);
    assert_eq!(
        terminal.stderr(),
        "queens: play draws on the whole screen, which this terminal cannot (TERM is dumb); \
         `queens trace 8` prints the same steps\n"
    );
}

#[test]
fn control_c_leaves_the_terminal_clean() {
    let terminal = Terminal::play("control-c", "8");
    terminal.wait_for("8-queens");
    terminal.press(&["Space"]);
    terminal.wait_for("running");
    terminal.press(&["C-c"]);
    terminal.left_clean(0);
}

#[test]
fn a_signal_leaves_the_terminal_clean() {
    let terminal = Terminal::play("signal", "8");
    terminal.wait_for("8-queens");
    let shell = terminal.output(&["display-message", "-p", "#{pane_pid}"]);
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", shell.trim()))
        .expect("the shell is alive");
    let player = children
        .split_whitespace()
        .next()
        .expect("the shell runs the player");
    let killed = Command::new("kill")
        .args(["-TERM", player])
        .status()
        .expect("kill runs");
    assert!(killed.success());
    terminal.left_clean(0);
}

#[test]
fn a_panic_leaves_the_terminal_clean() {
    let terminal = Terminal::play("panic", "8 --panic-after 2");
    terminal.left_clean(101);
    assert!(
        terminal.stderr().contains("asked to panic"),
        "{}",
        terminal.stderr()
    );
}
