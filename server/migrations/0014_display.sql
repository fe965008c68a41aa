-- How pages look to a person: the codes of model::display, with a space between them. Empty means the default.
ALTER TABLE rater_settings ADD COLUMN display TEXT NOT NULL DEFAULT '';
