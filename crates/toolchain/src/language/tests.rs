use super::*;

fn with(text: &str) -> Result<Languages, Vec<LanguageError>> {
    Languages::with(&joust_config::yaml::from_str(text).unwrap())
}

#[test]
fn every_language_of_the_handbook_is_shipped() {
    let shipped = Languages::shipped();
    let ids: Vec<&str> = shipped.iter().map(|(id, _)| id).collect();
    assert_eq!(
        ids.join(" "),
        "bash c cpp csharp fsharp go java javascript julia kotlin python python2 ruby rust scala"
    );
}

#[test]
fn no_extension_belongs_to_two_languages() {
    let shipped = Languages::shipped();
    let all: Vec<&String> = shipped.by_id.values().flat_map(|one| &one.extensions).collect();
    let unique: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(all.len(), unique.len());
}

#[test]
fn a_tournament_overrides_one_field_and_keeps_the_rest() {
    let languages = with("python: { entry: [start.py] }").unwrap();
    let python = languages.get("python").unwrap();
    assert_eq!(python.entry, ["start.py"]);
    assert_eq!(python.title, "Python 3");
}

#[test]
fn a_tournament_adds_a_language() {
    let text = "lua: { title: Lua, extensions: [lua], variants: [{ name: lua, \
        install: apt install lua5.4, programs: { lua: { find: [lua] } }, \
        run: ['{lua}', '{entry}'] }] }";
    assert_eq!(with(text).unwrap().sources().of_file("a.lua".as_ref()), Some("lua"));
}

#[test]
fn an_unknown_key_is_named_with_its_path() {
    let errors = with("python: { variants: [{ name: x, install: y, runs: [] }] }").unwrap_err();
    let text = errors[0].to_string();
    assert!(text.starts_with("languages.python: variants[0].runs: unknown field `runs`"), "{text}");
}

#[test]
fn a_tool_without_a_place_to_look_is_refused() {
    let text =
        "x: { title: X, variants: [{ name: x, install: y, programs: { a: {} }, run: [b] }] }";
    let errors = with(text).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "languages.x: variants[0].programs.a: exactly one of `find` and `at` is needed"
    );
}

#[test]
fn mistakes_of_an_entry_are_reported_at_their_place() {
    let event = "events:\n  - { game: battlebots, bots: [a] }\n";
    let told = |languages: &str| {
        let text = format!("languages:\n{languages}{event}");
        let tournament = config::parse(
            &text,
            std::path::Path::new("t.yaml"),
            &joust_referee::Catalogue::built_in(),
        )
        .unwrap();
        let problem = Languages::of_tournament(&tournament).unwrap_err().remove(0);
        let place = problem.place.unwrap();
        assert!(problem.hint.is_some());
        (place.line, place.column, problem.message)
    };
    let mapping = "expected a mapping of keys and values".to_owned();
    assert_eq!(told("  bash: 5\n"), (2, 9, mapping));
    let variants = "  bash:\n    variants:\n      - { name: x, install: y, run: 5 }\n";
    let (line, column, message) = told(variants);
    assert_eq!((line, column), (4, 37), "{message}");
    assert!(message.contains("expected a list"), "{message}");
}

#[test]
fn a_likely_id_is_suggested() {
    let shipped = Languages::shipped();
    let unknown = shipped.sources().check("pyton").expect_err("it is misspelt");
    assert_eq!(unknown.hint.as_deref(), Some("did you mean `python`?"));
}

#[test]
fn commands_that_fetch_use_what_stands_for_something() {
    let shipped = Languages::shipped();
    for (id, language) in shipped.iter() {
        let Some(libraries) = &language.libraries else { continue };
        let variant = language.variants.iter().find(|variant| variant.name == libraries.of);
        let tools = &variant.expect("it is one of its variants").programs;
        let commands = libraries.build.iter().chain(&libraries.probe).flatten();
        for name in crate::template::names(commands.chain(libraries.environment.values())) {
            let tool = name.split('.').next().unwrap();
            let is_known = ["out", "tmp"].contains(&name) || tools.contains_key(tool);
            assert!(is_known, "{id}: `{{{name}}}` stands for nothing");
        }
        assert!(!libraries.probe.is_empty(), "{id}: its registries are not known");
    }
}
