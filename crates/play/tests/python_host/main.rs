//! The program that hosts a Python agent, alone: what it makes of a state, of an
//! answer and of everything an agent can do wrong.

mod answers;
mod faults;
mod fixture;
mod loading;
mod published;
mod states;
mod versions;
