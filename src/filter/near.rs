//! The name that was probably meant.

/// Of `names` the one that `wanted` was probably meant to be: the same but for its case, the last part of a path or a
/// path of which that is the last part, or a few letters away.
pub(crate) fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_ascii_lowercase();
    let most = (wanted.chars().count() / 3).clamp(1, 4);
    let ends = |path: &str, end: &str| path.rsplit_once('.').is_some_and(|(_, last)| last == end);
    let far = |name: &str| {
        let name = name.to_ascii_lowercase();
        match () {
            () if name == wanted => 0,
            () if ends(&name, &wanted) || ends(&wanted, &name) => 1,
            () => strsim::osa_distance(&name, &wanted),
        }
    };
    let near = names.into_iter().map(|name| (far(name), name)).filter(|(far, _)| *far <= most);
    near.min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognized_and_another_word_is_not() {
        let names = ["width", "cls", "json.label", "json.boxes", "class"];
        for (wanted, meant) in [
            ("clas", Some("cls")),
            ("Width", Some("width")),
            ("widht", Some("width")),
            ("label", Some("json.label")),
            ("json.lable", Some("json.label")),
            ("json.cls", Some("cls")),
            ("jpeg", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, names), meant, "{wanted}");
        }
    }
}
