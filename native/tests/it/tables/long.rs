//! A long text with everything in it that is hard to cut.

use crate::dice::Dice;

/// Several pieces of text, whose rows are read on other threads.
pub const ROWS: usize = 60_000;

/// Cells that are hard to cut: quotes with commas, quotes and ends of lines in them, nothing at all.
pub fn csv(rows: usize, end: &str) -> String {
    let mut dice = Dice(9);
    let mut text = format!("\u{feff}id,name,score,flag,day,at,note{end}");
    for row in 0..rows {
        let name = ["Ada", "\"Lovelace, Ada\"", "\"\"", "", "\"a \"\"b\"\"\"", "\"two\nlines,\r\n and a half\"", "é"];
        let name = name[dice.below(7) as usize];
        let flag = if dice.below(9) == 0 { "" } else { ["true", "false"][dice.below(2) as usize] };
        let score = dice.below(1_000_000) as f64 / 128.0;
        let note = format!("{:x}", dice.roll()).repeat(1 + dice.below(3) as usize);
        text +=
            &format!("{row},{name},{score},{flag},2024-02-{:02},2024-02-29T01:02:{:02},{note}", 1 + row % 29, row % 60);
        text += end;
        text += &end.repeat(dice.below(50).saturating_sub(47) as usize);
    }
    text.truncate(text.trim_end().len());
    text
}
