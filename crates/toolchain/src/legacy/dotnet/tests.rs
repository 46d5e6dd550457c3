use std::fs;

use super::*;

const PROJECT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<Project ToolsVersion="14.0" xmlns="http://schemas.example/2003">
  <!-- <Compile Include="Gone.cs" /> -->
  <PropertyGroup Condition=" '$(Configuration)|$(Platform)' == 'Debug|AnyCPU' ">
    <DefineConstants>DEBUG;TRACE</DefineConstants>
  </PropertyGroup>
  <PropertyGroup Condition=" '$(Configuration)|$(Platform)' == 'Release|AnyCPU' ">
    <DefineConstants>TRACE;A&amp;B</DefineConstants>
    <AllowUnsafeBlocks>true</AllowUnsafeBlocks>
  </PropertyGroup>
  <ItemGroup>
    <Reference Include="Newtonsoft.Json, Version=9.0.0.0, Culture=neutral">
      <HintPath>..\packages\Newtonsoft.Json.9.0.1\lib\net45\Newtonsoft.Json.dll</HintPath>
      <Private>True</Private>
    </Reference>
    <Reference Include="System" />
    <Reference Include="System.Nowhere" />
  </ItemGroup>
  <ItemGroup>
    <Compile Include="program.cs" />
    <Compile Include="Moves\*.cs" />
    <ProjectReference Include="..\Lib\Lib.csproj"><Name>Lib</Name></ProjectReference>
  </ItemGroup>
</Project>
"#;

fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, SourceTree) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let tree = SourceTree::read(folder.path(), &[]).unwrap();
    (folder, tree)
}

fn compile(files: &[(&str, &str)]) -> Result<Compilation, String> {
    let (_folder, tree) = tree(files);
    let system = tempfile::tempdir().unwrap();
    fs::write(system.path().join("System.dll"), "").unwrap();
    let libraries = Libraries { system: system.path(), fetched: None };
    compilation(&tree, "Bot/Bot.csproj", &libraries)
}

const FILES: &[(&str, &str)] = &[
    ("Bot/Bot.csproj", PROJECT),
    ("Bot/Program.cs", ""),
    ("Bot/Moves/Up.cs", ""),
    ("Bot/Other.cs", ""),
    ("Lib/Lib.csproj", "<Project><ItemGroup></ItemGroup></Project>"),
    ("Lib/Map.cs", ""),
    ("Lib/Properties/AssemblyInfo.cs", ""),
    ("packages/Newtonsoft.Json.9.0.1/lib/net45/Newtonsoft.Json.dll", ""),
];

#[test]
fn sources_are_those_of_the_project_and_of_the_projects_it_refers_to() {
    let found = compile(FILES).unwrap();
    assert_eq!(found.sources, ["Bot/Moves/Up.cs", "Bot/Program.cs", "Lib/Map.cs"]);
}

#[test]
fn references_are_found_where_they_are_and_unknown_ones_left_out() {
    let found = compile(FILES).unwrap();
    assert_eq!(found.libraries, ["packages/Newtonsoft.Json.9.0.1/lib/net45/Newtonsoft.Json.dll"]);
    assert_eq!(found.system, ["System.dll"]);
}

#[test]
fn settings_of_the_release_are_kept() {
    assert_eq!(compile(FILES).unwrap().arguments, ["-define:TRACE", "-unsafe"]);
}

#[test]
fn a_package_that_is_not_shipped_comes_from_what_was_fetched_with_what_it_needs() {
    let (_folder, tree) = tree(&FILES[..FILES.len() - 1]);
    let home = tempfile::tempdir().unwrap();
    let all = [
        "needed/1.0.0/lib/netstandard2.0/Needed",
        "newtonsoft.json/9.0.2/lib/net45/Newtonsoft.Json",
    ];
    for library in all {
        let path = home.path().join(format!("{library}.dll"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    fs::create_dir_all(home.path().join("newtonsoft.json/9.0.2/lib/net20")).unwrap();
    let libraries = Libraries { system: home.path(), fetched: Some(home.path()) };
    let found = compilation(&tree, "Bot/Bot.csproj", &libraries).unwrap();
    assert_eq!(found.cached, all.map(|library| format!("{library}.dll")));
    assert!(found.packages.is_empty(), "{:?}", found.packages);
}

#[test]
fn what_leaves_the_source_or_is_no_project_is_refused() {
    let with = |text: &str| compile(&[("Bot/Bot.csproj", text), ("Bot/Program.cs", "")]);
    let out = r#"<Project><ItemGroup><Compile Include="..\..\x.cs"/></ItemGroup></Project>"#;
    assert_eq!(with(out).unwrap_err(), "`..\\..\\x.cs` leaves the bot's folder");
    let open = "`Bot/Bot.csproj`: the root node was opened but never closed";
    assert_eq!(with("<Project>").unwrap_err(), open);
    assert!(with("</x>").is_err() && with("<x").is_err() && with("<!-- ").is_err());
    let gone =
        r#"<Project><ItemGroup><ProjectReference Include="x.csproj"/></ItemGroup></Project>"#;
    assert!(with(gone).unwrap_err().contains("`x.csproj`, which is not there"));
}

#[test]
fn a_project_file_is_bounded_and_brings_no_entities() {
    let with =
        |text: &str| compile(&[("Bot/Bot.csproj", text), ("Bot/Program.cs", "")]).unwrap_err();
    let nested = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    assert_eq!(with(&nested(65)), "`Bot/Bot.csproj`: nested too deeply");
    assert!(with(&nested(100_000)).ends_with("nested too deeply"));
    assert!(with(&"<a>".repeat(100_000)).ends_with("never closed"));
    let compiles = compile(&[("Bot/Bot.csproj", &nested(64)), ("Bot/Program.cs", "")]);
    assert_eq!(compiles.unwrap().sources, ["Bot/Program.cs"]);
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;\">]><a>&c;</a>";
    assert_eq!(with(bomb), "`Bot/Bot.csproj`: XML with DTD detected");
    let outside = "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>";
    assert_eq!(with(outside), "`Bot/Bot.csproj`: XML with DTD detected");
    assert_eq!(with(&" ".repeat((4 << 20) + 1)), "`Bot/Bot.csproj`: more than 4 MiB");
    let many = format!("<a>{}</a>", "<b/>".repeat(200_001));
    assert_eq!(with(&many), "`Bot/Bot.csproj`: nodes limit reached");
}

#[test]
fn a_project_names_a_source_any_number_of_times_and_few_patterns() {
    let files: Vec<String> = (0..5000).map(|number| format!("Bot/S{number}.cs")).collect();
    let with = |item: &str, times: usize| {
        let text = format!("<Project><ItemGroup>{}</ItemGroup></Project>", item.repeat(times));
        let mut all = vec![("Bot/Bot.csproj", text.as_str())];
        all.extend(files.iter().map(|file| (file.as_str(), "")));
        compile(&all).map(|found| found.sources.len())
    };
    assert_eq!(with(r#"<Compile Include="s7.cs;S8.cs"/>"#, 90_000), Ok(2));
    let too_many = Err("a project has more than 256 paths with `*`".to_owned());
    assert_eq!(with(r#"<Compile Include="**\*.cs"/>"#, 90_000), too_many);
    assert_eq!(with(r#"<EmbeddedResource Include="**\*.cs"/>"#, 90_000), too_many);
    assert_eq!(with(r#"<Compile Include="**\*.cs"/>"#, 256), Ok(5000));
}

#[test]
fn the_project_file_is_the_one_above_the_file_to_run() {
    let (_folder, tree) = tree(&[("A/A.csproj", ""), ("B/B.csproj", ""), ("B/bin/x", "")]);
    let project = |folder: &str, run_file: &str| {
        let project = Project {
            folder: folder.to_owned(),
            run_file: run_file.to_owned(),
            ..Project::default()
        };
        project_file(&tree, &project)
    };
    assert_eq!(project("", "B/bin/Debug/B.exe").as_deref(), Some("B/B.csproj"));
    assert_eq!(project("A", "x.exe").as_deref(), Some("A/A.csproj"));
    assert_eq!(project("C", "x.exe"), None);
}

/// Returns path and name of each resource of a project with these items.
fn resources(file: &str, properties: &str, items: &str, files: &[&str]) -> Vec<String> {
    let text = format!(
        "<Project><PropertyGroup>{properties}</PropertyGroup><ItemGroup>{items}</ItemGroup></Project>"
    );
    let mut all = vec![(file, text.as_str()), ("Program.cs", ""), ("Bot/Program.cs", "")];
    all.extend(files.iter().map(|path| (*path, "")));
    let (_folder, tree) = tree(&all);
    let libraries = Libraries { system: Path::new("/"), fetched: None };
    let found = compilation(&tree, file, &libraries).unwrap();
    found.resources.iter().map(|one| format!("{} {}", one.path, one.name)).collect()
}

#[test]
fn a_resource_is_called_by_its_namespace_and_its_place() {
    let items = r#"<EmbeddedResource Include="data.txt;Gone.txt" />
        <EmbeddedResource Include="My-Data\1.2 b\_\a-b c.txt" />"#;
    let files = ["Bot/Data.txt", "Bot/my-data/1.2 b/_/a-b c.txt"];
    let file = "Bot/The Bot.csproj";
    assert_eq!(
        resources(file, "<RootNamespace>A.B</RootNamespace>", items, &files),
        [
            "Bot/Data.txt A.B.data.txt",
            "Bot/my-data/1.2 b/_/a-b c.txt A.B.My_Data._1._2_b.__.a-b c.txt"
        ]
    );
    let alone = r#"<EmbeddedResource Include="data.txt" />"#;
    assert_eq!(resources(file, "", alone, &files), ["Bot/Data.txt The_Bot.data.txt"]);
    assert_eq!(resources("Bot.csproj", "", alone, &["data.txt"]), ["data.txt Bot.data.txt"]);
    let named = "<AssemblyName>X</AssemblyName><RootNamespace>$(AssemblyName).Y</RootNamespace>";
    assert_eq!(resources(file, named, alone, &files), ["Bot/Data.txt X.Y.data.txt"]);
    let unknown = "<RootNamespace>$(Company)</RootNamespace>";
    assert_eq!(resources(file, unknown, alone, &files), ["Bot/Data.txt The_Bot.data.txt"]);
}

#[test]
fn a_resource_has_the_name_that_is_said_or_that_of_its_link() {
    let items = r#"<EmbeddedResource Include="a.txt"><LogicalName>one</LogicalName></EmbeddedResource>
        <EmbeddedResource Include="..\Shared\b.txt" Link="In Here\c.txt" />
        <EmbeddedResource Include="..\Shared\d.txt" />
        <EmbeddedResource Include="Maps\**\*.map" LogicalName="%(RecursiveDir)%(Filename)!" />
        <EmbeddedResource Include="e.txt" LogicalName="%(Unknown)" />"#;
    let files = [
        "Bot/a.txt",
        "Shared/b.txt",
        "Shared/d.txt",
        "Bot/Maps/x/1.map",
        "Bot/Maps/2.map",
        "Bot/e.txt",
    ];
    assert_eq!(
        resources("Bot/Bot.csproj", "", items, &files),
        [
            "Bot/a.txt one",
            "Shared/b.txt Bot.In_Here.c.txt",
            "Shared/d.txt Bot.d.txt",
            "Bot/Maps/2.map 2!",
            r"Bot/Maps/x/1.map x\1!",
            "Bot/e.txt Bot.e.txt",
        ]
    );
}

#[test]
fn a_name_that_is_too_long_is_not_kept_for_every_resource() {
    let (file, files) = ("Bot/Bot.csproj", ["Bot/a.txt"]);
    let item = r#"<EmbeddedResource Include="a.txt" />"#;
    let root = format!("<RootNamespace>{}</RootNamespace>", "x".repeat(1025));
    assert_eq!(resources(file, &root, item, &files), ["Bot/a.txt Bot.a.txt"]);
    let assembly = format!(
        "<AssemblyName>{}</AssemblyName><RootNamespace>$(AssemblyName)</RootNamespace>",
        "x".repeat(1025)
    );
    assert_eq!(resources(file, &assembly, item, &files), ["Bot/a.txt Bot.a.txt"]);
    let item = |name: &str| format!(r#"<EmbeddedResource Include="a.txt" LogicalName="{name}" />"#);
    let names = "<AssemblyName>eight ch</AssemblyName>";
    let long = item(&"$(AssemblyName)".repeat(64));
    assert_eq!(
        resources(file, names, &long, &files),
        [format!("Bot/a.txt {}", "eight ch".repeat(64))]
    );
    let longer = "<AssemblyName>more than eighteen</AssemblyName>";
    assert_eq!(resources(file, longer, &long, &files), ["Bot/a.txt Bot.a.txt"]);
}

#[test]
fn a_pattern_that_is_too_long_for_a_path_names_nothing() {
    let item =
        |dots: usize| format!(r#"<EmbeddedResource Include="{}*.txt" />"#, "./".repeat(dots));
    let of = |dots| resources("Bot/Bot.csproj", "", &item(dots), &["Bot/a.txt"]);
    assert_eq!(of(2000), ["Bot/a.txt Bot.a.txt"]);
    assert_eq!(of(3000), [""; 0]);
}

#[test]
fn resources_come_once_and_those_to_be_translated_or_of_elsewhere_not_at_all() {
    let items = r#"<EmbeddedResource Include="Res\*" /><EmbeddedResource Include="res\A.bin" />
        <EmbeddedResource Include="Res\a.bin" /><EmbeddedResource Include="..\..\x.txt" />"#;
    let files = ["Bot/Res/a.bin", "Bot/Res/Form.RESX", "Bot/Res/b,c.txt", "Bot/Res/d/e.txt"];
    assert_eq!(
        resources("Bot/Bot.csproj", "", items, &files),
        ["Bot/Res/a.bin Bot.Res.a.bin", "Bot/Res/a.bin Bot.res.A.bin"]
    );
}

#[test]
fn a_project_brings_the_resources_of_those_it_refers_to() {
    let lib = r#"<Project><PropertyGroup><RootNamespace>L</RootNamespace></PropertyGroup>
        <ItemGroup><EmbeddedResource Include="map.txt" /></ItemGroup></Project>"#;
    let mut files = FILES.to_vec();
    files.retain(|(path, _)| *path != "Lib/Lib.csproj");
    files.extend([("Lib/Lib.csproj", lib), ("Lib/map.txt", "")]);
    let found = compile(&files).unwrap().resources;
    assert_eq!(found, [Resource { path: "Lib/map.txt".into(), name: "L.map.txt".into() }]);
}
