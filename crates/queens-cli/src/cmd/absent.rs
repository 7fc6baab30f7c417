//! Stand-ins for parts that a build leaves out: each says so, and how to get the part.
//!
//! Three parts bring many dependencies along and are Cargo features, all on by default:
//! `nats`, `png` and `player`. A verb whose feature is off stays in the list of verbs and takes
//! any arguments; its help and its one-line refusal name the feature.

/// The refusal of a part whose feature is off.
#[cfg(not(all(feature = "nats", feature = "png", feature = "player")))]
pub fn refusal(part: &str, feature: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "`{part}` is not in this build, which was compiled without the feature {feature}; \
         build with `--features {feature}`"
    )
}

/// Defines a module that stands in for the verb of a missing feature.
macro_rules! stand_in {
    ($feature:literal, $module:ident, $verb:literal) => {
        #[cfg(not(feature = $feature))]
        pub mod $module {
            use std::ffi::OsString;
            use std::process::ExitCode;

            /// The arguments of a verb that is not in this build.
            #[derive(clap::Args)]
            #[command(
                about = concat!(
                    "Not in this build, which was compiled without the feature ", $feature
                ),
                long_about = None,
                after_help = concat!(
                    "Examples:\n  cargo install --locked --path crates/queens-cli --features ",
                    $feature
                )
            )]
            pub struct Args {
                /// Whatever the verb takes where it is built in
                #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
                _any: Vec<OsString>,
            }

            /// Refuses.
            pub fn run(_: Args) -> anyhow::Result<ExitCode> {
                Err(super::refusal($verb, $feature))
            }
        }
    };
}

stand_in!("player", play, "queens play");
stand_in!("nats", worker, "queens worker");
stand_in!("nats", campaign_serve, "queens campaign serve");
