//! Library sets of a package manager that few machines have: what would be started, and what is
//! made of what it leaves.

use std::process::Command;

use joust_toolchain::language::Libraries;
use joust_toolchain::{Languages, Library, NotBuilt, PlaceholderValues};

use super::read_list;

fn nuget(languages: &Languages) -> &Libraries {
    languages.get("csharp").unwrap().libraries.as_ref().unwrap()
}

/// Fills in the places of a `dotnet` that is nowhere.
fn values() -> PlaceholderValues {
    let mut values = PlaceholderValues::default();
    values.set("dotnet", "/tools/dotnet/dotnet");
    values.set("dotnet.home", "/tools/dotnet");
    values.set("out", "/bot/.joust");
    values
}

#[test]
fn nuget_restores_what_the_lock_names_and_no_other() {
    let languages = Languages::shipped();
    let (libraries, values) = (nuget(&languages), values());
    let restore = values.command(&libraries.build[0]).unwrap();
    let expected = ["restore", "--locked-mode", "--packages", "/bot/.joust/nuget"];
    assert_eq!(
        (restore[0].as_str(), &restore[1..]),
        ("/tools/dotnet/dotnet", &expected.map(str::to_owned)[..])
    );
    let environment = |name: &str| values.text(&libraries.environment[name]).unwrap();
    assert_eq!(environment("DOTNET_ROOT"), "/tools/dotnet");
    assert_eq!(environment("DOTNET_CLI_TELEMETRY_OPTOUT"), "1");
    let is_secret = |name: &&String| name.contains("NUGET") || name.contains("TOKEN");
    assert_eq!(libraries.environment.keys().chain(&libraries.pass).find(is_secret), None);
    assert_eq!((libraries.list.as_str(), libraries.of.as_str()), ("packages.lock.json", "dotnet"));
}

/// Versions may have further hyphens and numbers, names have no dot.
#[test]
fn crates_are_called_by_their_names_whatever_their_versions_are() {
    let languages = Languages::shipped();
    let libraries = languages.get("rust").unwrap().libraries.as_ref().unwrap();
    let out = tempfile::tempdir().unwrap();
    let [shell, option, script, _] = &libraries.build[1][..] else { panic!("four words") };
    for folder in ["evil-1.0.0-0.0.0", "foo-1-2.3.4", "odd", "serde-1.0.219", "x-0.1.0+y-1.2.3"] {
        std::fs::create_dir_all(out.path().join("vendor").join(folder)).unwrap();
    }
    let listed = Command::new(shell).args([option, script]).arg(out.path()).status().unwrap();
    assert!(listed.success());
    let came = read_list(&out.path().join("libraries.txt")).unwrap();
    let came: Vec<_> = came.iter().map(|one| (&*one.name, &*one.version)).collect();
    let expected = [
        ("evil", "1.0.0-0.0.0"),
        ("foo-1", "2.3.4"),
        ("odd", ""),
        ("serde", "1.0.219"),
        ("x", "0.1.0+y-1.2.3"),
    ];
    assert_eq!(came, expected);
}

/// Packages come once for all frameworks, under names in lower case.
#[test]
fn packages_of_nuget_are_compared_with_what_an_event_allows() {
    let languages = Languages::shipped();
    let libraries = nuget(&languages);
    let out = tempfile::tempdir().unwrap();
    let [shell, option, script, _] = &libraries.build[1][..] else { panic!("four words") };
    for package in
        ["newtonsoft.json/13.0.3/lib/net6.0", "newtonsoft.json/13.0.3/lib/net45", "a.b/1.0"]
    {
        std::fs::create_dir_all(out.path().join("nuget").join(package)).unwrap();
    }
    let listed = Command::new(shell).args([option, script]).arg(out.path()).status().unwrap();
    assert!(listed.success());
    let came = read_list(&out.path().join("libraries.txt")).unwrap();
    let library =
        |name: &str, version: &str| Library { name: name.into(), version: version.into() };
    assert_eq!(came, [library("a.b", "1.0"), library("newtonsoft.json", "13.0.3")]);
    let allowed = ["Newtonsoft.Json".to_owned(), "Microsoft.*".to_owned()];
    let others = came.iter().filter(|one| !libraries.is_among(&one.name, &allowed));
    assert_eq!(others.map(|one| one.name.as_str()).collect::<Vec<_>>(), ["a.b"]);
}

/// Code of a package may put anything where the list belongs.
#[test]
fn a_list_that_is_no_file_is_no_fault_of_the_machine() {
    let out = tempfile::tempdir().unwrap();
    let list = out.path().join("libraries.txt");
    assert_eq!(read_list(&list).unwrap(), []);
    std::fs::create_dir(&list).unwrap();
    let NotBuilt::Refused(reason) = read_list(&list).unwrap_err() else { panic!("refused") };
    assert!(reason.starts_with("the list of what was fetched: "), "{reason}");
}
