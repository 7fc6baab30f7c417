//! `queens devices` and `queens count --device`, on machines with and without a GPU.

mod support;

use support::{refusal, run};

/// What a run that must succeed prints; standard error may say something about GPUs.
fn answer(args: &[&str]) -> String {
    let output = run(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {errors}");
    String::from_utf8(output.stdout).expect("the program writes UTF-8")
}

fn has_gpu() -> bool {
    let found = queens_cuda::devices().is_ok();
    if !found {
        eprintln!("there is no GPU here: tested as such");
    }
    found
}

#[test]
fn the_cpu_is_listed_first_and_the_absence_of_a_gpu_is_said() {
    let lines = answer(&["devices"]);
    assert!(lines.starts_with("cpu    "), "{lines}");
    if !has_gpu() {
        assert!(lines.contains("\ngpu    none: "), "{lines}");
    }
    let json: serde_json::Value = serde_json::from_str(&answer(&["devices", "--json"])).unwrap();
    assert!(json["cpu"]["cores"].as_u64().unwrap() > 0);
    let gpus = json["gpus"].as_array().unwrap().len();
    assert_eq!(gpus == 0, json["no_gpu_because"].is_string());
}

#[test]
fn a_count_on_a_gpu_that_is_not_there_is_refused() {
    if !has_gpu() {
        for device in ["gpu", "gpu:0"] {
            let line = refusal(&["count", "16", "--device", device]);
            assert!(line.contains("there is no GPU"), "{line}");
        }
        let line = refusal(&["devices", "--self-test"]);
        assert!(line.contains("there is no GPU"), "{line}");
    }
    let line = refusal(&["count", "16", "--device", "gpu:99"]);
    assert!(line.contains("there is no GPU"), "{line}");
}

#[test]
fn sizes_and_engines_that_a_gpu_does_not_have_are_refused_on_every_machine() {
    for n in ["0", "7", "31", "99999999999"] {
        let line = refusal(&["count", n, "--device", "gpu"]);
        assert!(
            line.contains("n = 8 to 30") || line.contains("99999999999"),
            "{line}"
        );
    }
    let line = refusal(&["count", "16", "--device", "gpu", "--engine", "bitmask"]);
    assert!(line.contains("two-colour, not bitmask"), "{line}");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for args in [
        ["count", "12", "--device", "cuda"],
        ["count", "12", "--device", "gpu:-1"],
        ["count", "12", "--verify", "1%"],
        ["count", "12", "--verify", "101%"],
        ["count", "12", "--verify", "-1%"],
    ] {
        refusal(&args);
    }
}

#[test]
fn small_boards_count_on_the_cpu_unless_a_gpu_is_asked_for() {
    for device in ["auto", "cpu"] {
        assert_eq!(answer(&["count", "12", "--device", device]), "14200\n");
    }
    if has_gpu() {
        assert_eq!(
            answer(&["count", "12", "--device", "gpu", "--verify", "100%"]),
            "14200\n"
        );
    }
}
