//! `queens play N`: the search as a film in the terminal, forward and back.
//!
//! [`app`] holds what is shown and what the keys do, and knows nothing of terminals;
//! [`screen`] draws it. This file owns the terminal: it refuses to start where there is
//! none, and it gives the terminal back in good order on every way out: the keys q, Esc
//! and Ctrl-C, a signal, an error, and a panic, for which ratatui installs a hook before
//! anything is drawn.

mod app;
mod screen;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use self::app::{App, MAX_N};
use super::trace::StyleArg;
use crate::support::board::SizeAndBoard;
use crate::support::stop;

/// How often the screen is drawn while the film runs, and how often signals are noticed.
const FRAME: Duration = Duration::from_millis(40);

/// Play the search in the terminal, step by step, forward and back
///
/// Shows the board, the partial solution, the state of the chosen representation, the line
/// of the algorithm being executed and how much has been done. Press ? for the keys.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens play 8
  queens play 6 --style bits
  queens play 8 --given 1,4
  queens play 6 --blocked \"1,1 6,6\" --style bits

Keys:
  right, n     step                 d   next dead end
  left, b      step back            s   next solution
  space        run or pause         t   next style
  up, down     faster, slower       [ ] smaller, larger board
  page up/down 100 steps            ?   help
  home, end    the start, the end   q   quit")]
pub struct Args {
    /// The representation to show
    #[arg(long, value_enum, default_value_t = StyleArg(queens::search::trace::Style::Tuple))]
    style: StyleArg,

    /// Panic after this many drawings: how the tests see that the terminal is given back
    #[arg(long, value_name = "K", hide = true)]
    panic_after: Option<u64>,

    #[command(flatten)]
    board: SizeAndBoard,
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.board.reads_stdin() {
        bail!("play reads its keys from standard input, so the board must be in a file");
    }
    let board = args.board.board()?;
    let n = board.n();
    if n > MAX_N {
        bail!(
            "the player shows boards up to N = {MAX_N}, not {}; `queens trace` takes larger ones",
            n
        );
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        bail!(
            "play needs a terminal to play in; `queens trace {}` prints the same steps",
            n
        );
    }
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        bail!(
            "play draws on the whole screen, which this terminal cannot (TERM is dumb); \
             `queens trace {}` prints the same steps",
            n
        );
    }
    let stop = stop::on_interrupt()?;
    let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut app = App::on(&board, args.style.0);
    let mut terminal = ratatui::try_init().context("cannot set up the terminal")?;
    let played = play(&mut terminal, &mut app, colour, &stop, args.panic_after);
    let restored = ratatui::try_restore().context("cannot restore the terminal");
    played.and(restored)?;
    Ok(ExitCode::SUCCESS)
}

/// Draws and reads keys until the player is left or a signal comes.
fn play(
    terminal: &mut DefaultTerminal,
    app: &mut App,
    colour: bool,
    stop: &AtomicBool,
    panic_after: Option<u64>,
) -> anyhow::Result<()> {
    let mut drawings = 0;
    let mut before = Instant::now();
    while !app.done() && !stop.load(Ordering::Relaxed) {
        terminal
            .draw(|frame| screen::draw(frame, app, colour))
            .context("cannot draw")?;
        drawings += 1;
        if panic_after == Some(drawings) {
            panic!("asked to panic after {drawings} drawings");
        }
        if event::poll(FRAME).context("cannot wait for a key")? {
            // A key sends its press on every system, on some its release too.
            match event::read().context("cannot read a key")? {
                Event::Key(key) if key.kind != KeyEventKind::Release => app.key(key),
                _ => {}
            }
        }
        let now = Instant::now();
        // A program that was suspended must not make up for all the time it slept.
        app.pass((now - before).min(FRAME * 8));
        before = now;
    }
    Ok(())
}
