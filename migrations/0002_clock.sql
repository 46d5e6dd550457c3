-- Games on a clock: how it struck, and what came too late or not at all.

ALTER TABLE bouts ADD COLUMN clock TEXT;
ALTER TABLE bouts ADD COLUMN ticks_late INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seats ADD COLUMN ticks_idle INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seats ADD COLUMN answers_late INTEGER NOT NULL DEFAULT 0;
