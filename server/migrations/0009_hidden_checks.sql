-- Hidden checks (`probes` of kind 'gold' and 'repeat') go through the same states as the work among
-- which they are hidden: leased, waiting to come again, rated, lost to other raters.

-- As in `assignments`: set while the check is in its rater's hands.
ALTER TABLE probes ADD COLUMN leased_until INTEGER;
-- As in `assignments`: the position in the rater's order of a check that was skipped and comes again.
ALTER TABLE probes ADD COLUMN place INTEGER;
-- Another rater would have taken the item over if it were work: its rater cannot rate it any more.
ALTER TABLE probes ADD COLUMN away INTEGER NOT NULL DEFAULT 0;
-- As in `ratings`: withdrawn by its rater, so it never counts again.
ALTER TABLE probe_ratings ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;
UPDATE probe_ratings SET withdrawn = 1 WHERE probe_id IN (SELECT id FROM probes WHERE rated_at IS NULL);
UPDATE probes SET leased_until = shown_at WHERE rated_at IS NULL AND skips = 0 AND kind <> 'opening';
UPDATE probes SET place = skipped_at WHERE rated_at IS NULL AND skips = 1;
UPDATE probes SET skips = 0 WHERE rated_at IS NOT NULL;
CREATE INDEX probes_open ON probes (study_id) WHERE rated_at IS NULL;

-- The time of the rater's newest event in the study. Events are stored strictly later than the one
-- before, so that their order survives a clock that is set back.
ALTER TABLE study_raters ADD COLUMN last_event INTEGER NOT NULL DEFAULT 0;
-- Outputs of the study that the rater has been given at least once. Hidden checks come after so many.
ALTER TABLE study_raters ADD COLUMN given INTEGER NOT NULL DEFAULT 0;
-- All of the rater's work was given out and a planned repeat had nothing to repeat: it never comes.
ALTER TABLE study_raters ADD COLUMN checks_over INTEGER NOT NULL DEFAULT 0;
UPDATE study_raters SET given = h.given
FROM (SELECT study_id, user_id, count(*) AS given FROM handouts GROUP BY study_id, user_id) h
WHERE h.study_id = study_raters.study_id AND h.user_id = study_raters.user_id;
UPDATE study_raters SET last_event = e.at
FROM (SELECT study_id, user_id, max(at) AS at FROM (
          SELECT a.study_id, a.user_id, max(coalesce(a.shown_at, 0), coalesce(a.rated_at, 0), coalesce(r.at, 0)) AS at
          FROM assignments a LEFT JOIN ratings r ON r.assignment_id = a.id WHERE a.user_id IS NOT NULL
          UNION ALL
          SELECT p.study_id, p.user_id, max(p.shown_at, coalesce(p.rated_at, 0), coalesce(r.at, 0))
          FROM probes p LEFT JOIN probe_ratings r ON r.probe_id = p.id)
      GROUP BY study_id, user_id) e
WHERE e.study_id = study_raters.study_id AND e.user_id = study_raters.user_id;
CREATE TRIGGER handouts_given AFTER INSERT ON handouts
BEGIN
    UPDATE study_raters SET given = given + 1 WHERE study_id = NEW.study_id AND user_id = NEW.user_id;
END;
