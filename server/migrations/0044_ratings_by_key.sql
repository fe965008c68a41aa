-- A rating counts once. The index says so, because without it SQLite looks for a rating among all of its study.
DROP INDEX counted_by_rating;
CREATE UNIQUE INDEX counted_by_rating ON counted (study_id, rating_id);
