//! The table of modules in `crates/README.md`.

/// Returns each module of the table with what it may import; `pipeline`, which
/// may import almost everything, is left out.
pub(crate) fn rows(readme: &str) -> Vec<(String, Vec<String>)> {
    let table = readme.split("| module | holds | may import |").nth(1).unwrap_or_default();
    let lines = table.lines().skip(1).skip_while(|line| line.starts_with("|---"));
    let lines = lines.take_while(|line| line.starts_with('|'));
    lines.flat_map(row).filter(|(module, _)| module != "pipeline").collect()
}

fn row(line: &str) -> Vec<(String, Vec<String>)> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [modules, _, imports] = cells[..] else { panic!("a row of three cells: {line}") };
    let imports = names(imports);
    names(modules).into_iter().map(|module| (module, imports.clone())).collect()
}

/// Returns the names of a cell; what is in brackets explains, and `nothing` and
/// `only` are words.
fn names(cell: &str) -> Vec<String> {
    let mut depth = 0;
    let mut plain = String::new();
    for character in cell.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            '`' => {}
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
    }
    let plain = plain.replace("referee's vocabulary only", "referee");
    let names = plain.split(',').map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty() && name != "nothing").collect()
}

#[test]
fn a_row_gives_its_modules_and_imports() {
    let readme = "| module | holds | may import |\n|---|---|---|\n\
                  | `a`, `b` | things | model, referee (names, options) |\n| `c` | x | nothing |\n\nend";
    let imports = vec!["model".to_owned(), "referee".to_owned()];
    let expected =
        [("a".to_owned(), imports.clone()), ("b".to_owned(), imports), ("c".to_owned(), vec![])];
    assert_eq!(rows(readme), expected);
}
