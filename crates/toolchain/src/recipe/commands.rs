//! Commands of a recipe: those of the languages table filled, those of a manifest made
//! absolute.

use std::collections::BTreeSet;
use std::path::Path;

use super::builder::RecipeBuilder;
use crate::build_error::NotBuilt;
use crate::template::names;
use crate::{BOT, SYSTEM};
use joust_bots::manifest::Command;

impl RecipeBuilder<'_> {
    /// Returns the globs of the file to run.
    pub(super) fn program(&self) -> Result<Vec<String>, NotBuilt> {
        if self.bot.manifest.run.is_some() {
            return Ok(Vec::new());
        }
        let mut values = self.values.clone();
        for text in values.texts.values_mut() {
            *text = globset::escape(text);
        }
        let fill = |glob: &String| values.text(glob);
        let globs = self.variant.program.iter().map(fill).collect::<Result<_, _>>();
        globs.map_err(|name| self.refuse_placeholder(&name))
    }

    pub(super) fn text(&self, template: Option<&String>) -> Result<String, NotBuilt> {
        let filled = template.map(|template| self.values.text(template)).transpose();
        Ok(filled.map_err(|name| self.refuse_placeholder(&name))?.unwrap_or_default())
    }

    /// Fills in the commands of the table, except those that are left out.
    pub(super) fn table_commands(&self, commands: &[Command]) -> Result<Vec<Command>, NotBuilt> {
        let wanted = commands.iter().filter(|command| !self.values.leaves_out(command));
        let filled = wanted.map(|command| self.values.command(command));
        filled.collect::<Result<_, _>>().map_err(|name| self.refuse_placeholder(&name))
    }

    fn refuse_placeholder(&self, name: &str) -> NotBuilt {
        unknown_placeholder(&self.bot.manifest.language, name)
    }

    pub(super) fn run(&self) -> Result<Command, NotBuilt> {
        if let Some(command) = &self.bot.manifest.run {
            return self.own_command(command);
        }
        let mut values = self.values.clone();
        for later in ["program", "heap"] {
            values.set(later, format!("{{{later}}}"));
        }
        values.command(&self.variant.run).map_err(|name| self.refuse_placeholder(&name))
    }

    /// Makes the program of an author's command absolute. Interpreters come
    /// from the languages table, never from the bot or its PATH.
    pub(super) fn own_command(&self, command: &Command) -> Result<Command, NotBuilt> {
        let mut command = command.clone();
        let program =
            command.first_mut().ok_or_else(|| NotBuilt::Refused("an empty command".into()))?;
        *program = self.own_program(program)?;
        Ok(command)
    }

    fn own_program(&self, program: &str) -> Result<String, NotBuilt> {
        if program.starts_with('/') {
            return self.system_program(Path::new(program));
        }
        if program.contains('/') {
            let parts: Vec<&str> = program.split('/').filter(|part| *part != ".").collect();
            if parts.iter().any(|part| *part == ".." || part.is_empty()) {
                return Err(NotBuilt::Refused(format!("`{program}` leaves the bot's folder")));
            }
            return Ok(format!("{BOT}/{}", parts.join("/")));
        }
        let tool = self.variant.programs.iter().find(|(name, tool)| {
            *name == program || tool.find.iter().any(|candidate| candidate == program)
        });
        if let Some(inside) = tool.and_then(|(name, _)| self.toolchain.values.get(name)) {
            return Ok(inside.clone());
        }
        let places = SYSTEM.map(|folder| Path::new(folder).join(program));
        let found = places.iter().find(|path| path.is_file());
        found.map(|path| path.to_string_lossy().into_owned()).ok_or_else(|| not_a_program(program))
    }

    fn system_program(&self, program: &Path) -> Result<String, NotBuilt> {
        let plain =
            program.components().all(|part| !matches!(part, std::path::Component::ParentDir));
        let system = ["/usr", "/bin", BOT].iter().any(|folder| program.starts_with(folder));
        if plain && system {
            return Ok(program.to_string_lossy().into_owned());
        }
        Err(NotBuilt::Refused(format!("`{}` is not a program of the system", program.display())))
    }

    /// Returns the tools that a turn needs: those that its command mentions, and those that report
    /// the places of these. An author's own command may need any tool.
    pub(super) fn needed_tools(&self) -> BTreeSet<String> {
        if self.bot.manifest.run.is_some() {
            return self.variant.programs.keys().cloned().collect();
        }
        let tool = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
        let mut needed: BTreeSet<String> =
            names(self.variant.run.iter()).into_iter().map(tool).collect();
        for (name, program) in &self.variant.programs {
            if needed.contains(name) {
                needed.extend(names(program.at.iter()).into_iter().map(tool));
            }
        }
        needed.retain(|name| self.variant.programs.contains_key(name));
        needed
    }
}

/// Refuses a place-holder of the languages table.
pub(super) fn unknown_placeholder(language: &str, name: &str) -> NotBuilt {
    NotBuilt::Refused(format!(
        "the languages table uses `{{{name}}}` in `{language}`, which stands for nothing here"
    ))
}

/// Makes an error for an unknown command in a manifest. It is not a tool of the language, so no
/// installation is suggested.
fn not_a_program(program: &str) -> NotBuilt {
    NotBuilt::missing(
        program,
        "is named by the bot's manifest (`build` or `run`), and is neither a tool of its language \
         nor a program in `/usr/bin`; a file of the bot is named with its folder, as \
         `./program`",
        "",
    )
}
