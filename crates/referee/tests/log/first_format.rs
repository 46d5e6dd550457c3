//! The log as the first format has it.

use joust_referee::log::columns::{folded, push_number, push_sized};
use joust_referee::{Input, Parts};

/// Encodes a list of inputs.
pub(crate) fn encode(inputs: &[Input]) -> Vec<u8> {
    let mut log = vec![1];
    inputs.iter().for_each(|input| push(&mut log, input));
    log
}

fn push(log: &mut Vec<u8>, input: &Input) {
    match input {
        Input::Answer { seat, request, parts, verdict } => {
            push_numbers(log, &[0, seat.0.into(), request.0.into(), verdict.code().into()]);
            push_parts(log, parts);
        }
        Input::Message { connection, bytes } => {
            push_numbers(log, &[1, connection.0.into()]);
            push_sized(log, bytes);
        }
        Input::Opened { connection, seat } => {
            let seat = seat.map_or(0, |seat| u64::from(seat.0) + 1);
            push_numbers(log, &[2, connection.0.into(), seat]);
        }
        Input::Closed { connection } => push_numbers(log, &[3, connection.0.into()]),
        Input::Tick => push_numbers(log, &[4]),
        Input::Resolved { draw, values } => {
            push_numbers(log, &[5]);
            push_sized(log, draw.as_bytes());
            push_numbers(log, &[values.len() as u64]);
            values.iter().for_each(|value| push_number(log, folded(*value)));
        }
        Input::Person { seat } => push_numbers(log, &[6, seat.0.into()]),
    }
}

fn push_parts(log: &mut Vec<u8>, parts: &Parts) {
    push_numbers(log, &[parts.0.len() as u64]);
    for part in &parts.0 {
        push_sized(log, part.name.as_bytes());
        push_sized(log, &part.bytes);
    }
}

fn push_numbers(log: &mut Vec<u8>, numbers: &[u64]) {
    numbers.iter().for_each(|number| push_number(log, *number));
}
