//! The file as other programs see it: nothing of ours is needed to read and check it.

use std::process::Command;

use crate::support::*;

#[test]
fn the_file_can_be_read_and_checked_with_other_tools_alone() {
    let folder = Folder::new();
    let file = folder.campaign(13, "c");
    answer(campaign("run").arg(&file));
    let sqlite = |sql: &str| {
        let text = answer(Command::new("sqlite3").arg(&file).arg(sql));
        text.trim_end().to_owned()
    };
    assert_eq!(sqlite("SELECT sum(count) FROM ledger"), "73712");
    assert_eq!(sqlite("PRAGMA user_version"), "1");
    // The digest and a check value, as docs/campaigns.md tells a stranger to do it.
    let sha256 = |text: &str| {
        let script = "printf '%s' \"$1\" | sha256sum | cut -d' ' -f1";
        let digest = answer(Command::new("sh").args(["-c", script, "sh", text]));
        digest.trim_end().to_owned()
    };
    let ledger = sqlite(
        "SELECT plan_digest FROM campaign; SELECT unit || ' ' || count FROM ledger ORDER BY unit",
    );
    let result = answer(campaign("result").arg(&file));
    assert!(result.contains(&sha256(&format!("{ledger}\n"))), "{result}");
    let line = sqlite(
        "SELECT 'queens row ' || plan_digest || ' ' || unit || ' ' || count || ' ' || device || '|'
         || ledger.program || '|' || started || '|' || printf('%.6f', seconds)
         FROM ledger, campaign WHERE unit = 3",
    );
    let check = sqlite("SELECT check_value FROM ledger WHERE unit = 3");
    assert_eq!(sha256(&line)[..32], check);
}
