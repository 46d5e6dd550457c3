//! Trials of one bot, apart from any bout: its language's calibration, one turn, whether it comes
//! to its game's port.

use joust_build::PlacedBuild;
use joust_config::Event;
use joust_model::{Calibration, Reason, clock};
use joust_play::calibrate::{CalibrationRequest, NotCalibrated, measure};
use joust_play::channel::live::{ConnectOutcome, needs_connection_test, test_connection};
use joust_play::channel::{self, Answered, ChannelError, LimitMode, Opening, Port, test_server};
use joust_play::executor::{self, Cores};

use super::Machine;

/// A bot to run on one view.
pub struct OneTurn<'a> {
    /// Event that sets the rules.
    pub event: &'a Event,
    /// Build that is run.
    pub build: &'a PlacedBuild,
    /// Addition to the limits.
    pub calibration: Calibration,
    /// Value of the bot's `JOUST_SEED`.
    pub seed: u64,
    /// Seat of the bot.
    pub seat: u8,
    /// Request to the bot.
    pub request: channel::Request<'a>,
}

impl Machine {
    /// Measures a do-nothing bot for an event; nothing else may run meanwhile.
    ///
    /// # Errors
    ///
    /// [`NotCalibrated`] when the language cannot be measured.
    pub fn calibrate(
        &self,
        language: &str,
        event: &Event,
        runs: u32,
    ) -> Result<Calibration, NotCalibrated> {
        let cores = Cores::new(executor::available());
        let wanted = event.limits.cores_per_bot.max(1) as usize;
        let loan = cores.take(wanted.min(cores.total())).expect("so many there are");
        self.calibrate_on(loan.numbers(), language, event, runs)
    }

    /// Measures a do-nothing bot for an event on these processors.
    ///
    /// # Errors
    ///
    /// As [`Machine::calibrate`].
    pub fn calibrate_on(
        &self,
        cores: &[usize],
        language: &str,
        event: &Event,
        runs: u32,
    ) -> Result<Calibration, NotCalibrated> {
        let builder = self.builder(event);
        let request = CalibrationRequest {
            builder: &builder,
            game: self.game_of(event),
            rules: &event.rules,
            options: &event.options,
            limits: &self.limits(event),
            cores,
            runs,
            folder: &self.folder,
            now: clock::now(),
            machine: &self.name,
        };
        measure(&request, language)
    }

    /// Runs a bot on one view; a bot that would live as long as its bout is started
    /// for it, and its answer is in `parts`.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn run_turn(&self, turn: &OneTurn<'_>) -> Result<Answered, ChannelError> {
        let event = turn.event;
        let calibration = turn.calibration.clone();
        let mut opening = self.opening(event, turn.build, calibration, turn.seed);
        opening.seat = turn.seat;
        channel::ask_once(&event.game.spec().channel, opening, &turn.request)
    }

    fn opening(
        &self,
        event: &Event,
        build: &PlacedBuild,
        calibration: Calibration,
        seed: u64,
    ) -> Opening {
        let cores = executor::available();
        let limits = self.limits(event);
        Opening {
            game: self.game_of(event).clone(),
            host: self.host.clone(),
            spec: joust_build::seat_spec(build, &limits, &cores[..1], seed),
            command: build.command.clone(),
            trailing: build.trailing.clone(),
            folder: joust_toolchain::BOT.into(),
            seat: 0,
            limits,
            calibration,
            limit_mode: LimitMode::Configured,
        }
    }

    /// Finds out why a bot that connects to a port of its game, or listens at one, cannot be run
    /// here, if it cannot: where seats have no network of their own, it must get along with the
    /// port that it is given. Nothing else may run meanwhile.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when the machine failed.
    pub fn why_not_run(
        &self,
        event: &Event,
        build: &PlacedBuild,
    ) -> Result<Option<Reason>, ChannelError> {
        let channel = channel::find(&event.game.spec().channel)?;
        if channel.port == Port::None || !needs_connection_test(self.host.tier()) {
            return Ok(None);
        }
        let mut reason = None;
        // A second try, so that a machine that is slow for a moment excludes no bot.
        for _ in 0..2 {
            let opening = self.opening(event, build, Calibration::default(), 0);
            let is_stopped = || self.cancel.is_cancelled();
            let outcome = match channel.port {
                Port::OfTheBot => test_server(opening, &is_stopped)?,
                Port::None | Port::OfTheGame => {
                    test_connection(channel.name, opening, &is_stopped)?
                }
            };
            match outcome {
                ConnectOutcome::Connected => return Ok(None),
                ConnectOutcome::NotConnected { reason: why } => reason = Some(why),
            }
        }
        Ok(reason)
    }
}
