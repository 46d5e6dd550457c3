//! Python and Ruby bots of the benchmark, built as a tournament builds them: without what was
//! installed beside the interpreter, and with their main file compiled.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_bots::{Candidate, read_bot};
use joust_build::{Builder, FolderStore, PlacedBuild};
use joust_config::{BuildLimits, Requirements};
use joust_model::Limits;
use joust_play::executor::Equipment;
use joust_sandbox::Folder;
use joust_toolchain::{Languages, Machine, Toolchains};

use super::Result;

/// Folder inside a seat for the packages that `JOUST_BENCH_PACKAGES` names.
const PACKAGES: &str = "/packages";

/// A bot by what it imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Nothing,
    Five,
    TwentyFour,
    Numpy,
    Ruby,
    RubyModules,
}

/// Bars of a warm turn, as parts of the cost of a cold one.
pub(crate) struct Bars {
    pub(crate) exact: f64,
    pub(crate) quick: f64,
}

impl Program {
    /// All, cheapest first in each language.
    pub(crate) const ALL: [Self; 6] =
        [Self::Nothing, Self::Five, Self::TwentyFour, Self::Numpy, Self::Ruby, Self::RubyModules];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Nothing => "do-nothing",
            Self::Five => "five modules",
            Self::TwentyFour => "24 modules",
            Self::Numpy => "numpy",
            Self::Ruby => "Ruby",
            Self::RubyModules => "Ruby with json and set",
        }
    }

    pub(crate) fn bars(self) -> Bars {
        match self {
            Self::Nothing => Bars { exact: 0.80, quick: 0.34 },
            Self::Five => Bars { exact: 0.50, quick: 0.22 },
            Self::TwentyFour => Bars { exact: 0.42, quick: 0.12 },
            Self::Numpy => Bars { exact: 0.36, quick: 0.07 },
            // A copy of Ruby is ended by Ruby in both.
            Self::Ruby => Bars { exact: 0.40, quick: 0.40 },
            Self::RubyModules => Bars { exact: 0.30, quick: 0.30 },
        }
    }

    fn language(self) -> Language {
        match self {
            Self::Ruby | Self::RubyModules => {
                Language { id: "ruby", entry: "main.rb", answer: "puts 'NO'\n" }
            }
            _ => Language { id: "python", entry: "main.py", answer: "print('NO')\n" },
        }
    }

    fn imports(self) -> &'static str {
        match self {
            Self::Nothing | Self::Ruby => "",
            Self::RubyModules => "require 'json'\nrequire 'set'\n",
            Self::Five => "import collections, json, random, re, sys\n",
            Self::TwentyFour => {
                "import argparse, bisect, collections, copy, dataclasses, datetime, decimal, enum\n\
                 import fractions, functools, heapq, itertools, json, math, os, pathlib\n\
                 import random, re, statistics, string, sys, time, traceback, typing\n"
            }
            Self::Numpy => "import numpy\n",
        }
    }
}

/// Language of a bot.
struct Language {
    id: &'static str,
    entry: &'static str,
    answer: &'static str,
}

/// Place in which bots are written and built.
pub(crate) struct Workshop<'a> {
    folder: &'a Path,
    equipment: &'a Equipment,
    toolchains: Toolchains,
    store: FolderStore,
    packages: Option<PathBuf>,
}

impl<'a> Workshop<'a> {
    pub(crate) fn open(folder: &'a Path, equipment: &'a Equipment) -> Result<Self> {
        let toolchains = Toolchains::new(Arc::new(Languages::shipped()), Machine::this());
        let store = FolderStore::open(&folder.join("cache"))?;
        let packages = std::env::var_os("JOUST_BENCH_PACKAGES").map(PathBuf::from);
        Ok(Self { folder, equipment, toolchains, store, packages })
    }

    /// Why a bot cannot be measured here, if it cannot.
    pub(crate) fn lacks(&self, program: Program) -> Option<&'static str> {
        let has = |packages: &PathBuf| packages.join("numpy").is_dir();
        let is_there = program != Program::Numpy || self.packages.as_ref().is_some_and(has);
        (!is_there).then_some(
            "no package `numpy`; `pip install --target DIR numpy`, then JOUST_BENCH_PACKAGES=DIR",
        )
    }

    pub(crate) fn build(&self, program: Program) -> Result<PlacedBuild> {
        let name = program.title().replace(' ', "-");
        let folder = self.folder.join("bots").join(&name);
        std::fs::create_dir_all(&folder)?;
        let Language { id, entry, answer } = program.language();
        let manifest = format!("name: {name}\nlanguage: {id}\nentry: {entry}\n");
        std::fs::write(folder.join("bot.yaml"), manifest)?;
        std::fs::write(folder.join(entry), program.imports().to_owned() + answer)?;
        let game = joust_testkit::game("battlebots");
        let candidate = Candidate::new(&folder, game.spec(), self.toolchains.languages().sources());
        let bot = read_bot(&candidate, &self.store.archives())
            .map_err(|problems| format!("{problems:?}"))?;
        let builder = Builder {
            host: &self.equipment.host,
            toolchains: &self.toolchains,
            store: &self.store,
            limits: &BuildLimits::default(),
            memory: Limits::default().memory,
            requirements: &Requirements::default(),
            cancel: &self.equipment.cancel,
        };
        let mut build = builder.build(&bot)?;
        if let Some(packages) = self.packages.clone().filter(|_| program == Program::Numpy) {
            provide(&mut build, packages);
        }
        Ok(build)
    }
}

/// Adds packages, as an event's libraries are.
fn provide(build: &mut PlacedBuild, packages: PathBuf) {
    build.folders.push(Folder { host: packages, inside: PACKAGES.into() });
    build.environment.retain(|(name, _)| name != "PYTHONPATH");
    build.environment.push(("PYTHONPATH".into(), OsString::from(PACKAGES)));
}
