//! Builds without a feature: what is left out says so, in its help and in one line.
//!
//! With all features these tests check only that the list of verbs is the same; `make test`
//! runs this file once more with `--no-default-features`.

mod support;

use support::{answer, text};

#[test]
fn every_build_lists_every_verb() {
    let help = text(&["--help"]);
    for verb in ["count", "play", "worker", "campaign", "show"] {
        assert!(help.contains(&format!("\n  {verb} ")), "{verb}");
    }
    assert!(text(&["campaign", "--help"]).contains("\n  serve "));
}

#[test]
fn what_needs_no_feature_works_in_every_build() {
    assert_eq!(text(&["count", "8"]), "92\n");
    assert!(answer(&["show", "8", "--format", "svg"]).starts_with(b"<svg"));
}

#[cfg(not(feature = "player"))]
#[test]
fn the_player_is_left_out_without_its_feature() {
    is_absent(&["play", "8", "--style", "bits"], "queens play", "player");
}

#[cfg(not(feature = "nats"))]
#[test]
fn many_machines_are_left_out_without_their_feature() {
    is_absent(&["worker", "--nats", "tls://h"], "queens worker", "nats");
    is_absent(&["worker"], "queens worker", "nats");
    is_absent(
        &["campaign", "serve", "q20.campaign", "--nats", "tls://h"],
        "queens campaign serve",
        "nats",
    );
}

#[cfg(not(feature = "png"))]
#[test]
fn bitmaps_are_left_out_without_their_feature() {
    let show = ["show", "8", "--format", "png"];
    assert_eq!(
        support::refusal(&show),
        refusal("queens show --format png", "png")
    );
    assert!(text(&["show", "--help"]).contains("A bitmap; not in this build"));
    for (args, part) in [
        (
            &["bench", "count", "--plot", "x.png"][..],
            "queens bench count --plot FILE.png",
        ),
        (
            &["random", "8", "--heat", "x.png"],
            "queens random --heat FILE.png",
        ),
    ] {
        assert_eq!(support::refusal(args), refusal(part, "png"));
    }
}

#[cfg(not(all(feature = "nats", feature = "png", feature = "player")))]
fn refusal(part: &str, feature: &str) -> String {
    format!(
        "queens: `{part}` is not in this build, which was compiled without the feature \
         {feature}; build with `--features {feature}`\n"
    )
}

#[cfg(not(all(feature = "nats", feature = "player")))]
fn is_absent(args: &[&str], verb: &str, feature: &str) {
    assert_eq!(support::refusal(args), refusal(verb, feature));
    let words = verb.split(' ').count() - 1;
    let help = text(&[&args[..words], &["--help"]].concat());
    let says = format!("Not in this build, which was compiled without the feature {feature}");
    assert!(help.contains(&says), "{help}");
}
