//! The ordinary life of a campaign.

use queens_campaign::ledger::{Access, Campaign};
use queens_campaign::row::Row;

use crate::support::*;

#[test]
fn every_small_board_is_counted_exactly() {
    let folder = Folder::new();
    for (n, count) in KNOWN.into_iter().take(14) {
        let file = folder.campaign(n, &format!("{n}.campaign"));
        let printed = answer(campaign("run").arg(&file));
        let first = printed.lines().next().unwrap();
        assert_eq!(first, format!("solutions      {count}"));
        assert_eq!(total(&file), count, "n = {n}");
    }
}

#[test]
fn the_cut_into_units_does_not_change_the_count() {
    let folder = Folder::new();
    for units in ["1", "2", "5", "4000000"] {
        let file = folder.file(units);
        answer(
            campaign("new")
                .args(["15"])
                .arg(&file)
                .args(["--units", units]),
        );
        answer(campaign("run").arg(&file));
        assert_eq!(total(&file), known(15), "{units} units");
    }
}

#[test]
fn a_campaign_that_cannot_be_planned_is_refused() {
    let folder = Folder::new();
    let file = folder.file("x");
    for (args, reason) in [
        (&["0"][..], "from 1 to 32"),
        (&["33"], "from 1 to 32"),
        (&["8", "--units", "0"], "at least one unit"),
        (&["8", "--units", "99999999"], "at most"),
        (&["8x"], "whole number"),
    ] {
        let said = refusal(campaign("new").args(args).arg(&file));
        assert!(said.contains(reason), "{said}");
        assert!(!file.exists());
    }
    let nowhere = folder.file("no/such/folder/file");
    assert!(refusal(campaign("new").arg("8").arg(nowhere)).contains("no such file or folder"));
}

#[test]
fn a_new_campaign_never_overwrites_a_file() {
    let folder = Folder::new();
    let file = folder.file("precious");
    std::fs::write(&file, "precious").unwrap();
    let said = refusal(campaign("new").arg("8").arg(&file));
    assert!(said.contains("exists already"), "{said}");
    assert_eq!(std::fs::read(&file).unwrap(), b"precious");
    // Nor does it leave anything beside the file.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_result_is_refused_until_the_last_unit_is_there() {
    let folder = Folder::new();
    let file = folder.campaign(12, "c");
    let said = refusal(campaign("result").arg(&file));
    assert!(said.contains("units are missing"), "{said}");
    answer(campaign("run").arg(&file));
    answer(campaign("prune").arg(&file).arg("0"));
    let said = refusal(campaign("result").arg(&file));
    assert!(said.contains(" 1 of "), "{said}");
    answer(campaign("run").arg(&file));
    assert_eq!(total(&file), known(12));
}

#[test]
fn a_result_is_checked_against_the_symmetric_solutions() {
    let folder = Folder::new();
    for (n, fundamental, half, quarter) in [(1, 1, 1, 1), (4, 1, 2, 2), (12, 1787, 80, 8)] {
        let file = folder.campaign(n, &n.to_string());
        answer(campaign("run").arg(&file));
        let said = answer(campaign("result").arg(&file).arg("--symmetry"));
        let unchanged = format!("{half} by a half turn, {quarter} by a quarter turn");
        assert!(
            said.contains(&format!("\nfundamental    {fundamental}\n")),
            "{said}"
        );
        assert!(said.contains(&unchanged), "{said}");
        let json = answer(campaign("result").arg(&file).args(["--symmetry", "--json"]));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["fundamental"], fundamental.to_string());
        assert_eq!(
            (&json["half_turn"], &json["quarter_turn"]),
            (&half.into(), &quarter.into())
        );
    }
}

#[test]
fn dropped_units_are_counted_again_and_redone_ones_at_once() {
    let folder = Folder::new();
    let file = folder.campaign(16, "c");
    answer(campaign("run").arg(&file));
    let units = status(&file)["units"].as_u64().unwrap();
    assert!(units >= 8, "the plan is too coarse for this test");

    let redone = answer(campaign("redo").arg(&file).args(["1", "3-4"]));
    let mut lines: Vec<&str> = redone.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|l| l.ends_with(", as before")), "{redone}");

    answer(campaign("prune").arg(&file).args(["0", "2-5"]));
    assert_eq!(status(&file)["done"].as_u64(), Some(units - 5));
    let device = status(&file)["devices"][0]["device"]
        .as_str()
        .unwrap()
        .to_owned();
    answer(campaign("prune").arg(&file).args(["--device", &device]));
    assert_eq!(status(&file)["done"].as_u64(), Some(0));
    answer(campaign("run").arg(&file));
    assert_eq!(total(&file), known(16));

    for beyond in [units, 1 << 63, u64::MAX] {
        for verb in ["prune", "redo"] {
            let said = refusal(campaign(verb).arg(&file).arg(format!("0-{beyond}")));
            assert!(
                said.contains(&format!("there is no unit {beyond}")),
                "{said}"
            );
        }
    }
    assert!(refusal(campaign("prune").arg(&file)).contains("nothing to drop"));
    assert!(refusal(campaign("prune").arg(&file).arg("5-3")).contains("40-49"));
}

#[test]
fn machines_without_a_common_file_share_the_units_by_their_numbers() {
    let folder = Folder::new();
    let file = folder.campaign(15, "shared");
    let units = status(&file)["units"].as_u64().unwrap();
    let parts = ["0-2".to_owned(), format!("3 4-{}", units - 1)];
    let copies = parts.each_ref().map(|part| {
        let copy = folder.file(&format!("copy {part}"));
        std::fs::copy(&file, &copy).unwrap();
        let mut run = campaign("run");
        run.arg(&copy).args(part.split(' '));
        // The second time there is nothing left to do.
        for _ in 0..2 {
            let output = run.output().unwrap();
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert_eq!(stdout(&output), "");
            assert!(said.contains("the units asked for are done"), "{said}");
        }
        copy
    });
    assert_eq!(done(&copies[0]), 3);
    assert_eq!(done(&copies[1]), units - 3);
    let json: serde_json::Value = serde_json::from_str(&answer(
        campaign("run").arg(&copies[0]).args(["1", "--json"]),
    ))
    .unwrap();
    assert!(json["count"].is_null() && json["done"] == 3, "{json}");
    answer(campaign("merge").arg(&file).args(&copies));
    assert_eq!(total(&file), known(15));
    // The part that completes a campaign prints its result.
    let printed = answer(campaign("run").arg(&copies[0]).arg(&parts[1][2..]).arg("3"));
    assert!(printed.starts_with(&format!("solutions      {}", known(15))));

    let said = refusal(campaign("run").arg(&file).arg(units.to_string()));
    assert!(said.contains("no unit"), "{said}");
    let said = refusal(campaign("run").arg(&file).arg("3-1"));
    assert!(said.contains("17 or 40-49"), "{said}");
    refusal(campaign("run").arg(&file).args(["3", "--sweep"]));
}

#[test]
fn the_status_adds_up_by_device_and_as_a_page() {
    let folder = Folder::new();
    let file = folder.campaign(14, "c");
    let before = status(&file);
    assert_eq!(before["done"].as_u64(), Some(0));
    assert_eq!(before["share"].as_f64(), Some(0.0));
    assert!(before["seconds_left"].is_null());
    answer(campaign("run").arg(&file));
    let after = status(&file);
    assert_eq!(after["done"], after["units"]);
    assert_eq!(after["missing"].as_u64(), Some(0));
    let devices = after["devices"].as_array().unwrap();
    let sum: u64 = devices.iter().map(|d| d["units"].as_u64().unwrap()).sum();
    assert_eq!(Some(sum), after["units"].as_u64());
    assert_eq!(after["processes"].as_array().unwrap().len(), 0);

    let page = folder.file("page.html");
    answer(campaign("status").arg(&file).arg("--html").arg(&page));
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("365596 solutions") && html.contains("<svg"));
}

#[test]
fn verification_goes_on_record_and_shows_in_the_result() {
    let folder = Folder::new();
    let file = folder.campaign(15, "c");
    answer(campaign("run").arg(&file));
    let said = answer(campaign("verify").arg(&file).args(["--share", "100%"]));
    assert!(said.contains("all agree"), "{said}");
    let result = answer(campaign("result").arg(&file));
    assert!(
        result.contains("all agree, by the records of this file: no unit is left unchecked"),
        "{result}"
    );
    for (share, reason) in [("0", "above 0"), ("101%", "at most"), ("x", "such as")] {
        let said = refusal(campaign("verify").arg(&file).args(["--share", share]));
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn what_was_verified_can_be_left_out_and_other_code_is_preferred() {
    let folder = Folder::new();
    let file = folder.campaign(17, "c");
    answer(campaign("run").arg(&file));
    let units = status(&file)["units"].as_u64().unwrap();
    let half = answer(campaign("verify").arg(&file).args(["--share", "50%"]));
    let name = status(&file)["devices"][0]["device"]
        .as_str()
        .unwrap()
        .to_owned();
    let counted_by = name.rsplit_once('-').unwrap().1;
    assert!(!half.contains(&format!("with {counted_by},")), "{half}");
    let rest = answer(campaign("verify").arg(&file).args([
        "--share",
        "100%",
        "--by-cost",
        "--skip-recounted",
    ]));
    let agree = || status(&file)["recounts"]["agree"].as_u64().unwrap();
    assert_eq!(agree(), units, "{half}{rest}");
    let skip = || {
        let mut verify = campaign("verify");
        verify
            .arg(&file)
            .args(["--share", "100%", "--skip-recounted"]);
        verify
    };
    let again = answer(&mut skip());
    assert!(
        again.starts_with("nothing was counted: ")
            && again.contains("were counted again this way before"),
        "{again}"
    );
    let object = answer(skip().arg("--json"));
    assert!(object.contains("\"outcome\":\"nothing\""), "{object}");
    assert_eq!(agree(), units);
    // Another method draws the units again.
    answer(
        campaign("verify")
            .arg(&file)
            .args(["--share", "1", "--with", counted_by]),
    );
    assert_eq!(agree(), 2 * units);
    let result = answer(campaign("result").arg(&file));
    assert!(
        result.contains(&format!("{units} units counted again")),
        "{result}"
    );
}

#[test]
fn units_that_are_named_are_counted_again_by_the_means_that_are_named() {
    let folder = Folder::new();
    let file = folder.campaign(14, "c");
    let verify = |units: &[&str]| {
        let mut verify = campaign("verify");
        verify.arg(&file).args(units);
        verify
    };
    let said = refusal(&mut verify(&["2"]));
    assert!(said.contains("unit 2 is not counted yet"), "{said}");
    answer(campaign("run").arg(&file));
    for means in ["backtracking", "two-colour-plain", "portable"] {
        let said = answer(verify(&["0-2", "1", "4"]).args(["--with", means]));
        assert_eq!(
            said,
            format!("4 of 7 units counted again with {means}, all agree\n")
        );
    }
    let rows = answer(campaign("export").arg(&file).arg("--recounts"));
    for means in ["/backtracking", "/two-colour-plain", "/cpu-portable"] {
        let units = rows.lines().filter(|row| row.contains(means));
        let units: Vec<&str> = units.filter_map(|row| row.split('\t').next()).collect();
        assert_eq!(units, ["0", "1", "2", "4"], "{means}");
    }
    let said = answer(campaign("status").arg(&file).args(["--checks", "--json"]));
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let classes = said["classes"].as_array().unwrap();
    let sum = |name: &str| -> u64 { classes.iter().map(|c| c[name].as_u64().unwrap()).sum() };
    assert_eq!((sum("units"), sum("done"), sum("recounted")), (7, 7, 4));
    let said = answer(campaign("status").arg(&file).arg("--checks"));
    let table: Vec<&str> = said.lines().skip_while(|line| !line.is_empty()).collect();
    assert!(table[1].ends_with("by backtracking  by cpu-portable  by two-colour-plain"));
    assert_eq!(table.len(), 2 + classes.len(), "{said}");
    for (units, reason) in [
        (&["7"][..], "there is no unit 7"),
        (&["3-2"], "written 17 or 40-49"),
        (&["3", "--share", "5%"], "cannot be used with"),
        (&["3", "--by-cost"], "cannot be used with"),
        (&["3", "--with", "magic"], "backtracking, two-colour-plain"),
    ] {
        let said = refusal(&mut verify(units));
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn the_units_that_are_done_suggest_the_count() {
    let folder = Folder::new();
    let file = folder.campaign(18, "c");
    let suggested = || {
        let said = answer(campaign("status").arg(&file).args(["--checks", "--json"]));
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        ["count", "low", "high"].map(|end| said[format!("suggested_{end}")].as_f64())
    };
    assert_eq!(suggested(), [None; 3]);
    answer(campaign("run").arg(&file));
    assert_eq!(suggested(), [None; 3]);
    let every_third = (5..45).step_by(3).map(|unit| unit.to_string());
    answer(campaign("prune").arg(&file).args(every_third));
    let [count, low, high] = suggested().map(|number| number.unwrap() / known(18) as f64);
    assert!((0.8..1.25).contains(&count), "{count}");
    assert!(low < count && count < high, "{low} {count} {high}");
    assert!((low..high).contains(&1.0), "{low} {high}");
    let said = answer(campaign("status").arg(&file).arg("--checks"));
    assert!(said.contains("The units done suggest 6."), "{said}");
    assert!(said.ends_with(" (95 %).\n"), "{said}");
}

#[test]
fn a_finished_campaign_has_no_rate_and_a_stopped_one_the_speed_of_the_clock() {
    let folder = Folder::new();
    let file = folder.campaign(14, "c");
    answer(campaign("run").arg(&file));
    let text = answer(campaign("status").arg(&file));
    assert!(!text.contains("units/s"), "{text}");
    assert!(status(&file)["rate"].is_null());
    // Three threads feed one GPU: a third of the units each, all at the same time.
    let mut campaign_file = Campaign::open(&file, Access::Write).unwrap();
    let units = campaign_file.info().units;
    campaign_file
        .prune(&(0..units).collect::<Vec<_>>())
        .unwrap();
    let rows: Vec<Row> = (0..units - 1)
        .map(|unit| {
            let started = format!("2026-11-16T09:00:0{}Z", unit % 3);
            Row::fresh(unit, 1, "ada/gpu0 X", started, 60.0)
        })
        .collect();
    campaign_file.record(&rows).unwrap();
    let third = (units - 1).div_ceil(3) as f64 * 60.0;
    let worked = campaign_file.seconds_at_work().unwrap();
    assert!((third..=third + 2.0).contains(&worked), "{worked}");
    drop(campaign_file);
    let text = answer(campaign("status").arg(&file));
    assert!(
        text.contains("no process is at work; at the speed so far"),
        "{text}"
    );
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let folder = Folder::new();
    let file = folder.campaign(8, "c");
    let said = refusal(campaign("run").arg(&file).args(["--device", "tpu"]));
    assert!(said.contains("auto, cpu, gpu, or gpu:0"), "{said}");
    let said = refusal(campaign("run").arg(&file).args(["--device", "gpu:99"]));
    assert!(said.contains("there is no GPU"), "{said}");
    let sweep = |device| {
        refusal(
            campaign("run")
                .arg(&file)
                .args(["--sweep", "--device", device]),
        )
    };
    let said = sweep("gpu:99");
    assert!(said.contains("there is no GPU"), "{said}");
    let said = sweep("cpu");
    assert!(said.contains("only GPUs sweep"), "{said}");
    let classes = ["--sweep=seven", "--device", "gpu"];
    let said = refusal(campaign("run").arg(&file).args(classes));
    assert!(
        said.contains("'seven'") && said.contains("--sweep"),
        "{said}"
    );
    answer(campaign("run").arg(&file).args(["--device", "cpu"]));
}

#[test]
fn a_million_units_are_planned_in_a_small_file() {
    let folder = Folder::new();
    let file = folder.file("c");
    let begun = std::time::Instant::now();
    answer(
        campaign("new")
            .arg("30")
            .arg(&file)
            .args(["--units", "1000000"]),
    );
    let planned = begun.elapsed();
    let begun = std::time::Instant::now();
    let units = status(&file)["units"].as_u64().unwrap();
    let megabytes = std::fs::metadata(&file).unwrap().len() / 1_000_000;
    println!(
        "{units} units planned in {planned:.1?}, {megabytes} MB; status in {:.1?}",
        begun.elapsed()
    );
    assert!((900_000..=1_000_000).contains(&units), "{units}");
    assert!(megabytes < 200);
}
